import SegueCore

@testable import SegueRuntime

/// An application on the thread of its test, without a bus: nothing that it is asked leaves it.
final class Offline {
  let application: Application
  /// The handle that C would hold; without it, the application makes no callbacks.
  private let handle: ApplicationHandle
  /// The handles that C would hold until the application has closed.
  private var held: [Handle] = []

  init() throws {
    guard let appID = AppID("org.example.Offline") else { throw SegueError(.invalidArgument, "no app id") }
    application = try Application(appID: appID, busAddress: "unix:path=/nonexistent/bus", ownsAppID: false)
    handle = ApplicationHandle(application)
  }

  deinit { application.close() }

  private func holding<Object: Handle>(_ object: Object) -> Object {
    held.append(object)
    return object
  }

  /// With a continuation: one that it has brought.
  func activity(of continuation: Identifier? = nil) -> Activity {
    holding(Activity(application: application, type: .browsingWeb, continuation: continuation, external: 1))
  }

  func responder() -> Responder { holding(Responder(application: application, methods: ResponderMethods())) }

  func window(_ methods: WindowMethods = WindowMethods()) -> Window {
    holding(Window(application: application, methods: methods))
  }

  /// One that has no file yet.
  func document(moved: ((Document, CText) -> Void)? = nil) throws -> Document {
    var methods = DocumentMethods()
    methods.moved = moved
    guard let mimeType = MIMEType("text/plain") else { throw SegueError(.invalidArgument, "no MIME type") }
    return holding(Document(application: application, url: nil, mimeType: mimeType, methods: methods))
  }

  /// Runs what waits for a dispatch.
  func dispatch() { _ = application.dispatch() }
}

/// The results with which a completion was called.
final class Outcomes {
  private(set) var codes: [String] = []

  func note(_ error: SegueError?) { codes.append(error?.code.name ?? "well") }
}
