import CSegueLibrary

/// Segue's own state of one responder. It is bound to the responder, and to the application, at its first use.
@MainActor
public final class ResponderState {
  private var bound: LibraryResponder?

  /// Unbound. A part of a responder's initial values, hence on no actor.
  public nonisolated init() {}

  /// The application that it is bound to.
  var application: Application? { bound?.application }

  var userActivity: UserActivity? {
    guard let bound, let raw = read(nil, { segue_responder_copy_user_activity(bound.pointer.raw, $0) }) else {
      return nil
    }
    return bound.application.activity(owning: raw)
  }

  /// The library's responder for the object that this state is of.
  func responder(of owner: any Responder, in application: Application) throws -> LibraryResponder {
    if let bound { return bound }
    let made = try LibraryResponder(owner, in: application, keepsOwner: false)
    bound = made
    return made
  }
}

/// A responder of the library for an object of Swift's.
@MainActor
final class LibraryResponder {
  let pointer: Pointer
  let application: Application

  /// The one of a responder, of a document or of a window; a new one, which keeps the object, for any other object.
  static func of(_ object: any RestorableObject, in application: Application) throws -> LibraryResponder {
    switch object {
    case let responder as any Responder: return try responder.responderState.responder(of: responder, in: application)
    case let document as Document: return try of(segue_document_get_responder(document.pointer.raw), application)
    case let window as Window: return try of(segue_window_get_responder(window.pointer.raw), application)
    default:
      let made = try LibraryResponder(object, in: application, keepsOwner: true)
      // The library calls no responder that nobody has a reference to.
      application.restoring[made.pointer] = made
      return made
    }
  }

  /// One that is a part of another object of the library.
  private static func of(_ raw: OpaquePointer?, _ application: Application) throws -> LibraryResponder {
    guard let raw else { throw SegueError(.invalidArgument, "The object is not a responder.") }
    return LibraryResponder(owning: segue_responder_ref(raw), application)
  }

  private init(owning raw: OpaquePointer, _ application: Application) {
    pointer = Pointer(raw)
    self.application = application
  }

  /// - Parameter keepsOwner: a responder owns its state, and so this; it must not be owned by it.
  init(_ owner: any RestorableObject, in application: Application, keepsOwner: Bool) throws {
    self.application = application
    var methods = segue_responder_methods()
    segue_responder_methods_init(&methods, UInt32(MemoryLayout<segue_responder_methods>.size))
    methods.update_user_activity_state = update
    methods.restore_user_activity_state = restore
    if owner is any Responder { methods.user_activity_changed = changed }
    var made: OpaquePointer?
    let binding = Binding(owner, application, keepsOwner: keepsOwner)
    try check(segue_responder_new(application.raw(), &methods, retained(binding), release, &made))
    guard let made else { throw SegueError(.system, "The library made no responder.") }
    pointer = Pointer(made)
  }

  deinit { segue_responder_unref(pointer.raw) }
}

/// The userdata of a responder.
@MainActor
private final class Binding {
  private weak var owner: (any RestorableObject)?
  private let kept: (any RestorableObject)?
  private weak var application: Application?

  init(_ owner: any RestorableObject, _ application: Application, keepsOwner: Bool) {
    self.owner = owner
    self.application = application
    kept = keepsOwner ? owner : nil
  }

  func call(_ name: String, _ activity: Pointer, _ body: (any RestorableObject, UserActivity) throws -> Void) {
    guard let owner, let application else { return }
    application.logging("\(type(of: owner)).\(name)", ()) { try body(owner, application.activity(activity.raw)) }
  }

  /// The library's responder of an object that only restores is of no use any more.
  func hasRestored(_ responder: Pointer) {
    if kept != nil { application?.restoring[responder] = nil }
  }

  func changed(_ activity: Pointer?) {
    guard let responder = owner as? any Responder, let application else { return }
    responder.userActivityDidChange(activity.map { application.activity($0.raw) })
  }
}

private let update: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  guard let binding = object($2, as: Binding.self) else { return }
  let activity = Pointer($1)
  MainActor.assumeIsolated {
    binding.call("updateUserActivityState", activity) { try $0.updateUserActivityState($1) }
  }
}

private let restore: @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
  guard let binding = object($2, as: Binding.self) else { return }
  let (responder, activity) = (Pointer($0), Pointer($1))
  MainActor.assumeIsolated {
    binding.call("restoreUserActivityState", activity) { try $0.restoreUserActivityState($1) }
    binding.hasRestored(responder)
  }
}

private let changed: @convention(c) (OpaquePointer, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
  guard let binding = object($2, as: Binding.self) else { return }
  let activity = $1.map { Pointer($0) }
  MainActor.assumeIsolated { binding.changed(activity) }
}
