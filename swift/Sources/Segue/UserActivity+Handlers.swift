import CSegueLibrary

/// The callbacks of an activity to its owner. They stay with the activity as long as that is on a responder or held.
extension UserActivity {
  /// It is about to be sent; bring userInfo up to date. Comes last in the round, after responders.
  public var onWillSave: ((UserActivity) -> Void)? {
    get { handlers?.willSave }
    set { change { $0.willSave = newValue } }
  }

  /// Another device, or another application, has continued it: once for each continuation.
  public var onWasContinued: ((UserActivity) -> Void)? {
    get { handlers?.wasContinued }
    set { change { $0.wasContinued = newValue } }
  }

  /// Somebody continues it with an application that states this version of its type, 0 for none. Unset: all agree.
  public var onCheckVersion: ((UserActivity, UInt64) -> VersionVerdict)? {
    get { handlers?.checkVersion }
    set { change { $0.checkVersion = newValue } }
  }

  /// The application that continues it has asked for streams: this is the pair of this side. Unset, each request fails.
  public var onReceiveStreams: ((UserActivity, ContinuationStreams) -> Void)? {
    get { handlers?.receiveStreams }
    set { change { $0.receiveStreams = newValue } }
  }

  /// An answer to `onCheckVersion`.
  public enum VersionVerdict: Int32, Sendable {
    /// It is continued.
    case agrees = 0
    /// The other device gets `SegueError.Code.accessDenied`.
    case refused = 1
    /// The other device is told that one of both applications is to be updated.
    case mismatch = 2
  }

  /// Inside `onWasContinued`: whether a browser continued it that shows its web page.
  public nonisolated var wasContinuedInBrowser: Bool { segue_activity_was_continued_in_browser(pointer.raw) }

  private var handlers: ActivityHandlers? { application.activityHandlers[pointer]?.object }

  private func change(_ body: (ActivityHandlers) -> Void) {
    guard (try? application.raw()) != nil else { return }
    let handlers = handlers ?? ActivityHandlers(application)
    application.activityHandlers[pointer] = Weak(handlers)
    body(handlers)
    var delegate = segue_activity_delegate()
    segue_activity_delegate_init(&delegate, UInt32(MemoryLayout<segue_activity_delegate>.size))
    if handlers.willSave != nil { delegate.will_save = willSave }
    if handlers.wasContinued != nil { delegate.was_continued = wasContinued }
    if handlers.checkVersion != nil { delegate.check_version = checkVersion }
    if handlers.receiveStreams != nil { delegate.did_receive_streams = receiveStreams }
    segue_activity_set_delegate(pointer.raw, &delegate, retained(handlers), release)
  }
}

/// The userdata of an activity's delegate.
@MainActor
final class ActivityHandlers {
  weak var application: Application?
  var willSave: ((UserActivity) -> Void)?
  var wasContinued: ((UserActivity) -> Void)?
  var checkVersion: ((UserActivity, UInt64) -> UserActivity.VersionVerdict)?
  var receiveStreams: ((UserActivity, ContinuationStreams) -> Void)?

  init(_ application: Application) { self.application = application }
}

private func onMain<R: Sendable>(
  _ activity: OpaquePointer, _ userdata: UnsafeMutableRawPointer?, _ otherwise: R,
  _ body: @MainActor (ActivityHandlers, UserActivity) -> R
) -> R {
  guard let handlers = object(userdata, as: ActivityHandlers.self) else { return otherwise }
  let pointer = Pointer(activity)
  return MainActor.assumeIsolated {
    guard let application = handlers.application else { return otherwise }
    return body(handlers, application.activity(pointer.raw))
  }
}

private let willSave: @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  onMain($0, $1, ()) { $0.willSave?($1) }
}

private let wasContinued: @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  onMain($0, $1, ()) { $0.wasContinued?($1) }
}

private let checkVersion: @convention(c) (OpaquePointer, UInt64, UnsafeMutableRawPointer?) -> Int32 = {
  let version = $1
  return onMain($0, $2, 0) { ($0.checkVersion?($1, version) ?? .agrees).rawValue }
}

private let receiveStreams: @convention(c) (OpaquePointer, Int32, Int32, UnsafeMutableRawPointer?) -> Void = {
  let streams = ContinuationStreams(input: $1, output: $2)
  onMain($0, $3, ()) { $0.receiveStreams?($1, streams) }
}
