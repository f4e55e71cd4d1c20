import CSegueLibrary
import Foundation

/// An activity: the user's current work, which another device can take over.
///
/// One activity of an application is current, and on offer. Its state is asked for when somebody chooses the offer: set
/// `needsSave` at every change. Keep the object as long as the user does what it says: when the last reference to an
/// activity goes that is on no responder, its offer does too.
///
/// A setter that the library refuses (an activity that was invalidated, text that is too long) changes nothing; where the
/// value comes from outside, use the function that throws.
@MainActor
public final class UserActivity {
  /// The application that it is of.
  public let application: Application
  nonisolated let pointer: Pointer
  /// Why the last attribute was not set.
  var refusal: (any Error)?
  /// The type of a web page in a browser.
  public nonisolated static let browsingWeb = "org.segue.BrowsingWeb"

  init(owning pointer: Pointer, in application: Application) {
    self.pointer = pointer
    self.application = application
    application.activities[pointer] = Weak(self)
  }

  /// Makes an activity; it is on offer after `becomeCurrent`, or on a responder.
  /// - Parameters:
  ///   - type: two or more elements of A-Z a-z 0-9 _ - joined by dots: company.app.activity.
  ///   - application: the application that it is of.
  public convenience init(type: String, in application: Application) throws {
    var made: OpaquePointer?
    try withText(type) { type in try check { segue_activity_new(try application.raw(), type, &made, $0) } }
    guard let made else { throw SegueError(.system, "The library made no activity.") }
    self.init(owning: Pointer(made), in: application)
  }

  isolated deinit {
    // Another object may stand for it by now.
    if application.activities[pointer]?.object == nil { application.activities[pointer] = nil }
    segue_activity_unref(pointer.raw)
  }

  // MARK: Identity

  /// Its type, which stays the same for its life.
  public nonisolated var type: String { borrowed(segue_activity_get_type(pointer.raw)) }
  /// New for each activity, never used again.
  public nonisolated var id: UUID { UUID(uuid: readBytes { segue_activity_get_id(pointer.raw, $0) }) }
  /// Grows with each snapshot that differs from the last.
  public nonisolated var revision: UInt64 { read(0) { segue_activity_get_revision(pointer.raw, $0) } }
  /// The activity that this one continues, until this one's first change.
  public nonisolated var continuedFrom: (id: UUID, revision: UInt64)? {
    var revision: UInt64 = 0
    var result: Int32 = 0
    let id = readBytes {
      result = segue_activity_get_continued_from(pointer.raw, $0, &revision)
      return result
    }
    return result < 0 ? nil : (UUID(uuid: id), revision)
  }
  /// Whether it is the application's current activity.
  public nonisolated var isCurrent: Bool { segue_activity_is_current(pointer.raw) }
  /// Whether it was invalidated: it is never offered again.
  public nonisolated var isInvalid: Bool { segue_activity_is_invalid(pointer.raw) }

  // MARK: Life

  /// Whether the state changed since the last save.
  public nonisolated var needsSave: Bool {
    get { segue_activity_needs_save(pointer.raw) }
    set { segue_activity_set_needs_save(pointer.raw, newValue) }
  }

  /// Puts it on offer; the former current one becomes inactive. Throws for an activity that was invalidated.
  public func becomeCurrent() throws {
    _ = try application.raw()
    guard try check(segue_activity_become_current(pointer.raw)) == 0 else {
      throw SegueError(.invalidated, "The activity was invalidated.")
    }
  }

  /// Takes it off offer; it stays valid.
  public func resignCurrent() throws {
    _ = try application.raw()
    try check(segue_activity_resign_current(pointer.raw))
  }

  /// Ends it for good: withdrawn from every device. Doing it twice is fine.
  public func invalidate() {
    guard (try? application.raw()) != nil else { return }
    segue_activity_invalidate(pointer.raw)
  }

  /// Why the save callbacks run; nil outside of them.
  public nonisolated var saveReason: SaveReason? {
    let reason = segue_activity_get_save_reason(pointer.raw)
    return reason > 0 ? SaveReason(rawValue: reason) : nil
  }

  /// Why state is saved. Open: a newer library may know more.
  public struct SaveReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
    /// The activity is about to be offered.
    public static let offer = SaveReason(rawValue: 1)
    /// Somebody continues it now.
    public static let request = SaveReason(rawValue: 2)
    /// To be kept for when the application has gone.
    public static let snapshot = SaveReason(rawValue: 3)
    /// To be stored for search on this device.
    public static let search = SaveReason(rawValue: 4)
  }
}

extension UserActivity: Hashable {
  public nonisolated static func == (one: UserActivity, other: UserActivity) -> Bool { one.pointer == other.pointer }
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}
