import SegueClient
import SegueCore
import Testing

/// Continuations on their way into one application. Owners of names are numbers here, daemons are 1, 2 and so on.
@Suite struct DeliveriesTests {
  typealias Table = Deliveries<Int>

  private static let error = SegueError(.userCancelled, "x")

  /// A table, and what it has led to so far.
  private struct Application {
    var table = Table()
    var now: Instant = 1_000
    private(set) var effects: [String] = []

    mutating func handle(_ events: Table.Event...) {
      for event in events { effects += table.handle(event, at: now).map { Self.text($0) } }
    }

    /// The effects since the last call.
    mutating func news() -> [String] {
      defer { effects = [] }
      return effects
    }

    private static func text(_ effect: Table.Effect) -> String {
      switch effect {
      case .begin(let number, let ticket): "begin \(number) with \(ticket.low)"
      case .rejoin(let number, let ticket): "rejoin \(number) with \(ticket.low)"
      case .announced(let ticket, let shown): "announced \(ticket.low) \(shown)"
      case .finish(let ticket, let handled): "finish \(ticket.low) \(handled)"
      case .answer(let number, let error): "answer \(number) \(error?.code.name ?? "well")"
      case .otherSender(let owner): "stranger \(owner ?? 0)"
      case .startTimer(let number, let deadline): "timer \(number) at \(deadline.milliseconds)"
      case .stopTimer(let number): "no timer \(number)"
      case .callWillContinue(let number): "will \(number)"
      case .callContinue(let number): "continue \(number)"
      case .callOpenDocument(let number): "open \(number)"
      case .callDidFail(let number, let error): "fail \(number) \(error.code.name)"
      case .ended(let number): "ended \(number)"
      }
    }
  }

