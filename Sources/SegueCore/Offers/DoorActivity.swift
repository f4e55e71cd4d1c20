/// An application's current activity, as the daemon is told of it.
public struct DoorActivity: Equatable, Sendable {
  public var id: Identifier
  public var revision: UInt64
  public var type: ActivityType
  public var title: String?
  public var webHost: String?
  /// Whether it may be offered to other devices.
  public var isEligible: Bool
  /// Whether a copy is to be stored for search (semantics C5).
  public var isEligibleForSearch: Bool
  /// Whether the last snapshot may be stored (semantics X7).
  public var allowsSnapshot: Bool
  /// Whether its state is stored for the application's own return (semantics C17).
  public var isEligibleForRestoration: Bool
  /// The state changed after `revision` was saved.
  public var isChanged: Bool
  /// The activity that it was made from, while it has not changed since (semantics V15).
  public var continuedFrom: ActivityReference?
  /// Milliseconds until it expires; nil: never.
  public var timeLeft: UInt64?
  /// Why it is current, in a sentence (semantics R6).
  public var reason: String?
  /// The path of the file that its state is about (semantics O3). Stays within the daemon.
  public var file: FileURL?
  /// Whether the application gives the state's files to the device that continues it.
  public var allowsFiles = false

  public init(
    id: Identifier, revision: UInt64, type: ActivityType, title: String?, webHost: String?, isEligible: Bool,
    isEligibleForSearch: Bool = false, allowsSnapshot: Bool = false,
    isEligibleForRestoration: Bool = false, isChanged: Bool = false,
    continuedFrom: ActivityReference? = nil, timeLeft: UInt64? = nil, reason: String? = nil
  ) {
    self.id = id
    self.revision = revision
    self.type = type
    self.title = title
    self.webHost = webHost
    self.isEligible = isEligible
    self.isEligibleForSearch = isEligibleForSearch
    self.allowsSnapshot = allowsSnapshot
    self.isEligibleForRestoration = isEligibleForRestoration
    self.isChanged = isChanged
    self.continuedFrom = continuedFrom
    self.timeLeft = timeLeft
    self.reason = reason
  }

  /// Whether the daemon would see no difference. A new revision alone, or less time to expiry, makes none.
  public func looksLike(_ other: DoorActivity?) -> Bool {
    guard var other else { return false }
    other.revision = revision
    if (other.timeLeft == nil) == (timeLeft == nil) { other.timeLeft = timeLeft }
    return self == other
  }
}

/// Why the daemon asks for a snapshot.
public struct DoorSaveRequest: Hashable, Sendable {
  public enum Purpose: String, Sendable {
    /// To continue it: a user has chosen the activity and waits for it.
    case continuation
    /// To store it, so that it can be continued when the application has gone (semantics X7).
    case snapshot
    /// To store a copy for search (semantics C5).
    case search
    /// To give it back to the application when that runs again (semantics C17).
    case restoration
  }

  public var purpose: Purpose
  /// The continuing application's version of the activity type (semantics X8); 0 where it states none.
  public var version: UInt64
  /// Whether another application of this device continues it.
  public var isLocal: Bool

  public init(purpose: Purpose, version: UInt64 = 0, isLocal: Bool = false) {
    self.purpose = purpose
    self.version = version
    self.isLocal = isLocal
  }

  /// Whether the saved state stays on this device.
  public var staysHere: Bool { isLocal || purpose == .search || purpose == .restoration }
}

/// The daemon's answer to a ticket that it accepts.
public struct DoorBegin: Equatable, Sendable {
  public var continuation: Identifier
  public var type: ActivityType
  /// The activity's, or the application's name where it has none.
  public var title: String
  public var deviceName: String
  /// Milliseconds until the continuation fails if it has not ended before.
  public var timeLeft: UInt64
  /// The application will get a stored snapshot. Its age in milliseconds, where that is known (semantics X7).
  public var isStored: Bool
  public var storedAge: UInt64?

  public init(
    continuation: Identifier, type: ActivityType, title: String, deviceName: String, timeLeft: UInt64, isStored: Bool,
    storedAge: UInt64?
  ) {
    self.continuation = continuation
    self.type = type
    self.title = title
    self.deviceName = deviceName
    self.timeLeft = timeLeft
    self.isStored = isStored
    self.storedAge = storedAge
  }
}
