import CSegueLibrary
import Foundation

extension UserActivity {
  /// Whether its state is stored on this device for the application itself, which gets it back from `lastState` after a
  /// crash or a new login, also where it is not eligible for hand-off: false at first.
  public var isEligibleForRestoration: Bool {
    get { segue_activity_is_eligible_for_restoration(pointer.raw) }
    set {
      assign("isEligibleForRestoration") {
        try check(segue_activity_set_eligible_for_restoration(pointer.raw, newValue))
      }
    }
  }

  /// How old the state is, of an activity that `lastState` has given; nil for any other.
  public nonisolated var restoredAge: Duration? {
    var age: UInt64 = 0
    guard segue_activity_get_restored_age(pointer.raw, &age) >= 0 else { return nil }
    return .milliseconds(Int64(clamping: age))
  }

  /// The version of its type that the application stated when the state was stored, 0 for none; nil for any other
  /// activity.
  public nonisolated var restoredVersion: UInt64? {
    var version: UInt64 = 0
    return segue_activity_get_restored_version(pointer.raw, &version) < 0 ? nil : version
  }
}

extension UserActivity.SaveReason {
  /// To be stored for the application's own return.
  public static let restoration = Self(rawValue: 5)
}

extension Application {
  /// The last state that the application stored before it ended, or crashed; nil where there is none. Restore your objects
  /// from it, then put it on one of them, or make it current. It is no continuation.
  ///
  /// Throws where no daemon answers within five seconds. A task that is cancelled waits no longer.
  /// - Parameter type: of the activity; nil: any.
  /// - Parameter target: the target content identifier of its window; nil: any.
  public func lastState(_ type: String? = nil, target: String? = nil) async throws -> UserActivity? {
    try await lastStates(type, target: target, maximum: 1).first
  }

  /// The last states of all windows, the latest first.
  public func lastStates(
    _ type: String? = nil, target: String? = nil, maximum: Int = 64
  ) async throws -> [UserActivity] {
    let found = try await Waiting<[Reference]>.result { waiting in
      let raw = try raw()
      try withOptionalText(type) { type in
        try withOptionalText(target) { target in
          _ = try check(
            segue_application_get_last_states(raw, type, target, max(0, maximum), came, retained(waiting), release))
        }
      }
    }
    return found.map { activity(owning: $0.take()) }
  }
}

/// A reference to an activity on its way to the task that wants it; dropped where that waits no longer.
private final class Reference: @unchecked Sendable {
  private var raw: OpaquePointer?

  init(_ raw: OpaquePointer) { self.raw = segue_activity_ref(raw) }

  @MainActor func take() -> OpaquePointer {
    defer { raw = nil }
    // It is taken once.
    return raw.unsafelyUnwrapped
  }

  deinit { segue_activity_unref(raw) }
}

private let came:
  @convention(c) (
    OpaquePointer?, UnsafePointer<OpaquePointer>?, Int, OpaquePointer?, UnsafeMutableRawPointer?
  ) -> Void = { _, activities, count, error, userdata in
    object(userdata, as: Waiting<[Reference]>.self)?.end(error) {
      UnsafeBufferPointer(start: activities, count: count).map { Reference($0) }
    }
  }
