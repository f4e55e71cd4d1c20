import SegueCore
import Testing

@testable import SegueEngine

/// The right to a continuation stream, how many there may be, and how each stream ends.
@Suite struct StreamsTests {
  // MARK: Where the activity is from

  /// An application that has activity 3 on offer, as session 5, and has given it to the other device by continuation 9.
  private func origin() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    try trial.show(3)
    _ = trial.wait(Limits.returnTime)
    try trial.give(9, 3)
    return trial
  }

  private func ask(
    _ trial: inout Trial, _ channel: UInt64, by device: DeviceID = Trial.other, _ continuation: UInt64 = 9,
    _ activity: UInt64 = 3
  ) -> [Effect] {
    let request = StreamRequest(continuation: id(continuation), activity: id(activity))
    return trial.handle(.link(.streamAsked(ChannelID(value: channel), device, request)))
  }

  /// A stream that is open.
  @discardableResult private func opened(
    _ trial: inout Trial, _ channel: UInt64, _ continuation: UInt64 = 9
  ) throws
    -> StreamID
  {
    let brought = try #require(ask(&trial, channel, continuation).brought)
    let effects = trial.handle(.door(5, .acceptedStream(brought, nil)))
    #expect(effects.streams == [.begin(brought)])
    return brought
  }

  @Test func T3_theOriginsApplicationIsBroughtItsPair() throws {
    var trial = try origin()
    let effects = ask(&trial, 20)
    #expect(effects.streams == [.accept(1, ChannelID(value: 20), activity: id(3), 5)])
    #expect(trial.handle(.door(5, .acceptedStream(1, nil))).streams == [.begin(1)])
    // A second answer, or one for another stream, changes nothing.
    #expect(trial.handle(.door(5, .acceptedStream(1, nil))).isEmpty)
    #expect(trial.handle(.door(5, .acceptedStream(2, nil))).isEmpty)
  }

  /// A stream is given only by the continuation by which the device itself has fetched that activity.
  @Test func attack17_onlyWhoHasFetchedItGetsStreams() throws {
    var trial = try origin()
    try trial.show(4, session: 6)
    #expect(ask(&trial, 20, by: Trial.third).refusal == .accessDenied)
    #expect(ask(&trial, 21, 8).refusal == .accessDenied)
    #expect(ask(&trial, 22, 9, 4).refusal == .accessDenied)
    #expect(ask(&trial, 23).brought != nil)
  }

  /// The user has withheld the application since the activity was given.
  @Test func V17_whatIsWithheldHasNoStreams() throws {
    var policy = Policy()
    policy.sharing.applications = [try appID()]
    let before = try origin()
    var trial = Trial(policy: policy, journal: before.engine.journal)
    try trial.pair()
    try trial.show(3)
    #expect(ask(&trial, 20).refusal == .handoffFailed)
  }

  /// The right stays when the device has reported that it has continued the activity, and after a restart.
  @Test func T5_theRightOutlivesTheContinuation() throws {
    var trial = try origin()
    trial.handle(.link(.message(Trial.other, .continued(try trial.notice(9, 3)))))
    #expect(ask(&trial, 20).brought != nil)
    var later = Trial(journal: trial.engine.journal)
    try later.pair()
    try later.show(3)
    #expect(ask(&later, 21).brought != nil)
  }

  /// Only the application knows whether the activity supports streams, and whether it has a delegate; its sentence is
  /// sent to the other device.
  @Test(arguments: [SegueError.Code.accessDenied, .notHandled])
  func T1_theApplicationMayRefuse(_ code: SegueError.Code) throws {
    var trial = try origin()
    let brought = try #require(ask(&trial, 20).brought)
    let error = SegueError(code, "The application's reason.")
    #expect(trial.handle(.door(5, .acceptedStream(brought, error))).streams == [.end(brought, error, tell: 5)])
    #expect(trial.engine.streams.isEmpty)
  }

  @Test func T5_whatHasEndedHasNoNewStreams() throws {
    var trial = try origin()
    let first = try opened(&trial, 20)
    #expect(trial.handle(.door(5, .invalidate(id(3)))).streams.isEmpty)
    #expect(ask(&trial, 21).refusal == .notFound)
    // The open stream goes on.
    #expect(trial.engine.streams[first] != nil)
  }

  /// Another activity has long been current, and this one still lives.
  @Test func T5_whatIsNotOnOfferHasStreams() throws {
    var trial = try origin()
    trial.handle(.door(5, .resign(id(3))))
    _ = trial.wait(Limits.graceTime + 1)
    #expect(trial.engine.origin.local.entries[id(3)] == nil)
    #expect(ask(&trial, 20).streams == [.accept(1, ChannelID(value: 20), activity: id(3), 5)])
  }

  @Test func attack16_theStreamsOfARemovedDeviceEnd() throws {
    var trial = try origin()
    let open = try opened(&trial, 20)
    let brought = try #require(ask(&trial, 21).brought)
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")]))
    #expect(effects.streamEnds == [open, brought])
    #expect(ask(&trial, 22).refusal == .accessDenied)
  }

  @Test func attack33_aDeviceHasSoManyStreams() throws {
    var trial = try origin()
    for continuation in 10...13 { try trial.give(UInt64(continuation), 3) }
    var channel: UInt64 = 100
    for continuation in 10...13 {
      for _ in 0..<Limits.streamsPerContinuation {
        channel += 1
        try opened(&trial, channel, UInt64(continuation))
      }
      #expect(ask(&trial, 200 + channel, UInt64(continuation)).refusal == .limitExceeded)
    }
    // Sixteen are open; a fifth continuation has no room.
    #expect(ask(&trial, 300).refusal == .limitExceeded)
    trial.handle(.stream(.closed(1)))
    #expect(ask(&trial, 301).brought != nil)
    #expect(ask(&trial, 302).refusal == .limitExceeded)
  }

  /// An application that does not answer is handed no more streams, though each request has its end; for each device so
  /// many, so that another one is served.
  @Test func attack37_anApplicationThatDoesNotReadIsBroughtSoMany() throws {
    var trial = try origin()
    try trial.give(10, 3, to: Trial.third)
    func brought(by device: DeviceID, _ continuation: UInt64) -> Int {
      var brought = 0
      for round in 0..<10 {
        for number in 0..<Limits.streamsPerContinuation {
          let channel = 1000 * continuation + UInt64(10 * round + number)
          if ask(&trial, channel, by: device, continuation).brought != nil { brought += 1 }
        }
        _ = trial.wait(Limits.saveTime)
        #expect(trial.engine.streams.inOrder.isEmpty)
      }
      return brought
    }
    #expect(brought(by: Trial.other, 9) == Limits.streamsUnansweredPerDevice)
    #expect(ask(&trial, 2000).refusal == .limitExceeded)
    #expect(brought(by: Trial.third, 10) == Limits.streamsUnansweredPerDevice)
    // After that, it is handed no more streams for any device.
    try trial.pairFourth()
    try trial.give(11, 3, to: Trial.fourth)
    #expect(ask(&trial, 2001, by: Trial.fourth, 11).refusal == .limitExceeded)
    // The application has woken up, and takes streams that are long over.
    for number in 0..<UInt64(Limits.streamsUnanswered) {
      #expect(trial.handle(.door(5, .acceptedStream(number + 1, nil))).isEmpty)
    }
    #expect(ask(&trial, 2002).brought != nil)
  }

  @Test func T4_aStreamThatNobodyUsesEnds() throws {
    var trial = try origin()
    let (unused, used) = (try opened(&trial, 20), try opened(&trial, 21))
    trial.handle(.stream(.used(used)))
    #expect(trial.wait(Limits.streamIdleTime - 1).streams.isEmpty)
    let effects = trial.wait(1)
    #expect(effects.streamEnds == [unused])
    #expect(effects.endError?.code == .limitExceeded)
    #expect(trial.wait(10 * Limits.streamIdleTime).streams.isEmpty)
  }

  /// The link was lost: the application that has a pair gets the reason.
  @Test func T4_aLostDeviceIsAnError() throws {
    var trial = try origin()
    let open = try opened(&trial, 20)
    let lost = SegueError(.connectionUnavailable, "The device no longer answers.")
    #expect(trial.handle(.stream(.failed(open, lost))).streams == [.end(open, lost, tell: 5)])
    // A stream ends once, whatever events follow.
    #expect(trial.handle(.stream(.failed(open, lost))).isEmpty)
    #expect(trial.handle(.stream(.closed(open))).isEmpty)
  }

  /// The process ends before it has taken its pair; an open stream ends behind its last byte.
  @Test func T5_anApplicationThatHasGone() throws {
    var trial = try origin()
    let open = try opened(&trial, 20)
    let brought = try #require(ask(&trial, 21).brought)
    #expect(trial.handle(.door(5, .left)).streamEnds == [brought])
    #expect(trial.engine.streams[open] != nil)
    #expect(ask(&trial, 22).refusal == .notFound)
  }

  // MARK: Where it continues

  /// An application continues activity 7 of the other device, as session 5, and has its state.
  private func continuing(_ numbers: [UInt64] = [7]) throws -> (trial: Trial, continuations: [Identifier]) {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    var continuations: [Identifier] = []
    for number in numbers {
      let offer = try trial.offer(number, sequence: number)
      let effects = trial.handle(.control(1000 + number, .choose(offer.id, nil, activationToken: nil)))
      let launch = try #require(effects.launch)
      let fetch = try #require(effects.fetch).0
      trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2000 + number)))
      trial.handle(.door(5, .claim(ticket: launch.ticket, 3000 + number)))
      let snapshot = Snapshot(id: offer.id, revision: 1, type: offer.type, userInfo: [0xa0])
      trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
      trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
      continuations.append(launch.continuation)
    }
    return (trial, continuations)
  }

  private func open(
    _ trial: inout Trial, _ continuation: Identifier, _ request: RequestID, session: SessionID = 5
  )
    -> [Effect]
  {
    trial.handle(.door(session, .openStream(continuation: continuation, request)))
  }

  @Test func T2_onlyWhatTheApplicationHasContinuedHasStreams() throws {
    var (trial, continuations) = try continuing()
    trial.handle(.door(6, .registered(try appID(), .system)))
    #expect(open(&trial, continuations[0], 10, session: 6).failure(10)?.code == .notFound)
    #expect(open(&trial, id(77), 11).failure(11)?.code == .notFound)
    let effects = open(&trial, continuations[0], 12)
    let request = StreamRequest(continuation: continuations[0], activity: id(7))
    #expect(effects.streams == [.open(1, request, to: Trial.other)])
    let answered = trial.handle(.stream(.answered(1, nil)))
    guard case .stream(1)? = answered.reply(12) else { throw Failure(answered) }
    #expect(answered.streams == [.begin(1)])
  }

  /// The application asks inside continue, before it has finished: the request leaves before the origin is told.
  @Test func T5_whatIsAskedForInsideContinueLeavesFirst() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    let fetch = try #require(chosen.fetch).0
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    // The request fails before the state has arrived.
    #expect(open(&trial, launch.continuation, 3).failure(3)?.code == .notFound)
    trial.handle(.door(5, .claim(ticket: launch.ticket, 4)))
    let snapshot = Snapshot(id: offer.id, revision: 1, type: offer.type, userInfo: [0xa0])
    trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    #expect(open(&trial, launch.continuation, 5).streams.count == 1)
    let finished = trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
    #expect(finished.contains { if case .send(.continued, _) = $0 { true } else { false } })
  }

  @Test func T1_theReasonOfARefusalArrives() throws {
    var (trial, continuations) = try continuing()
    _ = open(&trial, continuations[0], 10)
    let error = SegueError(.notHandled, "No delegate.")
    let effects = trial.handle(.stream(.answered(1, error)))
    #expect(effects.failure(10) == error && effects.streams == [.end(1, error, tell: nil)])
    #expect(trial.engine.streams.isEmpty)
  }

  @Test func T3_aRequestThatNobodyAnswersFails() throws {
    var (trial, continuations) = try continuing()
    _ = open(&trial, continuations[0], 10)
    let effects = trial.wait(Limits.fetchTime)
    #expect(effects.failure(10)?.code == .remoteApplicationTimedOut && effects.streamEnds == [1])
    // A late answer opens nothing.
    #expect(trial.handle(.stream(.answered(1, nil))).isEmpty)
  }

  @Test func T4_withoutALinkThereIsAnError() throws {
    var (trial, continuations) = try continuing()
    trial.handle(.link(.down(Trial.other)))
    #expect(open(&trial, continuations[0], 10).failure(10)?.code == .connectionUnavailable)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    #expect(open(&trial, continuations[0], 11).streams.count == 1)
  }

  @Test func T3_soManyAreOpenAtOnce() throws {
    var (trial, continuations) = try continuing([7, 8, 9, 10, 11])
    var request: RequestID = 10
    for continuation in continuations.prefix(4) {
      for number in 0...Limits.streamsPerContinuation {
        request += 1
        let effects = open(&trial, continuation, request)
        let isTooMany = number == Limits.streamsPerContinuation
        #expect(effects.failure(request)?.code == (isTooMany ? .limitExceeded : nil))
      }
    }
    #expect(open(&trial, continuations[4], 99).failure(99)?.code == .limitExceeded)
    trial.handle(.stream(.failed(3, SegueError(.connectionUnavailable))))
    #expect(open(&trial, continuations[4], 100).streams.count == 1)
  }

  /// The removed device's link is still there.
  @Test func attack16_aRemovedDeviceIsAskedForNoStream() throws {
    var (trial, continuations) = try continuing()
    trial.handle(.paired([]))
    let effects = open(&trial, continuations[0], 10)
    #expect(effects.failure(10) == Engine.removed && effects.streams.isEmpty)
  }

  /// An application can ask for streams by its last continuations only.
  @Test func T2_theLastContinuationsCount() throws {
    let numbers = (0...UInt64(Limits.streamContinuations)).map { (number: UInt64) in number + 10 }
    var (most, first) = try continuing(Array(numbers.dropLast()))
    #expect(open(&most, first[0], 10).streams.count == 1)
    var (trial, continuations) = try continuing(numbers)
    #expect(open(&trial, continuations[0], 10).failure(10)?.code == .notFound)
    #expect(open(&trial, continuations[1], 11).streams.count == 1)
  }

  /// The same holds for the activities of an application that are no longer on offer.
  @Test(arguments: [0, 1]) func T5_theLastActivitiesCount(_ more: Int) throws {
    var trial = try origin()
    trial.handle(.door(5, .resign(id(3))))
    _ = trial.wait(Limits.graceTime + 1)
    #expect(trial.engine.origin.local.entries[id(3)] == nil)
    for number in 1..<UInt64(Limits.streamContinuations + more) { trial.engine.streams.given(id(100 + number), by: 5) }
    let effects = ask(&trial, 20)
    #expect((effects.brought != nil) == (more == 0) && effects.refusal == (more == 0 ? nil : .notFound))
  }

  @Test func T5_whoAskedHasGone() throws {
    var (trial, continuations) = try continuing()
    _ = open(&trial, continuations[0], 10)
    #expect(trial.handle(.door(5, .left)).streamEnds == [1])
    #expect(trial.engine.streams.isEmpty)
  }

  // MARK: On one device

  @Test func T3_bothApplicationsOfOneDeviceGetAPair() throws {
    var trial = try origin()
    trial.handle(.door(6, .registered(try appID(), .system)))
    trial.engine.streams.claimed(
      Streams.Claim(continuation: id(30), session: 6, activity: id(3), source: .here))
    #expect(open(&trial, id(30), 10, session: 6).streams == [.connect(1, activity: id(3), 5)])
    let effects = trial.handle(.door(5, .acceptedStream(1, nil)))
    guard case .stream(1)? = effects.reply(10) else { throw Failure(effects) }
    // The stream's bytes do not pass the daemon: no first byte is awaited.
    #expect(trial.wait(2 * Limits.streamIdleTime).streams.isEmpty)
    // The limits are the same.
    for request in 11..<UInt64(10 + Limits.streamsPerContinuation) {
      #expect(open(&trial, id(30), request, session: 6).failure(request) == nil)
    }
    #expect(open(&trial, id(30), 99, session: 6).failure(99)?.code == .limitExceeded)
    for number in 31...33 {
      trial.engine.streams.claimed(
        Streams.Claim(continuation: id(UInt64(number)), session: 6, activity: id(3), source: .here))
      for request in 0..<4 { _ = open(&trial, id(UInt64(number)), UInt64(1000 + 10 * number + request), session: 6) }
    }
    trial.engine.streams.claimed(Streams.Claim(continuation: id(34), session: 6, activity: id(3), source: .here))
    #expect(open(&trial, id(34), 200, session: 6).failure(200)?.code == .limitExceeded)
    trial.handle(.stream(.closed(1)))
    #expect(open(&trial, id(34), 201, session: 6).failure(201) == nil)
  }

  @Test func streamsInAll() throws {
    var streams = Streams(EngineSettings(device: Trial.own, deviceName: "lap", boot: "boot"))
    var deadlines = Deadlines()
    func stream(_ number: UInt64) -> Streams.Stream {
      Streams.Stream(
        continuation: id(number), activity: id(1), session: number, other: .device(.number(UInt8(number))),
        stage: .asked)
    }
    for number in 1...UInt64(Limits.streams) { _ = try streams.add(stream(number), &deadlines, at: 0) }
    #expect(throws: SegueError.self) { _ = try streams.add(stream(99), &deadlines, at: 0) }
    streams.remove(1, &deadlines)
    #expect(throws: Never.self) { _ = try streams.add(stream(99), &deadlines, at: 0) }
  }
}

extension [Effect] {
  var streams: [StreamEffect] { compactMap { if case .stream(let effect) = $0 { effect } else { nil } } }
  var brought: StreamID? {
    for case .accept(let id, _, _, _) in streams { return id }
    return nil
  }
  var refusal: SegueError.Code? {
    for case .refuse(_, let error) in streams { return error.code }
    return nil
  }
  var streamEnds: [StreamID] { streams.compactMap { if case .end(let id, _, _) = $0 { id } else { nil } } }
  var endError: SegueError? {
    for case .end(_, let error, _) in streams { return error }
    return nil
  }
}
