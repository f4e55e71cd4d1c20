/// What an application said of an activity whose state is stored for its own return: how the activity is when it is given
/// back.
public struct StateTraits: Equatable, Sendable {
  public var isEligible = false
  public var isEligibleForSearch = false
  public var allowsSnapshot = false
  /// Whether the activity expires when its copy does.
  public var expires = false

  public init() {}

  public init(of activity: DoorActivity, expires: Bool) {
    isEligible = activity.isEligible
    isEligibleForSearch = activity.isEligibleForSearch
    allowsSnapshot = activity.allowsSnapshot
    self.expires = expires
  }

  /// The traits in one number, as a store keeps them. Bits of a later version are ignored.
  public var bits: UInt64 {
    (isEligible ? 1 : 0) | (isEligibleForSearch ? 2 : 0) | (allowsSnapshot ? 4 : 0) | (expires ? 8 : 0)
  }

  public init(bits: UInt64) {
    isEligible = bits & 1 != 0
    isEligibleForSearch = bits & 2 != 0
    allowsSnapshot = bits & 4 != 0
    expires = bits & 8 != 0
  }
}

/// An application's request for a state that it stored in an earlier run (semantics C17).
public struct StateQuery: Equatable, Sendable {
  /// Nil: of any type.
  public var type: ActivityType?
  /// The window that the state is of; nil: of any.
  public var targetContentIdentifier: String?
  /// The state that was given last: the next older one is wanted.
  public var after: Identifier?

  public init(type: ActivityType? = nil, targetContentIdentifier: String? = nil, after: Identifier? = nil) {
    self.type = type
    self.targetContentIdentifier = targetContentIdentifier
    self.after = after
  }
}

/// A state on its way back to the application that stored it.
public struct StoredState: Equatable, Sendable {
  public var snapshot: Snapshot
  public var traits: StateTraits
  /// The version of the activity type that the application stated when the state was stored; 0: none.
  public var version: UInt64
  /// Milliseconds until the activity expires; nil: never.
  public var timeLeft: UInt64?

  public init(_ snapshot: Snapshot, _ traits: StateTraits, version: UInt64, timeLeft: UInt64?) {
    self.snapshot = snapshot
    self.traits = traits
    self.version = version
    self.timeLeft = timeLeft
  }
}
