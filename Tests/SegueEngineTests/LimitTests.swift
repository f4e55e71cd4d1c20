import SegueCore
import Testing

@testable import SegueEngine

/// Times and counts that the engine keeps: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  /// A continuation that has just been chosen, and its launch.
  private func chosen(_ trial: inout Trial, _ number: UInt64 = 7) throws -> (Effect.Launch, FetchID, Offer) {
    let offer = try trial.offer(number, sequence: number)
    let effects = trial.handle(.control(RequestID(number), .choose(offer.id, nil, activationToken: nil)))
    guard let launch = effects.launch, let (fetch, _) = effects.fetch else { throw Failure(effects) }
    return (launch, fetch, offer)
  }

  private func paired() throws -> Trial {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    return trial
  }

  private func begin(_ trial: inout Trial, _ launch: Effect.Launch) -> [Effect] {
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 102)))
  }

  private func claim(_ trial: inout Trial, _ launch: Effect.Launch) -> [Effect] {
    trial.handle(.door(5, .claim(ticket: launch.ticket, 103)))
  }

  private func answer(_ trial: inout Trial, _ fetch: FetchID, _ offer: Offer) -> [Effect] {
    let snapshot = Snapshot(id: offer.id, revision: 2, type: offer.type, userInfo: [0xa0])
    return trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
  }

  private func failure(_ effects: [Effect], _ request: RequestID) -> SegueError.Code? {
    guard case .failed(let error)? = effects.reply(request) else { return nil }
    return error.code
  }

  // MARK: Where it continues

  @Test func fetchTime() throws {
    var trial = try paired()
    let (launch, _, _) = try chosen(&trial)
    _ = begin(&trial, launch)
    _ = claim(&trial, launch)
    #expect(failure(trial.wait(Limits.fetchTime - 1), 103) == nil)
    #expect(failure(trial.wait(1), 103) == .connectionUnavailable)
  }

  @Test func launchTime() throws {
    var trial = try paired()
    let (launch, fetch, offer) = try chosen(&trial)
    _ = answer(&trial, fetch, offer)
    #expect(failure(trial.wait(Limits.launchTime - 1), 7) == nil)
    #expect(failure(trial.wait(1), 7) == .launchTimedOut)
    #expect(failure(begin(&trial, launch), 102) == .notFound)
  }

  @Test func notRespondingTime() throws {
    func isTold(_ effects: [Effect]) -> Bool {
      effects.signals.contains { if case .continuationChanged(_, .notResponding) = $0 { true } else { false } }
    }
    var trial = try paired()
    _ = try chosen(&trial)
    #expect(!isTold(trial.wait(Limits.notRespondingTime - 1)))
    #expect(isTold(trial.wait(1)))
  }

  @Test func claimTime() throws {
    var trial = try paired()
    let (launch, fetch, offer) = try chosen(&trial)
    _ = answer(&trial, fetch, offer)
    _ = begin(&trial, launch)
    #expect(failure(trial.wait(Limits.claimTime - 1), 7) == nil)
    #expect(failure(trial.wait(1), 7) == .handoffFailed)
    #expect(failure(begin(&trial, launch), 102) == .notFound)
  }

  @Test func ticketTime() throws {
    var trial = try paired()
    let (launch, _, _) = try chosen(&trial)
    guard case .begun(let info)? = begin(&trial, launch).reply(102) else { throw Failure([]) }
    #expect(info.timeLeft == Limits.ticketTime)
    #expect(Limits.ticketTime == Limits.launchTime + Limits.claimTime)
  }

  @Test func finishTime() throws {
    var trial = try paired()
    let (launch, fetch, offer) = try chosen(&trial)
    _ = begin(&trial, launch)
    _ = claim(&trial, launch)
    _ = answer(&trial, fetch, offer)
    #expect(failure(trial.wait(Limits.finishTime - 1), 7) == nil)
    #expect(failure(trial.wait(1), 7) == .notHandled)
    #expect(trial.engine.journal.untold.isEmpty)
  }

  /// A machine that slept past the deadline gives the application its time anew, in the next daemon too.
  @Test func lateTime() throws {
    for late in [0, 1] as [UInt64] {
      var trial = try paired()
      let (launch, fetch, offer) = try chosen(&trial)
      _ = begin(&trial, launch)
      _ = claim(&trial, launch)
      _ = answer(&trial, fetch, offer)
      let woken = trial.wait(Limits.finishTime + Limits.lateTime + late)
      #expect(failure(woken, 7) == (late == 0 ? .notHandled : nil))
      guard late > 0 else { continue }
      #expect(trial.engine.journal.running.first?.until == trial.now + Limits.finishTime)
      #expect(failure(trial.wait(Limits.finishTime - 1), 7) == nil)
      #expect(failure(trial.wait(1), 7) == .notHandled)
    }
  }

  @Test func callersOfAContinuation() throws {
    var trial = try paired()
    let (_, _, offer) = try chosen(&trial)
    for caller in 1..<Limits.callersPerContinuation {
      let joined = trial.handle(.control(RequestID(200 + caller), .choose(offer.id, nil, activationToken: nil)))
      #expect(joined.reply(RequestID(200 + caller)) == nil)
    }
    let effects = trial.handle(.control(300, .choose(offer.id, nil, activationToken: nil)))
    #expect(failure(effects, 300) == .limitExceeded)
    #expect(trial.engine.journal.running.count == 1)
  }

  /// A claim that was on its way when its continuation failed gets the reason, for the last failures.
  @Test(arguments: [0, 1]) func failuresThatAreRemembered(_ more: Int) throws {
    var trial = try paired()
    var launches: [Effect.Launch] = []
    for number in 1...(Limits.failuresRemembered + more) {
      let (launch, fetch, _) = try chosen(&trial, UInt64(number))
      _ = begin(&trial, launch)
      trial.handle(.link(.fetchAnswered(fetch, .failure(SegueError(.handoffFailed, "x")))))
      _ = claim(&trial, launch)
      launches.append(launch)
    }
    #expect(failure(claim(&trial, launches[0]), 103) == (more == 0 ? .handoffFailed : .notFound))
    #expect(failure(claim(&trial, launches[1]), 103) == .handoffFailed)
  }

  // MARK: The store

  @Test func storeRetryTime() throws {
    var trial = Trial()
    var copy = StoredCopy(
      .snapshot, of: Offer(id: id(7), revision: 1, type: try type(), appID: try appID()))
    copy.storedAt = trial.moment.seconds
    copy.expiresAt = trial.moment.seconds + 10
    trial.handle(.paired([]))
    trial.handle(.loaded([copy]))
    let asked = try #require(trial.wait(11_000).stores.first)
    trial.handle(.stored(asked.id, .failure(SegueError(.system, "x"))))
    #expect(trial.wait(Limits.storeRetryTime - 1).stores.isEmpty)
    #expect(trial.wait(1).stores.first?.request == asked.request)
  }

  // MARK: Where it comes from

  private func asked(_ trial: inout Trial) throws -> [Effect] {
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID())
    return trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
  }

  private func refusal(_ effects: [Effect]) -> SegueError.Code? {
    for case .answerFetch(_, .failure(let error)) in effects { return error.code }
    return nil
  }

  @Test func saveTime() throws {
    var trial = try paired()
    let activity = DoorActivity(id: id(3), revision: 1, type: try type(), title: nil, webHost: nil, isEligible: true)
    trial.handle(.door(5, .setCurrent(activity, 1)))
    _ = trial.wait(Limits.returnTime)
    #expect(try asked(&trial).saves.count == 1)
    #expect(refusal(trial.wait(Limits.saveTime - 1)) == nil)
    #expect(refusal(trial.wait(1)) == .remoteApplicationTimedOut)
  }

  @Test func returnTime() throws {
    var trial = try paired()
    #expect(refusal(try asked(&trial)) == nil)
    #expect(refusal(trial.wait(Limits.returnTime - 1)) == nil)
    #expect(refusal(trial.wait(1)) == .handoffFailed)
  }
}
