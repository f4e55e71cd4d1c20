import SegueClient
import SegueCore
import Testing

@Suite struct FocusMachineTests {
  typealias Machine = FocusMachine<String>

  /// A step, and what is current after it.
  private struct Step {
    let event: Machine.Event
    let current: String?
    let reason: Machine.Reason

    init(_ event: Machine.Event, _ current: String?, _ reason: Machine.Reason) {
      self.event = event
      self.current = current
      self.reason = reason
    }
  }

  private func check(_ steps: [Step], _ machine: Machine = Machine(), _ location: SourceLocation = #_sourceLocation) {
    var machine = machine
    for (index, step) in steps.enumerated() {
      machine.handle(step.event)
      #expect(machine.current.activity == step.current, "step \(index)", sourceLocation: location)
      #expect(machine.current.reason == step.reason, "step \(index)", sourceLocation: location)
      #expect(!machine.explanation.isEmpty && machine.explanation.utf8.count <= Limits.titleMaximum)
    }
  }

  /// Two windows, 101 and 102. In 101, responder 1 stands before 2 before 3; in 102, 4 before 5.
  private func twoWindows() throws -> Machine {
    var machine = Machine()
    for window: UInt64 in [101, 102] { machine.handle(.windowMade(window)) }
    for (responder, next): (UInt64, UInt64) in [(1, 2), (2, 3), (4, 5)] { try machine.link(responder, to: next) }
    machine.handle(.focused(101, 1))
    machine.handle(.focused(102, 4))
    return machine
  }

  @Test func R6_withoutAMainWindowTheOneSetLast() {
    check([
      Step(.set(1, "a"), "a", .lastSet(1)),
      Step(.set(2, "b"), "b", .lastSet(2)),
      Step(.set(1, "a"), "a", .lastSet(1)),
      Step(.set(1, nil), "b", .lastSet(2)),
      Step(.responderGone(2), nil, .none),
    ])
  }

  @Test func R6_theFirstInTheChainThatHasOne() throws {
    check(
      [
        Step(.set(3, "c"), "c", .lastSet(3)),
        Step(.mainWindow(101), "c", .focus(3, steps: 2)),
        Step(.set(1, "a"), "a", .focus(1, steps: 0)),
        Step(.set(2, "b"), "a", .focus(1, steps: 0)),
        Step(.set(1, nil), "b", .focus(2, steps: 1)),
        // An activity that is set outside the focus waits for the focus.
        Step(.set(5, "e"), "b", .focus(2, steps: 1)),
        Step(.focused(101, 3), "c", .focus(3, steps: 0)),
        Step(.focused(101, nil), nil, .none),
        Step(.mainWindow(102), "e", .focus(5, steps: 1)),
        Step(.mainWindow(101), nil, .none),
        Step(.focused(101, 2), "b", .focus(2, steps: 0)),
      ], try twoWindows())
  }

  @Test func R6_theChainIsLookedAtAnew() throws {
    var machine = try twoWindows()
    machine.handle(.mainWindow(102))
    machine.handle(.set(3, "c"))
    #expect(machine.current.activity == nil)
    try machine.link(5, to: 3)
    #expect(machine.current.activity == "c")
    #expect(machine.current.reason == .focus(3, steps: 2))
    try machine.link(4, to: nil)
    #expect(machine.current.activity == nil)
    try machine.link(4, to: 3)
    #expect(machine.current.reason == .focus(3, steps: 1))
    // With one in the middle gone the chain ends there.
    machine.handle(.responderGone(3))
    #expect(machine.current.activity == nil)
  }

  @Test func R6_explicitWinsUntilTheFocusChanges() throws {
    check(
      [
        Step(.mainWindow(101), nil, .none),
        Step(.set(2, "b"), "b", .focus(2, steps: 1)),
        Step(.becameCurrent("x"), "x", .explicit),
        // The next steps do not change the focus.
        Step(.set(1, "a"), "x", .explicit),
        Step(.focused(101, 1), "x", .explicit),
        Step(.focused(102, 5), "x", .explicit),
        Step(.mainWindow(101), "x", .explicit),
        Step(.mainWindow(nil), "x", .explicit),
        Step(.focused(101, 2), "b", .focus(2, steps: 0)),
        Step(.becameCurrent("x"), "x", .explicit),
        Step(.mainWindow(102), nil, .none),
      ], try twoWindows())
  }

