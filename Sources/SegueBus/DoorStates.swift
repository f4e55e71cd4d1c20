import SegueCore

// An application's request for its own last state, and the answer, as they cross the private door (semantics C17).

extension StateQuery: BusRecord {
  /// Throws `invalidArgument`: a request that is not understood must not be taken for one about anything.
  public init(_ fields: inout BusFields, _ own: StateQuery?) throws(SegueError) {
    self.init()
    if let text = try fields.text("activity-type", own?.type?.string, Limits.nameLength) {
      type = ActivityType(text)
      guard type != nil else { throw SegueError(.invalidArgument, "This is not an activity type.") }
    }
    targetContentIdentifier = try fields.text("target", own?.targetContentIdentifier, Limits.identifierLength)
    if let text = try fields.text("after", own?.after?.hex, Limits.identifierLength) {
      after = Identifier(hex: text)
      guard after != nil else { throw SegueError(.invalidArgument, "An activity's id has 32 hexadecimal digits.") }
    }
  }
}

/// A stored state on its way through the door: its snapshot, and what was said of its activity.
public enum DoorState {
  public static func encode(_ state: StoredState) throws(SegueError) -> BusDictionary {
    var dictionary = try DoorSnapshot.encode(state.snapshot)
    for entry in Said(state).dictionary.entries { dictionary[entry.key] = entry.value }
    return dictionary
  }

  /// Throws as `DoorSnapshot.decode` does.
  public static func decode(_ dictionary: BusDictionary) throws(SegueError) -> StoredState {
    let snapshot = try DoorSnapshot.decode(dictionary)
    let said = Said(dictionary)
    return StoredState(snapshot, said.traits, version: said.version, timeLeft: said.timeLeft)
  }

  /// The fields that the answer has beside the snapshot.
  private struct Said: BusOptions {
    var traits: StateTraits
    var version: UInt64
    var timeLeft: UInt64?

    init(_ state: StoredState) { (traits, version, timeLeft) = (state.traits, state.version, state.timeLeft) }

    init(_ fields: inout BusFields, _ own: Said?) {
      traits = StateTraits()
      traits.isEligible = fields("eligible", own?.traits.isEligible, or: false)
      traits.isEligibleForSearch = fields("search", own?.traits.isEligibleForSearch, or: false)
      traits.allowsSnapshot = fields("allows-snapshot", own?.traits.allowsSnapshot, or: false)
      version = fields("version", own?.version, or: 0)
      timeLeft = fields("time-left", own?.timeLeft)
      traits.expires = timeLeft != nil
    }
  }
}
