import CSegueLibrary
import Foundation

/// A document that the application has open: an activity by itself, where the file lies in a folder that devices share.
@MainActor
public final class Document: RestorableObject {
  /// The application that has it open.
  public let application: Application
  nonisolated let pointer: Pointer
  private let handlers: DocumentHandlers

  /// The key in userInfo under which a document's URL stands.
  public nonisolated static let urlKey = "SegueDocumentURL"

  /// The user's role: what a document is open for.
  public enum Role: Int32, Sendable {
    /// The user changes it; the role of every new document.
    case edited = 0
    /// The user only looks at it.
    case viewed = 1
  }

  /// Adds the user's place to the activity's userInfo. The URL is there already.
  public var onUpdate: ((UserActivity) throws -> Void)? {
    get { handlers.update }
    set { handlers.update = newValue }
  }
  /// Goes where the activity's userInfo says.
  public var onRestore: ((UserActivity) throws -> Void)? {
    get { handlers.restore }
    set { handlers.restore = newValue }
  }
  /// The document's activity is another one, or there is none any more.
  public var onActivityChange: ((UserActivity?) -> Void)? {
    get { handlers.changed }
    set { handlers.changed = newValue }
  }
  /// Another program has renamed or moved the file: save to this URL from now on.
  public var onURLChange: ((URL) -> Void)? {
    get { handlers.moved }
    set { handlers.moved = newValue }
  }

  /// Says that the application has the document open; its activity follows.
  /// - Parameters:
  ///   - url: the file's; nil while it has none.
  ///   - mimeType: a type and a subtype, without parameters.
  ///   - application: the application that has it open.
  public init(_ url: URL?, mimeType: String, in application: Application) throws {
    self.application = application
    handlers = DocumentHandlers(application)
    var methods = segue_document_methods()
    segue_document_methods_init(&methods, UInt32(MemoryLayout<segue_document_methods>.size))
    methods.update_user_activity_state = update
    methods.restore_user_activity_state = restore
    methods.user_activity_changed = changed
    methods.url_changed = moved
    let handlers = handlers
    var made: OpaquePointer?
    try withOptionalText(url?.absoluteString) { url in
      try withText(mimeType) { type in
        let raw = try application.raw()
        try check { segue_document_new(raw, url, type, &methods, retained(handlers), release, &made, $0) }
      }
    }
    guard let made else { throw SegueError(.system, "The library made no document.") }
    pointer = Pointer(made)
  }

  deinit { segue_document_unref(pointer.raw) }

  /// Closes the document and invalidates its activity. Closing twice is fine.
  public func close() {
    guard (try? application.raw()) != nil else { return }
    segue_document_close(pointer.raw)
  }

  /// The file's URL; nil where it has none.
  public var url: URL? { takeText { segue_document_copy_url(pointer.raw, $0) }.flatMap { URL(string: $0) } }

  /// The file was saved under another name, or moved.
  public func setURL(_ url: URL?) throws {
    _ = try application.raw()
    _ = try withOptionalText(url?.absoluteString) { try check(segue_document_set_url(pointer.raw, $0)) }
  }

  /// Says what the user does with the document.
  public func setRole(_ role: Role) throws {
    _ = try application.raw()
    try check(segue_document_set_role(pointer.raw, role.rawValue))
  }

  /// The document's activity, whoever made it.
  public var userActivity: UserActivity? {
    read(nil) { segue_document_copy_user_activity(pointer.raw, $0) }.map { application.activity(owning: $0) }
  }

  /// Sets an activity of your own in place of the library's, or none.
  public func setUserActivity(_ activity: UserActivity?) throws {
    try check(segue_document_set_user_activity(pointer.raw, activity?.pointer.raw))
  }

  /// Adds a responder that goes with the document: it has a part in its activity, and restores with it.
  public func addResponder(_ responder: any Responder) throws {
    let added = try responder.responderState.responder(of: responder, in: application)
    _ = try application.raw()
    try check(segue_document_add_responder(pointer.raw, added.pointer.raw))
  }

  public func updateUserActivityState(_ activity: UserActivity) throws { try handlers.update?(activity) }
  public func restoreUserActivityState(_ activity: UserActivity) throws { try handlers.restore?(activity) }
}

/// The userdata of a document.
@MainActor
private final class DocumentHandlers {
  weak var application: Application?
  var update: ((UserActivity) throws -> Void)?
  var restore: ((UserActivity) throws -> Void)?
  var changed: ((UserActivity?) -> Void)?
  var moved: ((URL) -> Void)?

  init(_ application: Application) { self.application = application }
}

private func onMain(
  _ userdata: UnsafeMutableRawPointer?, _ body: @MainActor (DocumentHandlers, Application) -> Void
) {
  guard let handlers = object(userdata, as: DocumentHandlers.self) else { return }
  MainActor.assumeIsolated { if let application = handlers.application { body(handlers, application) } }
}

private let update: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  let activity = Pointer($1)
  onMain($2) { handlers, application in
    application.logging("A document's onUpdate", ()) { try handlers.update?(application.activity(activity.raw)) }
  }
}

private let restore: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  let activity = Pointer($1)
  onMain($2) { handlers, application in
    application.logging("A document's onRestore", ()) { try handlers.restore?(application.activity(activity.raw)) }
  }
}

private let changed: @convention(c) (OpaquePointer, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
  let activity = $1.map { Pointer($0) }
  onMain($2) { handlers, application in handlers.changed?(activity.map { application.activity($0.raw) }) }
}

private let moved: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Void = {
  guard let url = URL(string: String(cString: $1)) else { return }
  onMain($2) { handlers, _ in handlers.moved?(url) }
}
