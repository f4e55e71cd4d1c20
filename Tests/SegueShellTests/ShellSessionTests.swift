import SegueCore
import Testing

@testable import SegueShell

@Suite struct ShellSessionTests {
  private let small = TerminalSize(rows: 20, columns: 60)
  private let large = TerminalSize(rows: 50, columns: 200)

  private struct Running {
    var session = ShellSession(name: "1", id: "f00d", size: .usual, device: "host")
    var now: Instant = 1_000
    mutating func callAsFunction(_ event: ShellSession.Event) -> [ShellSession.Effect] {
      session.handle(event, at: now)
    }
    /// Attached, drawn, and all of that written.
    mutating func attach(_ id: Int, _ name: String, _ size: TerminalSize) -> [ShellSession.Effect] {
      var effects = self(.attached(id, name: name, size))
      if effects.contains(where: { if case .resize = $0 { true } else { false } }) {
        effects += self(.screenResized(scrolled: 0))
      }
      for other in [1, 2, 3] { effects += self(.written(other, waiting: 0)) }
      return effects
    }
    mutating func output(
      _ text: String, scrolled: UInt64 = 0, isAlternate: Bool = false, left: Bool = false
    )
      -> [ShellSession.Effect]
    {
      self(.output(Array(text.utf8), scrolled: scrolled, isAlternate: isAlternate, leftAlternate: left))
    }
  }

  private func sent(_ id: Int, _ text: String) -> ShellSession.Effect { .send(id, .output(Array(text.utf8))) }

