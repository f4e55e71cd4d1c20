import SegueCore

/// The connection slots at the private door, and which session loses its slot when all are taken. No process and no
/// group of processes has more than its share; the rest is shared fairly between groups, and in a group between
/// processes. Applications that have registered keep their slots, and some slots are reserved for them.
public struct DoorSlots {
  /// A process, and the group of processes that it belongs to.
  public struct Holder: Hashable, Sendable {
    public let process: Int32
    public let group: String

    public init(process: Int32, group: String) {
      self.process = process
      self.group = group
    }
  }

  public enum Verdict: Equatable {
    /// The session has a slot, perhaps that of another session, which is disconnected. A session that `mustRegister` is
    /// disconnected soon unless it does.
    case admitted(insteadOf: SessionID?, mustRegister: Bool)
    case refused(SegueError)
  }

  private struct Slot {
    let number: SessionID
    let holder: Holder
    var isRegistered = false
    /// Whether the slot is reserved for applications: a session keeps it only if it registers.
    let isForApplication: Bool
  }

  /// The slots in the order of connecting.
  private var slots: [Slot] = []

  public init() {}

  /// A new session connects.
  public mutating func take(_ number: SessionID, of holder: Holder) -> Verdict {
    let verdict = verdict(of: holder)
    if case .admitted(let leaving, let mustRegister) = verdict {
      if let leaving { leave(leaving) }
      slots.append(Slot(number: number, holder: holder, isForApplication: mustRegister))
    }
    return verdict
  }

  /// The session is an application's.
  public mutating func register(_ number: SessionID) {
    for index in slots.indices where slots[index].number == number { slots[index].isRegistered = true }
  }

  public mutating func leave(_ number: SessionID) { slots.removeAll { $0.number == number } }

  private func verdict(of holder: Holder) -> Verdict {
    let group = slots.filter { $0.holder.group == holder.group }
    guard group.count(where: { $0.holder == holder }) < Limits.doorConnectionsPerProcess else {
      return .refused(
        Self.full("This process has \(Limits.doorConnectionsPerProcess) connections to segued.", "Close one of them."))
    }
    if group.count >= Limits.doorConnectionsPerGroup {
      if let giving = giving(group, to: holder, by: \.self) {
        return .admitted(insteadOf: giving, mustRegister: false)
      }
      let all =
        "This process, and those it was started with, have \(Limits.doorConnectionsPerGroup) connections to segued."
      return .refused(Self.full(all, "End one of them."))
    }
    let others = slots.count { !$0.isRegistered }
    if slots.count < Limits.doorConnections, others < Limits.doorConnections - Limits.doorConnectionsKept {
      return .admitted(insteadOf: nil, mustRegister: false)
    }
    if let giving = giving(slots, to: holder, by: \.group) {
      return .admitted(insteadOf: giving, mustRegister: false)
    }
    if slots.count < Limits.doorConnections { return .admitted(insteadOf: nil, mustRegister: true) }
    // An application registers within milliseconds: a session that has not done so by now is none.
    if let slow = slots.first(where: { $0.isForApplication && !$0.isRegistered }) {
      return .admitted(insteadOf: slow.number, mustRegister: true)
    }
    return .refused(Self.full("segued has \(Limits.doorConnections) connections.", "End programs that use Segue."))
  }

  /// The session that loses its slot: the latest of the process with the most slots, in the group with the most slots.
  /// Nil unless `key` has more slots there than the newcomer's key would then have.
  private func giving<Key: Hashable>(
    _ slots: [Slot], to newcomer: Holder, by key: (Holder) -> Key
  ) -> SessionID? {
    let counts = Dictionary(grouping: slots) { key($0.holder) }.mapValues(\.count)
    let processes = Dictionary(grouping: slots, by: \.holder).mapValues(\.count)
    let giving = slots.filter { !$0.isRegistered }.max { one, other in
      let ranks = [one, other].map {
        [counts[key($0.holder)] ?? 0, processes[$0.holder] ?? 0, Int(clamping: $0.number)]
      }
      return ranks[0].lexicographicallyPrecedes(ranks[1])
    }
    guard let giving, counts[key(giving.holder)] ?? 0 > (counts[key(newcomer)] ?? 0) + 1 else { return nil }
    return giving.number
  }

  private static func full(_ message: String, _ advice: String) -> SegueError {
    SegueError(.limitExceeded, message, advice: advice)
  }
}
