import SegueCore
import SegueEngine
import Testing

@Suite struct DoorSlotsTests {
  private typealias Holder = DoorSlots.Holder

  /// The slots, and the sessions in them.
  private struct Door {
    var slots = DoorSlots()
    var inside: Set<SessionID> = []
    private var count: SessionID = 0

    /// The session's number; nil if it was refused.
    mutating func come(_ process: Int32, _ group: String, registering: Bool = false) -> SessionID? {
      count += 1
      guard case .admitted(let leaving, _) = slots.take(count, of: Holder(process: process, group: group)) else {
        return nil
      }
      if let leaving { inside.remove(leaving) }
      inside.insert(count)
      if registering { slots.register(count) }
      return count
    }

    /// The verdict on one more session.
    mutating func verdict(_ process: Int32, _ group: String) -> DoorSlots.Verdict {
      count += 1
      return slots.take(count, of: Holder(process: process, group: group))
    }
  }

  private func error(_ verdict: DoorSlots.Verdict) -> SegueError? {
    if case .refused(let error) = verdict { error } else { nil }
  }

  @Test func aProcessHasItsShareAndNoMore() {
    var door = Door()
    for _ in 0..<Limits.doorConnectionsPerProcess { #expect(door.come(1, "a") != nil) }
    #expect(error(door.verdict(1, "a"))?.code == .limitExceeded)
    #expect(error(door.verdict(1, "a"))?.message == "This process has 8 connections to segued.")
    #expect(door.come(2, "a") != nil)
    door.slots.leave(1)
    #expect(door.come(1, "a") != nil)
  }

  @Test func aGroupHasItsShareAndIsFairInside() {
    var door = Door()
    for process in Int32(1)...4 {
      for _ in 0..<Limits.doorConnectionsPerProcess { #expect(door.come(process, "a") != nil) }
    }
    #expect(door.inside.count == Limits.doorConnectionsPerGroup)
    // Another process of the group gets a slot of one that has many; no other group loses one.
    let other = door.come(100, "b")
    let late = door.come(5, "a")
    #expect(other.map(door.inside.contains) == true && late.map(door.inside.contains) == true)
    #expect(door.inside.count == Limits.doorConnectionsPerGroup + 1)
  }

  @Test func whoHasAsManyGivesNothing() {
    var door = Door()
    for process in 1...Int32(Limits.doorConnectionsPerGroup) { #expect(door.come(process, "a") != nil) }
    #expect(error(door.verdict(1000, "a"))?.code == .limitExceeded)
    #expect(error(door.verdict(1, "a"))?.code == .limitExceeded)
    #expect(door.come(1001, "b") != nil)
  }

  @Test func aFullDoorIsSharedBetweenGroups() {
    var door = Door()
    for process in Int32(0)..<200 {
      for _ in 0..<Limits.doorConnectionsPerProcess { _ = door.come(process, "\(process / 8)") }
    }
    for process in Int32(1000)..<1005 { #expect(door.come(process, "other \(process)") != nil) }
    #expect(door.inside.count <= Limits.doorConnections)
  }

  @Test func someSeatsAreForApplications() {
    var door = Door()
    let open = Limits.doorConnections - Limits.doorConnectionsKept
    for process in 0..<Int32(open) {
      #expect(door.verdict(process, "\(process)") == .admitted(insteadOf: nil, mustRegister: false))
    }
    for process in Int32(open)..<Int32(Limits.doorConnections) {
      #expect(door.verdict(process, "\(process)") == .admitted(insteadOf: nil, mustRegister: true))
    }
    // The first session in such a slot that has not registered loses it.
    let first = SessionID(open + 1)
    #expect(door.verdict(1000, "x") == .admitted(insteadOf: first, mustRegister: true))
    for number in 1...SessionID(Limits.doorConnections + 1) { door.slots.register(number) }
    #expect(error(door.verdict(1001, "y"))?.message == "segued has 128 connections.")
  }

  @Test func registeredApplicationsKeepTheirSeats() {
    var door = Door()
    for process in Int32(1)...4 {
      for _ in 0..<Limits.doorConnectionsPerProcess { #expect(door.come(process, "a", registering: true) != nil) }
    }
    let before = door.inside
    #expect(error(door.verdict(5, "a"))?.code == .limitExceeded)
    #expect(door.inside == before)
    #expect(door.come(6, "b") != nil)
  }
}