  @Test func R6_explicitGivesWayToALaterSettingWithoutAMainWindow() {
    check([
      Step(.becameCurrent("x"), "x", .explicit),
      Step(.set(1, nil), "x", .explicit),
      Step(.set(1, "a"), "a", .lastSet(1)),
      Step(.becameCurrent("x"), "x", .explicit),
      Step(.ended("a"), "x", .explicit),
      Step(.ended("x"), "a", .lastSet(1)),
    ])
  }

  @Test func C10_whatWasResignedDoesNotComeBackByItself() throws {
    check(
      [
        Step(.mainWindow(101), nil, .none),
        Step(.set(1, "a"), "a", .focus(1, steps: 0)),
        Step(.resigned, nil, .none),
        Step(.set(2, nil), nil, .none),
        Step(.set(2, "b"), "a", .focus(1, steps: 0)),
        Step(.resigned, nil, .none),
        Step(.focused(101, 2), "b", .focus(2, steps: 0)),
        Step(.resigned, nil, .none),
        Step(.becameCurrent("b"), "b", .explicit),
      ], try twoWindows())
  }

  @Test func R6_theDesktopsFocusMayGoElsewhere() throws {
    check(
      [
        Step(.set(1, "a"), "a", .lastSet(1)),
        Step(.mainWindow(101), "a", .focus(1, steps: 0)),
        Step(.mainWindow(nil), "a", .focus(1, steps: 0)),
        Step(.set(4, "d"), "a", .focus(1, steps: 0)),
        // A window that is gone decides no longer.
        Step(.windowGone(101), "d", .lastSet(4)),
        Step(.windowGone(101), "d", .lastSet(4)),
        Step(.mainWindow(101), "d", .lastSet(4)),
        Step(.focused(101, 1), "d", .lastSet(4)),
      ], try twoWindows())
  }

  @Test func R6_theDocumentStandsBehindTheChain() throws {
    check(
      [
        Step(.documentSet(101, 9), nil, .none),
        Step(.set(9, "doc"), "doc", .lastSet(9)),
        Step(.mainWindow(101), "doc", .document(9)),
        Step(.set(3, "c"), "c", .focus(3, steps: 2)),
        Step(.focused(101, nil), "doc", .document(9)),
        Step(.documentSet(101, nil), nil, .none),
        Step(.documentSet(101, 9), "doc", .document(9)),
        Step(.responderGone(9), nil, .none),
      ], try twoWindows())
  }

  @Test func R6_aChainHasNoLoopAndAnEnd() throws {
    var machine = try twoWindows()
    #expect(throws: ChainError.loop) { try machine.link(3, to: 1) }
    #expect(throws: ChainError.loop) { try machine.link(1, to: 1) }
    #expect(machine.next(after: 3) == nil)
    #expect(machine.next(after: 1) == 2)
    let most = UInt64(Limits.responderChain)
    for number in 1001..<(1000 + most) { try machine.link(number + 1, to: number) }
    #expect(throws: ChainError.tooLong) { try machine.link(2000, to: 1000 + most) }
    // Longer by what is put at its end: the rest is not looked at, and no walk goes on for ever.
    try machine.link(1001, to: 5001)
    machine.handle(.set(5001, "far"))
    machine.handle(.set(1001, "near"))
    machine.handle(.mainWindow(101))
    machine.handle(.focused(101, 1000 + most))
    #expect(machine.current.activity == "near")
    machine.handle(.set(1001, nil))
    #expect(machine.current.activity == nil)
    #expect(throws: ChainError.tooLong) { try machine.link(5001, to: 1000 + most) }
  }

  @Test func V9_theWindowThatWasMainLastIsAskedFirst() throws {
    var machine = try twoWindows()
    machine.handle(.windowMade(103))
    #expect(machine.order == [101, 102, 103])
    machine.handle(.mainWindow(103))
    machine.handle(.mainWindow(102))
    machine.handle(.mainWindow(nil))
    #expect(machine.order == [102, 103, 101])
    machine.handle(.windowGone(103))
    #expect(machine.order == [102, 101])
  }

  @Test(
    arguments: [
      ([1, 2, 3], [3, 2], [1, 2, 3], 2), ([1, 2, 3], [], [2, 3], 2), ([1, 2, 3], [], [], nil), ([], [1], [1], nil),
    ] as [([Int], [Int], [Int], Int?)])
  func V9_preferredElseAccepted(_ windows: [Int], _ preferring: [Int], _ accepting: [Int], _ chosen: Int?) {
    let choice = Machine.choose(
      among: windows, prefers: { preferring.contains($0) }, accepts: { accepting.contains($0) })
    #expect(choice == chosen)
  }
}
