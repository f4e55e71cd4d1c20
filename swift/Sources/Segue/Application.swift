import CSegueLibrary
import Foundation

/// The application: its callbacks, and its place in the main loop.
///
///     let application = try Application(id: "com.example.Reader")
///     application.onContinue = { activity, restoration in … }
///     try application.ready()
///     try application.run()
///
/// It belongs to the main actor, whichever thread runs that: on Linux these may change (`docs/swift.md`). Registration is
/// asynchronous; `onStateChange` tells how it goes.
@MainActor
public final class Application {
  /// The reference that this object keeps; nil once it is closed.
  private(set) var pointer: Pointer?
  /// The id of the application's desktop file, without ".desktop".
  public let id: String

  /// The user has chosen to continue an activity here; its state is on the way. Returns true if you show that yourself,
  /// false to leave it to the desktop.
  public var onWillContinue: ((Continuation) -> Bool)? { didSet { install() } }
  /// The activity is here. Make or find the objects that own its state, and hand them to the restoration, now or later.
  /// Returns false for an activity that is not taken; what it throws counts as that, and goes to the log.
  public var onContinue: ((UserActivity, Restoration) throws -> Bool)? { didSet { install() } }
  /// The activity will not come. Show it, unless it is `CocoaError.userCancelled`.
  public var onFail: ((Continuation, any Error) -> Void)? { didSet { install() } }
  /// The responders of an activity have updated it: the last chance to add to its userInfo.
  public var onUpdate: ((UserActivity) -> Void)? { didSet { install() } }
  /// Registration has changed; an error says why for `nameTaken` and `lost`.
  public var onStateChange: ((State, (any Error)?) -> Void)? { didSet { install() } }
  /// A line for the developer. Unset, it goes to standard error where SEGUE_LOG is set.
  public var onLog: ((String) -> Void)? { didSet { install() } }
  /// The application was activated with this activation token, which may be empty. Needs `ownsID`.
  public var onActivate: ((String) -> Void)? { didSet { install() } }
  /// Files or links are to be opened. Needs `ownsID`.
  public var onOpenURLs: (([URL], String) -> Void)? { didSet { install() } }
  /// An activity with a target content identifier came, and no window can show it: make one, and keep it.
  public var onMakeWindow: ((UserActivity) -> Window?)? { didSet { install() } }
  /// The activity names a document that this device has, and `onContinue` has not taken it: open it.
  public var onOpenDocument: ((URL, UserActivity, Restoration) throws -> Bool)? { didSet { install() } }
  /// The list of `offers` has changed.
  public var onOffersChange: (() -> Void)? { didSet { install() } }

  /// The objects of Swift's that are alive, so that each of the library's is always the same one here.
  var activities: [Pointer: Weak<UserActivity>] = [:]
  var activityHandlers: [Pointer: Weak<ActivityHandlers>] = [:]
  var windows: [Pointer: Weak<Window>] = [:]
  /// The responders of objects that only restore, until they have.
  var restoring: [Pointer: LibraryResponder] = [:]
  var source: MainLoopSource?
  var isQuitting = false

  /// Makes the application and begins to register it.
  /// - Parameters:
  ///   - id: the id of its desktop file, without ".desktop"; a D-Bus name of at most 249 bytes.
  ///   - ownsID: owns the id on the bus itself and answers org.freedesktop.Application there, for a program without a
  ///     toolkit that does.
  ///   - busAddress: the session bus's; nil for the user's.
  public init(id: String, ownsID: Bool = false, busAddress: String? = nil) throws {
    self.id = id
    var made: OpaquePointer?
    try withText(id) { id in
      try withOptionalText(busAddress) { address in
        var options = segue_application_options()
        segue_application_options_init(&options, UInt32(MemoryLayout<segue_application_options>.size))
        options.flags = ownsID ? 1 : 0
        options.bus_address = address
        try check { segue_application_new(id, &options, &made, $0) }
      }
    }
    pointer = made.map { Pointer($0) }
    install()
  }

  isolated deinit { close() }

  /// Withdraws the application's offers and closes its connections, also while other objects of it are alive: their calls
  /// throw `SegueError.Code.closed` from then on. No callback comes after that. Closing twice is fine.
  public func close() {
    source = nil
    restoring = [:]
    guard let pointer else { return }
    self.pointer = nil
    segue_application_adopt_thread(pointer.raw)
    segue_application_unref(pointer.raw)
  }

  /// The library's object, on this thread, which the main actor runs on now.
  func raw() throws -> OpaquePointer {
    guard let pointer else { throw SegueError(.closed, "The application is closed.") }
    try check(segue_application_adopt_thread(pointer.raw))
    return pointer.raw
  }

  /// Says that the application is set up: from now on continuations are delivered, those that launched it first.
  public func ready() throws { try check(segue_application_ready(raw())) }

  /// How registration stands.
  public enum State: Hashable, Sendable {
    /// On the way to the bus and the daemon.
    case registering
    /// Activities are offered, continuations arrive.
    case registered
    /// Another process or object has the same id; continuations go to that one.
    case nameTaken
    /// The bus or the daemon is gone; the library keeps trying.
    case lost
    /// A state that this version does not know.
    case other(Int32)

    init(_ state: Int32) {
      self = [Self.registering, .registered, .nameTaken, .lost].dropFirst(Int(max(state, 0))).first ?? .other(state)
    }
  }

  /// How registration stands.
  public var state: State { pointer == nil ? .lost : (try? State(segue_application_get_state(raw()))) ?? .lost }

  /// The type of the activity whose continuation waits for `ready`; nil where none does. Known when registered.
  public var launchType: String? {
    guard let raw = try? raw() else { return nil }
    return takeText { segue_application_copy_launch_type(raw, $0) }
  }

  /// The activity that is on offer.
  public var currentActivity: UserActivity? {
    guard let raw = try? raw() else { return nil }
    return read(nil) { segue_application_copy_current_activity(raw, $0) }.map { activity(owning: $0) }
  }

  /// Which activity is current and why, as a sentence for a developer.
  public func explainCurrent() throws -> String {
    var (activity, sentence): (OpaquePointer?, UnsafeMutablePointer<CChar>?)
    try check(segue_application_explain_current(raw(), &activity, &sentence))
    defer {
      segue_activity_unref(activity)
      segue_free(sentence)
    }
    return borrowed(sentence)
  }

  /// The window that the user works in; nil for none.
  public func setMainWindow(_ window: Window?) throws {
    try check(segue_application_set_main_window(raw(), window?.pointer.raw))
  }

  // MARK: Objects

  /// The Swift object of an activity, whose reference it takes over.
  func activity(owning raw: OpaquePointer) -> UserActivity {
    let pointer = Pointer(raw)
    if let known = activities[pointer]?.object {
      segue_activity_unref(raw)
      return known
    }
    return UserActivity(owning: pointer, in: self)
  }

  /// The same for one that a callback has borrowed.
  func activity(_ raw: OpaquePointer) -> UserActivity { activity(owning: segue_activity_ref(raw)) }

  func log(_ line: String) {
    if let onLog { return onLog(line) }
    guard ProcessInfo.processInfo.environment["SEGUE_LOG"] != nil else { return }
    FileHandle.standardError.write(Data("segue: \(id): \(line)\n".utf8))
  }
}
