import SegueCore
import Testing

@testable import SegueEngine

/// Launch messages to an application that runs: they go to it at the door, without the bus.
@Suite struct DoorLaunchTests {
  /// A trial in which the application is at the door in these sessions, and an offer was chosen.
  private func chosen(
    _ sessions: [SessionID], takesLaunches: Bool = true, tier: InstalledApplication.Tier = .system
  ) throws -> (trial: Trial, effects: [Effect]) {
    var trial = Trial()
    try trial.pair()
    for session in sessions {
      trial.handle(.door(session, .registered(try appID(), tier, takesLaunches: takesLaunches)))
    }
    let offer = try trial.offer(1)
    let effects = trial.handle(.control(9, .choose(offer.id, nil, activationToken: "x")))
    return (trial, effects)
  }

  @Test func theOnlyProcessIsToldWhatIsComing() throws {
    var (trial, effects) = try chosen([5])
    let launch = try #require(effects.launch)
    let taker = try #require(launch.taker)
    #expect(taker.session == 5)
    #expect(taker.begin.continuation == launch.continuation)
    #expect(taker.begin.title == "A page")
    #expect(taker.begin.deviceName == "desk")
    #expect(taker.begin.timeLeft > 0)
    #expect(launch.activationToken == "x")
    // Its Begin is as that of any other.
    let begun = trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 20)))
    guard case .begun(let info)? = begun.reply(20) else { throw SegueError(.system, "not begun") }
    #expect(info == taker.begin)
  }

  @Test func ofSeveralProcessesTheBusKnowsWhich() throws {
    #expect(try chosen([5, 6]).effects.launch?.taker == nil)
    #expect(try chosen([]).effects.launch?.taker == nil)
  }

  @Test func anOlderLibraryIsLaunchedOverTheBus() throws {
    let launch = try #require(try chosen([5], takesLaunches: false).effects.launch)
    #expect(launch.taker == nil)
  }

  /// A process that is not known as surely as the application is not told of its continuations.
  @Test func attack32_aProcessOfALowerTierIsNotLaunched() throws {
    let launch = try #require(try chosen([5], tier: .user).effects.launch)
    #expect(launch.taker == nil)
  }

  private let gone = SegueError(.connectionUnavailable, "gone")

  /// A process that ends was launched; the bus starts another, once.
  @Test func V18_aProcessThatEndsIsLaunchedAnewOverTheBus() throws {
    var (trial, effects) = try chosen([5])
    let first = try #require(effects.launch)
    effects = trial.handle(.launchFailed(ticket: first.ticket, gone, ownerGone: true))
    let second = try #require(effects.launch)
    #expect(second.taker == nil)
    effects = trial.handle(.launchFailed(ticket: second.ticket, gone, ownerGone: true))
    #expect(effects.launch == nil)
    #expect(effects.failure(9) != nil)
  }

  /// A process that does not own the name does not take it; the bus knows who does.
  @Test func V18_whatIsNotTakenGoesOverTheBus() throws {
    var (trial, effects) = try chosen([5])
    let first = try #require(effects.launch)
    effects = trial.handle(.launchFailed(ticket: first.ticket, gone, ownerGone: false))
    let second = try #require(effects.launch)
    #expect(second.taker == nil)
    #expect(second.startsIt)
    #expect(second.ticket != first.ticket)
    #expect(second.activationToken == "x")
    // The former ticket is void.
    let late = trial.handle(.door(5, .begin(ticket: first.ticket, showsFailure: false, 20)))
    #expect(late.failure(20)?.code == .notFound)
    // The bus's answer counts as it does without a process at the door: a second message starts the application anew.
    effects = trial.handle(.launchFailed(ticket: second.ticket, gone, ownerGone: true))
    let third = try #require(effects.launch)
    #expect(third.taker == nil)
    effects = trial.handle(.launchFailed(ticket: third.ticket, gone, ownerGone: true))
    #expect(effects.launch == nil)
    #expect(effects.failure(9) != nil)
  }

  /// The application began before the end of its connection was known.
  @Test func whatWasBegunIsNotLaunchedAgain() throws {
    var (trial, effects) = try chosen([5])
    let launch = try #require(effects.launch)
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 20)))
    effects = trial.handle(.launchFailed(ticket: launch.ticket, SegueError(.system, "late"), ownerGone: false))
    #expect(effects.launch == nil)
    #expect(effects.failure(9) == nil)
  }

  /// The process has called will_continue when it reads the message, and claims at once: it hears why there is nothing.
  @Test func V3_aChoiceThatIsReplacedBeforeItsBeginIsCancelled() throws {
    var (trial, effects) = try chosen([5])
    let launch = try #require(effects.launch)
    let other = try trial.offer(2, sequence: 2)
    trial.handle(.control(10, .choose(other.id, nil, activationToken: nil)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: true, 20)))
    effects = trial.handle(.door(5, .claim(ticket: launch.ticket, 21)))
    #expect(effects.failure(21)?.code == .userCancelled)
  }
}
