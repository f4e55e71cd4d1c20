import CSegueLibrary

/// One of the application's windows, for the library: it is asked about activities that come with a target content
/// identifier, and says which responder has the focus. It is gone with the object.
@MainActor
public final class Window: RestorableObject {
  /// The application that it is of.
  public let application: Application
  nonisolated let pointer: Pointer
  private let handlers: WindowHandlers

  /// Whether the window shows this already, or is the best place for it. Unset: never.
  public var prefersContent: ((String) -> Bool)? {
    get { handlers.prefers }
    set { handlers.prefers = newValue }
  }
  /// Whether the window could show it. Unset: always.
  public var canShowContent: ((String) -> Bool)? {
    get { handlers.canShow }
    set { handlers.canShow = newValue }
  }
  /// Adds the window's own part to the state of its activity.
  public var onUpdate: ((UserActivity) throws -> Void)? {
    get { handlers.update }
    set { handlers.update = newValue }
  }
  /// Restores that part.
  public var onRestore: ((UserActivity) throws -> Void)? {
    get { handlers.restore }
    set { handlers.restore = newValue }
  }

  /// Tells the library of a window.
  /// - Parameters:
  ///   - application: the application that it is of.
  ///   - onContinue: continues activities in this window, in place of the application's `onContinue`; nil: that one is
  ///     called, and finds the window in the restoration.
  public init(in application: Application, onContinue: ((UserActivity, Restoration) throws -> Bool)? = nil) throws {
    self.application = application
    handlers = WindowHandlers(application, onContinue)
    var methods = segue_window_methods()
    segue_window_methods_init(&methods, UInt32(MemoryLayout<segue_window_methods>.size))
    methods.prefers_content = prefers
    methods.can_show_content = canShow
    if onContinue != nil { methods.continue_activity = continueActivity }
    methods.update_user_activity_state = update
    methods.restore_user_activity_state = restore
    var made: OpaquePointer?
    try check(segue_window_new(application.raw(), &methods, retained(handlers), release, &made))
    guard let made else { throw SegueError(.system, "The library made no window.") }
    pointer = Pointer(made)
    application.windows[pointer] = Weak(self)
  }

  isolated deinit {
    if application.windows[pointer]?.object == nil { application.windows[pointer] = nil }
    segue_window_unref(pointer.raw)
  }

  /// Says which responder has the focus; nil: none. It is not kept alive.
  public func setFocusedResponder(_ responder: (any Responder)?) throws {
    let focused = try responder.map { try $0.responderState.responder(of: $0, in: application) }
    _ = try application.raw()
    try check(segue_window_set_focused_responder(pointer.raw, focused?.pointer.raw))
  }

  /// Says which document the window shows; nil: none.
  public func setDocument(_ document: Document?) throws {
    _ = try application.raw()
    try check(segue_window_set_document(pointer.raw, document?.pointer.raw))
  }

  /// The activity of what the whole window shows.
  public func setUserActivity(_ activity: UserActivity?) throws {
    guard let responder = segue_window_get_responder(pointer.raw) else { return }
    try check(segue_responder_set_user_activity(responder, activity?.pointer.raw))
  }

  public func updateUserActivityState(_ activity: UserActivity) throws { try handlers.update?(activity) }
  public func restoreUserActivityState(_ activity: UserActivity) throws { try handlers.restore?(activity) }
}

/// The userdata of a window.
@MainActor
private final class WindowHandlers {
  weak var application: Application?
  let continues: ((UserActivity, Restoration) throws -> Bool)?
  var prefers: ((String) -> Bool)?
  var canShow: ((String) -> Bool)?
  var update: ((UserActivity) throws -> Void)?
  var restore: ((UserActivity) throws -> Void)?

  init(_ application: Application, _ continues: ((UserActivity, Restoration) throws -> Bool)?) {
    self.application = application
    self.continues = continues
  }
}

private func onMain<R: Sendable>(
  _ userdata: UnsafeMutableRawPointer?, _ otherwise: R, _ body: @MainActor (WindowHandlers, Application) -> R
) -> R {
  guard let handlers = object(userdata, as: WindowHandlers.self) else { return otherwise }
  return MainActor.assumeIsolated { handlers.application.map { body(handlers, $0) } ?? otherwise }
}

private let prefers: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Bool = {
  let identifier = String(cString: $1)
  return onMain($2, false) { handlers, _ in handlers.prefers?(identifier) ?? false }
}

private let canShow: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Bool = {
  let identifier = String(cString: $1)
  return onMain($2, false) { handlers, _ in handlers.canShow?(identifier) ?? true }
}

private let continueActivity:
  @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Bool = {
    let (activity, restoration) = (Pointer($1), Pointer($2))
    return onMain($3, false) { handlers, application in
      application.logging("A window's onContinue", false) {
        try handlers.continues?(application.activity(activity.raw), Restoration(restoration.raw, in: application))
          ?? false
      }
    }
  }

private let update: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  let activity = Pointer($1)
  onMain($2, ()) { handlers, application in
    application.logging("A window's onUpdate", ()) { try handlers.update?(application.activity(activity.raw)) }
  }
}

private let restore: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  let activity = Pointer($1)
  onMain($2, ()) { handlers, application in
    application.logging("A window's onRestore", ()) { try handlers.restore?(application.activity(activity.raw)) }
  }
}