  @Test func whoAttachesIsWelcomedAndGetsTheScreen() {
    var running = Running()
    let effects = running.attach(1, "desk", small)
    #expect(
      effects == [
        .send(1, .welcome(version: 1, session: "1", id: "f00d")), .send(1, .status(title: "", others: [])),
        .resize(small),
        .draw(1, cutTo: nil, linesSince: 0),
      ])
    #expect(running.output("hello") == [sent(1, "hello")])
  }

  @Test func theTerminalThatWasUsedLastGivesTheSize() {
    var running = Running()
    _ = running.attach(1, "desk", large)
    #expect(running.attach(2, "lap", small).contains(.resize(small)))
    #expect(running(.input(1, [0x61])) == [.resize(large), .type([0x61])])
    #expect(running(.input(1, [0x62])) == [.type([0x62])])
    // The size of another one makes no difference to the session until that one is used.
    #expect(
      !running(.resized(2, TerminalSize(rows: 3, columns: 9))).contains { if case .resize = $0 { true } else { false } }
    )
    #expect(running(.input(2, [0x63])).first == .resize(TerminalSize(rows: 3, columns: 9)))
    #expect(running(.gone(2)).contains(.resize(large)))
    #expect(running(.resized(1, small)).contains(.resize(small)))
    #expect(running(.gone(1)).isEmpty)
    #expect(running.session.size == small)
  }

  @Test func aTerminalOfAnotherSizeGetsDrawings() {
    var running = Running()
    _ = running.attach(1, "desk", large)
    _ = running.attach(2, "lap", small)
    // So soon after the last one it waits.
    #expect(
      running.output("one") == [.wake(running.now + Limits.shellDrawInterval), sent(2, "one")].sortedFor(running))
    running.now = running.now + Limits.shellDrawInterval
    #expect(running(.timer) == [.draw(1, cutTo: large, linesSince: 0)])
    #expect(running(.written(1, waiting: 0)).isEmpty)
  }

  /// Each time those that it has not got.
  @Test func aTerminalOfAnotherSizeGetsTheLinesThatLeftTheScreen() {
    var running = Running()
    _ = running.attach(1, "desk", large)
    _ = running.attach(2, "lap", small)
    var marks: [UInt64] = []
    for scrolled in [UInt64(5), 7, 6, 9] {
      running.now = running.now + Limits.shellDrawInterval
      for case .draw(1, large, let mark) in running.output("x", scrolled: scrolled) { marks.append(mark) }
      _ = running(.written(1, waiting: 0))
    }
    // Lines that came back onto the screen are on its terminal already.
    #expect(marks == [0, 5, 7, 7])
  }

  /// Lines that leave the session's screen as its size changes have left the terminal that was made smaller, and no
  /// other.
  @Test func aChangeOfSizeMovesLinesOutOfSightWhereItWasMade() {
    var running = Running()
    _ = running.attach(1, "desk", small)
    _ = running.output("x", scrolled: 5)
    _ = running(.written(1, waiting: 0))
    let smaller = TerminalSize(rows: 10, columns: 60)
    #expect(running(.resized(1, smaller)) == [.resize(smaller)])
    running.now = running.now + Limits.shellDrawInterval
    #expect(running(.screenResized(scrolled: 15)) == [.draw(1, cutTo: nil, linesSince: 15)])
    _ = running(.written(1, waiting: 0))
    // Another one, still smaller, is used; the first one shows what it showed.
    let smallest = TerminalSize(rows: 4, columns: 60)
    #expect(running(.attached(2, name: "lap", smallest)).last == .resize(smallest))
    running.now = running.now + Limits.shellDrawInterval
    #expect(
      running(.screenResized(scrolled: 21)) == [
        .draw(1, cutTo: smaller, linesSince: 15), .draw(2, cutTo: nil, linesSince: 0),
      ])
  }

  @Test func attack33_aSlowViewerGetsTheScreenInsteadOfEverything() {
    var running = Running()
    _ = running.attach(1, "desk", small)
    _ = running.attach(2, "lap", small)
    let chunk = String(repeating: "x", count: 65_536)
    var sentToSlow = 0
    for line in 1...100 {
      let effects = running.output(chunk, scrolled: UInt64(line) * 10)
      #expect(effects.contains(sent(2, chunk)))
      if effects.contains(sent(1, chunk)) { sentToSlow += 1 }
      _ = running(.written(2, waiting: 0))
    }
    #expect(sentToSlow == Limits.shellBacklog / 65_536)
    #expect(running(.written(1, waiting: 70_000)).isEmpty)
    // The lines that were left out come with the drawing.
    #expect(running(.written(1, waiting: 0)) == [.draw(1, cutTo: nil, linesSince: UInt64(sentToSlow) * 10)])
    #expect(running(.written(1, waiting: 0)).isEmpty)
    #expect(running.output("again", scrolled: 1_001) == [sent(1, "again"), sent(2, "again")])
  }

  @Test func whoCameDuringTheAlternateScreenGetsTheUsualOneAfterIt() {
    var running = Running()
    _ = running.attach(1, "desk", small)
    _ = running.output("$ vim", scrolled: 5)
    _ = running.output("vim", scrolled: 5, isAlternate: true)
    _ = running.attach(2, "lap", small)
    #expect(running.output("x", scrolled: 5, isAlternate: true) == [sent(1, "x"), sent(2, "x")])
    _ = running(.written(2, waiting: 0))
    #expect(running.output("bye", scrolled: 5, left: true) == [sent(1, "bye"), .draw(2, cutTo: nil, linesSince: 0)])
  }

  @Test func everybodySeesWhoElseLooks() {
    var running = Running()
    _ = running.attach(1, "desk", small)
    #expect(running.attach(2, "lap", small).contains(.send(1, .status(title: "", others: ["lap"]))))
    #expect(
      running(.title("vim")) == [
        .send(1, .status(title: "vim", others: ["lap"])), .send(2, .status(title: "vim", others: ["desk"])),
      ])
    #expect(running(.title("vim")).isEmpty)
    #expect(running(.gone(2)) == [.send(1, .status(title: "vim", others: []))])
  }

  @Test func whoLooksFromHereIsCalledAsThisDeviceIs() {
    var running = Running()
    _ = running.attach(1, "", small)
    #expect(running.attach(2, "lap", small).contains(.send(2, .status(title: "", others: ["host"]))))
    #expect(
      running(.device("desk")) == [
        .send(1, .status(title: "", others: ["lap"])), .send(2, .status(title: "", others: ["desk"])),
      ])
    #expect(running(.device("desk")).isEmpty)
    #expect(running.session.lookers.map { $0.device } == ["desk", "lap"])
  }

  @Test func whoIsPutOutLooksNoMore() {
    var running = Running()
    _ = running.attach(1, "desk", large)
    _ = running.attach(2, "lap", small)
    #expect(
      running(.putOut(2, "enough")) == [
        .send(2, .refused("enough")), .close(2), .send(1, .status(title: "", others: [])), .resize(large),
      ])
    #expect(running(.putOut(2, "enough")).isEmpty)
    #expect(running(.input(2, [0x61])).isEmpty)
    #expect(running(.gone(2)).isEmpty)
  }

  @Test func theProgramsEndIsToldToEachViewer() {
    var running = Running()
    _ = running.attach(1, "desk", small)
    _ = running.attach(2, "lap", small)
    #expect(
      running(.ended(3)) == [
        .send(1, .ended(status: 3)), .close(1), .send(2, .ended(status: 3)), .close(2),
      ])
    #expect(running(.ended(4)).isEmpty)
    #expect(running(.input(1, [0x61])).isEmpty)
    // A viewer that comes too late gets the end too.
    let late = running(.attached(3, name: "late", small))
    #expect(late.suffix(2) == [.send(3, .ended(status: 3)), .close(3)])
  }

  @Test func attack33_soManyLookAndNoMore() {
    var running = Running()
    for id in 1...Limits.shellViewers { _ = running(.attached(id, name: "", small)) }
    let effects = running(.attached(99, name: "", small))
    #expect(effects.last == .close(99))
    #expect(running.session.lookers.count == Limits.shellViewers)
    #expect(running(.input(99, [0x61])).isEmpty)
  }
}

extension [ShellSession.Effect] {
  /// Puts messages before drawings.
  fileprivate func sortedFor(_: Any) -> Self {
    filter { if case .send = $0 { true } else { false } } + filter { if case .send = $0 { false } else { true } }
  }
}