  private static func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }

  private func launch(
    _ number: UInt64, of continuation: UInt64? = 7, from sender: Int? = 1, ticket: UInt64? = nil, resumes: Bool = false
  ) -> Table.Event {
    .launched(
      Table.Launch(
        number: number, ticket: Self.id(ticket ?? 100 + number), sender: sender,
        continuation: continuation.map { Self.id($0) }, resumes: resumes))
  }

  private func begun(_ number: UInt64, timeLeft: UInt64 = 60_000) -> Table.Event {
    .begun(ticket: Self.id(100 + number), timeLeft: timeLeft)
  }

  private func claimed(_ number: UInt64) -> Table.Event { .claimed(ticket: Self.id(100 + number)) }

  /// Ready, at the door of daemon 1.
  private func application() -> Application {
    var application = Application()
    application.handle(.daemonOwner(1), .ready, .doorOpened(1))
    return application
  }

  /// In the middle of will_continue of its continuation 7.
  private func announcing() -> Application {
    var application = application()
    application.handle(launch(1), begun(1))
    _ = application.news()
    return application
  }

  @Test func V8_aLaunchWaitsForReadyAndTheDoor() {
    let timer = "timer 1 at 26000"
    let begins = ["no timer 1", "begin 1 with 101"]
    let orders: [[Table.Event]] = [
      [.daemonOwner(1), launch(1), .ready, .doorOpened(1)],
      [.daemonOwner(1), launch(1), .doorOpened(1), .ready],
      [launch(1), .ready, .doorOpened(nil), .daemonOwner(1), .doorOpened(1)],
      [.ready, .doorOpened(1), launch(1), .daemonOwner(1)],
    ]
    for order in orders {
      var application = Application()
      for event in order.dropLast() {
        application.handle(event)
        #expect(!application.effects.contains(begins[1]), "\(event)")
      }
      if let last = order.last { application.handle(last) }
      #expect(application.news() == [timer] + begins)
    }
  }

  @Test func V8_whoIsNotReadyInTimeIsGivenUp() {
    var application = Application()
    application.handle(.daemonOwner(1), .doorOpened(1), launch(1), .timer(1))
    #expect(application.news() == ["timer 1 at 26000", "answer 1 LaunchTimedOut", "ended 1"])
    application.handle(.ready, .timer(1))
    #expect(application.news() == [])
  }

  @Test func V18_onlyTheDaemonLaunches() {
    var application = application()
    application.handle(launch(1, from: 2), launch(2, from: nil))
    #expect(
      application.news() == [
        "timer 1 at 26000", "stranger 2", "answer 1 AccessDenied", "ended 1",
        "timer 2 at 26000", "stranger 0", "answer 2 AccessDenied", "ended 2",
      ])
    // Before the bus has said who the daemon is, nobody is believed.
    application.handle(.busLost, launch(3), launch(4, of: 8, from: 2))
    #expect(application.news() == ["timer 3 at 26000", "timer 4 at 26000"])
    application.handle(.daemonOwner(1))
    #expect(
      application.news() == [
        "no timer 3", "begin 3 with 103", "stranger 2", "answer 4 AccessDenied", "ended 4",
      ])
  }

  @Test func V18_oneTicketIsTakenOnceAndSixteenWait() {
    var application = Application()
    application.handle(.daemonOwner(1))
    for number in 1...16 { application.handle(launch(UInt64(number), of: UInt64(number))) }
    _ = application.news()
    application.handle(launch(17, of: 17))
    #expect(application.news() == ["answer 17 LimitExceeded", "ended 17"])
    application.handle(.timer(3), launch(18, of: 18))
    #expect(application.news() == ["answer 3 LaunchTimedOut", "ended 3", "timer 18 at 26000"])
    application.handle(.timer(4), launch(19, of: 19, ticket: 101))
    #expect(application.news() == ["answer 4 LaunchTimedOut", "ended 4", "answer 19 LimitExceeded", "ended 19"])
  }

  @Test func V11_aContinuationGoesToItsEnd() {
    var application = announcing()
    application.handle(
      .willReturned(1, shown: true), claimed(1), .restored(1), .continueReturned(1, handled: true))
    #expect(application.news() == ["announced 101 true", "continue 1", "finish 101 true", "ended 1"])
    #expect(!application.table.isUnderWay(1))
  }

  @Test func X9_theNextDaemonsTicketBelongsToTheSameDelivery() {
    var application = announcing()
    application.handle(.willReturned(1, shown: false), .doorLost, .daemonOwner(nil))
    // The continuation's remaining time bounds the wait.
    #expect(application.news() == ["announced 101 false", "timer 1 at 61000"])
    application.handle(.daemonOwner(2), launch(2, from: 2, resumes: true))
    #expect(application.news() == ["timer 2 at 26000", "ended 2"])
    application.handle(.doorOpened(2))
    #expect(application.news() == ["no timer 1", "begin 1 with 102"])
    // Later answers about the former ticket do not count any more.
    #expect(application.table.delivery(of: Self.id(101)) == nil)
    #expect(application.table.delivery(of: Self.id(102)) == 1)
    application.handle(.claimFailed(ticket: Self.id(101), Self.error), begun(1))
    #expect(application.news() == [])
    application.handle(begun(2), claimed(2))
    #expect(application.news() == ["answer 2 well", "continue 1"])
  }

  @Test func X9_theNextDaemonIsWaitedForAndThenOnlyForAMoment() {
    var application = announcing()
    application.handle(.willReturned(1, shown: true), .doorLost)
    application.now = 2_000
    _ = application.news()
    application.handle(.doorOpened(1))
    #expect(application.news() == ["timer 1 at 7000"])
    application.handle(.timer(1))
    #expect(application.news() == ["fail 1 ConnectionUnavailable", "ended 1"])
  }

  /// will_continue runs the application's main loop, and the daemon is restarted meanwhile.
  @Test func X9_theNextDaemonComesInsideWillContinue() {
    var application = announcing()
    application.handle(.doorLost, .daemonOwner(2), launch(2, from: 2), .doorOpened(2))
    #expect(application.news() == ["timer 2 at 26000", "ended 2", "no timer 1", "begin 1 with 102"])
    application.handle(begun(2), .willReturned(1, shown: true), claimed(2))
    #expect(application.news() == ["answer 2 well", "announced 102 true", "continue 1"])

    // The payload was here already: the next daemon hears how it ended.
    application = announcing()
    application.handle(claimed(1), .doorLost, .daemonOwner(2), launch(2, from: 2), .doorOpened(2))
    #expect(application.news() == ["timer 2 at 26000", "ended 2", "rejoin 1 with 102"])
    application.handle(begun(2), .willReturned(1, shown: true), .restored(1), .continueReturned(1, handled: true))
    #expect(
      application.news() == ["answer 2 well", "announced 102 true", "continue 1", "finish 102 true", "ended 1"])

    // It is there and does not know the continuation: nobody waits longer than a moment.
    application = announcing()
    application.handle(.doorLost, .daemonOwner(2), .doorOpened(2), .willReturned(1, shown: true))
    #expect(application.news() == ["announced 101 true", "timer 1 at 6000"])
  }

  /// The daemon that is just ending is shown no ticket of the next.
  @Test func X9_aTicketGoesToTheDaemonThatSentIt() {
    var application = announcing()
    application.handle(.willReturned(1, shown: true), .daemonOwner(2), launch(2, from: 2), launch(3, of: 8, from: 2))
    #expect(application.news() == ["announced 101 true", "timer 2 at 26000", "ended 2", "timer 3 at 26000"])
    application.handle(.doorLost)
    #expect(application.news() == ["timer 1 at 61000"])
    application.handle(.doorOpened(2))
    #expect(application.news() == ["no timer 1", "begin 1 with 102", "no timer 3", "begin 3 with 103"])
    // The same daemon under another name has the same door.
    application.handle(.daemonOwner(3), launch(4, of: 9, from: 3))
    #expect(application.news() == ["timer 4 at 26000"])
    application.handle(.doorOpened(3))
    #expect(application.news() == ["no timer 4", "begin 4 with 104"])
  }

  @Test func X9_theDoorIsLostUnderATicketThatIsOnlyTold() {
    var application = announcing()
    application.handle(.willReturned(1, shown: true), claimed(1), .doorLost, .daemonOwner(2), .doorOpened(2))
    application.handle(launch(2, from: 2), .doorLost)
    #expect(
      application.news() == [
        "announced 101 true", "continue 1", "timer 2 at 26000", "ended 2", "rejoin 1 with 102",
        "answer 2 ConnectionUnavailable",
      ])
    application.handle(.daemonOwner(3), .doorOpened(3), launch(3, from: 3), begun(3))
    #expect(application.news() == ["timer 3 at 26000", "ended 3", "rejoin 1 with 103", "answer 3 well"])
  }

  @Test func X9_aLaunchMessageThatIsReplacedIsAnswered() {
    var application = Application()
    application.handle(.daemonOwner(1), launch(1), .daemonOwner(2), launch(2, from: 2))
    #expect(application.news() == ["timer 1 at 26000", "timer 2 at 26000", "ended 2", "answer 1 NotFound"])
    application.handle(.ready, .doorOpened(2))
    #expect(application.news() == ["no timer 1", "begin 1 with 102"])
  }

  @Test func X9_theLastSixteenThatEndedAreRemembered() {
    var application = application()
    for number in UInt64(1)...17 {
      application.handle(launch(number, of: number), begun(number), .willReturned(number, shown: true), claimed(number))
      application.handle(.restored(number), .continueReturned(number, handled: true))
    }
    // Delivery 30 announced nothing, and delivery 31 names no continuation: neither is remembered.
    application.handle(launch(30, of: 30), .beginFailed(ticket: Self.id(130), Self.error))
    application.handle(launch(31, of: nil), begun(31), .willReturned(31, shown: true))
    application.handle(.claimFailed(ticket: Self.id(131), Self.error))
    _ = application.news()
    for number in [UInt64(1), 30] {
      application.handle(launch(40 + number, of: number, resumes: true))
      #expect(application.news().last == "ended \(40 + number)")
    }
    application.handle(launch(80, of: 2, resumes: true), begun(80))
    #expect(
      application.news() == ["timer 80 at 26000", "ended 80", "rejoin 2 with 180", "answer 80 well", "finish 180 true"])
  }

  @Test func X9_onlyWhoHasBegunGoesOn() {
    var application = application()
    application.handle(launch(1, resumes: true))
    #expect(application.news() == ["timer 1 at 26000", "answer 1 NotFound", "ended 1"])
  }

  @Test func V1_closingEndsAll() {
    var application = announcing()
    application.handle(launch(2, of: 8), .closed, .willReturned(1, shown: true), launch(3, of: 9))
    #expect(
      application.news() == [
        "timer 2 at 26000", "no timer 2", "begin 2 with 102", "fail 1 ApplicationExited", "ended 1",
        "answer 2 ApplicationExited", "ended 2", "answer 3 ApplicationExited", "ended 3",
      ])
  }
}
