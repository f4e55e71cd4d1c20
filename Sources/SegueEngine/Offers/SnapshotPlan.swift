import SegueCore

/// Plans when current activities are saved for copies (semantics C5, X7, C17, S8 c): when one becomes current, after it has
/// changed, and when the user leaves it. Pure: the caller gives the time.
public struct SnapshotPlan {
  public enum Effect: Equatable {
    /// Ask the application for a copy.
    case ask(Identifier, StoredCopy.Kind)
    /// The application does not allow such a copy any more.
    case forget(Identifier, StoredCopy.Kind)
    /// Call `timer` then.
    case wake(Instant)

    /// A fixed order, so that effects do not depend on a dictionary's order.
    fileprivate func isBefore(_ other: Effect) -> Bool {
      guard case .ask(let id, let kind) = self, case .ask(let otherID, let otherKind) = other else { return false }
      return id == otherID ? kind.rawValue < otherKind.rawValue : id < otherID
    }
  }

  private struct Copy {
    /// The activity has changed since the last copy.
    public var isDue = true
    public var askedAt: Instant?
    public var isUnderWay = false
  }

  private var activities: [Identifier: [StoredCopy.Kind: Copy]] = [:]
  /// The shortest time between two saves of one activity for one kind of copy, in milliseconds.
  private let interval: UInt64

  public init(interval: UInt64 = Limits.snapshotInterval) { self.interval = interval }

  /// The activity is current, or has changed.
  public mutating func current(_ activity: DoorActivity, now: Instant) -> [Effect] {
    var effects: [Effect] = []
    for (kind, isWanted) in Self.wanted(activity) {
      if !isWanted {
        if activities[activity.id]?.removeValue(forKey: kind) != nil { effects.append(.forget(activity.id, kind)) }
      } else if activities[activity.id]?[kind] == nil {
        activities[activity.id, default: [:]][kind] = Copy()
      } else if activity.isChanged {
        activities[activity.id]?[kind]?.isDue = true
      }
    }
    return effects + due(now: now)
  }

  /// An activity that is not eligible for handoff needs no snapshot.
  private static func wanted(_ activity: DoorActivity) -> [(StoredCopy.Kind, Bool)] {
    [
      (.search, activity.isEligibleForSearch), (.snapshot, activity.allowsSnapshot && activity.isEligible),
      (.restoration, activity.isEligibleForRestoration),
    ]
  }

  /// The user has left the activity. Missing copies are saved at once, since the application may be about to end.
  public mutating func resigned(_ activity: Identifier) -> [Effect] {
    var effects: [Effect] = []
    for (kind, copy) in activities[activity] ?? [:] where copy.isDue && !copy.isUnderWay {
      effects.append(.ask(activity, kind))
      activities[activity]?[kind]?.isUnderWay = true
    }
    return effects.sorted { $0.isBefore($1) }
  }

  /// The copies of these activities were deleted while they were being saved, so the answers do not count. They are
  /// stored again after the next change.
  public mutating func abandoned(_ fits: (Identifier) -> Bool) {
    for (id, kinds) in activities where fits(id) {
      for kind in kinds.keys {
        activities[id]?[kind]?.isDue = false
        activities[id]?[kind]?.isUnderWay = false
      }
    }
  }

  /// Forgets all activities but these: the others, or their applications, have ended.
  public mutating func retain(_ goesOn: (Identifier) -> Bool) { activities = activities.filter { goesOn($0.key) } }

  /// The application has answered, or will not. A copy that it could not save is asked for again after the next change.
  public mutating func answered(_ activity: Identifier, _ kind: StoredCopy.Kind, now: Instant) -> [Effect] {
    // The answer includes every change that the application told before it, since the door keeps the order.
    activities[activity]?[kind]?.isDue = false
    activities[activity]?[kind]?.isUnderWay = false
    activities[activity]?[kind]?.askedAt = now
    return due(now: now)
  }

  /// The activity was saved for another device, and the store has no copy as new. True: its copy is to be stored with
  /// that snapshot. Otherwise the copy is asked for when its time has come, so that a device that fetches without end
  /// does not wear out the disk.
  public mutating func saved(
    _ activity: Identifier, _ kind: StoredCopy.Kind, now: Instant
  ) -> (isTaken: Bool, effects: [Effect]) {
    guard let copy = activities[activity]?[kind], !copy.isUnderWay else { return (false, []) }
    let isTaken = copy.askedAt.map { $0 + interval <= now } ?? true
    if isTaken { activities[activity]?[kind]?.askedAt = now }
    activities[activity]?[kind]?.isDue = !isTaken
    return (isTaken, due(now: now))
  }

  public mutating func timer(now: Instant) -> [Effect] { due(now: now) }

  private mutating func due(now: Instant) -> [Effect] {
    var effects: [Effect] = []
    var next: Instant?
    for (id, copies) in activities {
      for (kind, copy) in copies where copy.isDue && !copy.isUnderWay {
        let time = copy.askedAt.map { $0 + interval } ?? now
        if time > now {
          next = min(next ?? time, time)
        } else {
          effects.append(.ask(id, kind))
          activities[id]?[kind]?.isUnderWay = true
        }
      }
    }
    effects.sort { $0.isBefore($1) }
    if let next { effects.append(.wake(next)) }
    return effects
  }
}
