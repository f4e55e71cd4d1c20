import SegueCore
import Testing

@testable import SegueEngine

/// Another device repeats an activity's id: its offer is not taken for the first one's (semantics C16).
@Suite struct OfferIdentityTests {
  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    return trial
  }

  private func choose(
    _ number: UInt64, of device: DeviceID? = nil, _ trial: inout Trial, _ request: RequestID = 1
  ) -> [Effect] {
    trial.handle(.control(request, .choose(id(number), of: device, nil, activationToken: nil)))
  }

  @Test func C16_anIdOfSeveralDevicesIsNotGuessed() throws {
    for first in [Trial.other, Trial.third] {
      var trial = try trial()
      let second = first == Trial.other ? Trial.third : Trial.other
      _ = try trial.offer(7, of: first)
      _ = try trial.offer(7, of: second)
      #expect(trial.engine.list(at: trial.moment).map { $0.device }.sorted() == [Trial.other, Trial.third])
      let refused = choose(7, &trial)
      #expect(refused.failure(1)?.code == .invalidArgument && refused.launch == nil && refused.fetchOrigins.isEmpty)
      #expect(refused.failure(1)?.message.contains("\"desk\", \"tower\".") == true)
      #expect(choose(7, of: first, &trial, 2).fetchOrigins == [first])
      // Choosing the other device's offer is another choice.
      #expect(choose(7, of: second, &trial, 3).fetchOrigins == [second])
    }
  }

  /// Both devices are paired, and were so before the start: neither has been heard yet.
  private func started() throws -> Trial {
    var trial = Trial()
    var index = ApplicationIndex()
    index.set(try appID(), to: try application())
    trial.handle(.applications(index))
    trial.handle(
      .paired([
        Event.PairedName(device: Trial.other, name: "desk"), Event.PairedName(device: Trial.third, name: "tower"),
      ]))
    trial.handle(.loaded([]))
    return trial
  }

  /// The device that links first after the start is not taken for the one that the id belongs to.
  @Test func C16_anIdIsNotGuessedBeforeAllDevicesHaveBeenHeard() throws {
    var trial = try started()
    trial.handle(.link(.up(Trial.third, name: "Tower")))
    _ = try trial.offer(7, of: Trial.third)
    let early = choose(7, &trial)
    #expect(early.fetchOrigins.isEmpty && early.reply(1) == nil)
    // A choice that names the device need not wait.
    #expect(choose(7, of: Trial.third, &trial, 2).fetchOrigins == [Trial.third])
    trial = try started()
    trial.handle(.link(.up(Trial.third, name: "Tower")))
    _ = try trial.offer(7, of: Trial.third)
    _ = choose(7, &trial)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    _ = try trial.offer(7, of: Trial.other)
    #expect(trial.last.failure(1)?.code == .invalidArgument && trial.last.fetchOrigins.isEmpty)
  }

  /// The choice waits until the other device has been heard, or is not reached, or the first dials are over, and no
  /// longer.
  @Test func X9_anIdAloneWaitsNoLongerThanTheFirstDials() throws {
    let ends: [(inout Trial) throws -> [Effect]] = [
      {
        $0.handle(.link(.up(Trial.other, name: "Desk")))
        return $0.handle(.link(.message(Trial.other, .offers(sequence: 1, []))))
      },
      { $0.handle(.link(.unreached(Trial.other, isSilent: true))) },
      { $0.wait(Limits.firstDialsTime) },
    ]
    for end in ends {
      var trial = try started()
      trial.handle(.link(.up(Trial.third, name: "Tower")))
      _ = try trial.offer(7, of: Trial.third)
      #expect(choose(7, &trial).fetchOrigins.isEmpty)
      #expect(try end(&trial).fetchOrigins == [Trial.third])
    }
  }

  /// A choice joins a running continuation at once.
  @Test func X9_anIdThatIsUnderWayIsJoinedBeforeTheDialsAreOver() throws {
    var trial = try started()
    trial.handle(.link(.up(Trial.third, name: "Tower")))
    _ = try trial.offer(7, of: Trial.third)
    #expect(choose(7, of: Trial.third, &trial, 2).fetchOrigins == [Trial.third])
    let joined = choose(7, &trial)
    #expect(joined.fetchOrigins.isEmpty && joined.reply(1) == nil)
    #expect(trial.engine.continuations.inOrder.map { $0.waiting.count } == [2])
  }

  // MARK: An activity's origin

  /// The application continues the device's activity, and offers one of its own that was made from it. Returns the
  /// effects.
  private func goOn(_ activity: UInt64, as own: UInt64, of device: DeviceID, _ trial: inout Trial) throws -> [Effect] {
    let chosen = choose(activity, of: device, &trial)
    let (fetch, launch) = (try #require(chosen.fetch), try #require(chosen.launch))
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    let snapshot = Snapshot(id: id(activity), revision: 1, type: try type(), userInfo: [0xa0])
    trial.handle(.link(.fetchAnswered(fetch.0, .snapshot(snapshot))))
    var made = DoorActivity(
      id: id(own), revision: 1, type: try type(), title: "Here", webHost: nil, isEligible: true)
    made.continuedFrom = ActivityReference(id: id(activity), revision: 1)
    // The application offers the activity before it reports that it has restored it.
    let told = trial.handle(.door(5, .setCurrent(made, 1)))
    return told + trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
  }

  /// The source of the newest activity here, as each device is told.
  private func origins(_ effects: [Effect]) -> [DeviceID: ActivityReference?] {
    var found: [DeviceID: ActivityReference?] = [:]
    for case .send(.offers(_, let offers, _), let device) in effects {
      if let offer = offers.first { found[device] = .some(offer.continuedFrom) }
    }
    return found
  }

  /// Otherwise a device that repeats another one's id could have that device hide what it should show.
  @Test func C16_onlyTheDeviceThatItWasTakenFromIsToldWhatAnActivityWasMadeFrom() throws {
    for device in [Trial.other, Trial.third] {
      let another = device == Trial.other ? Trial.third : Trial.other
      var trial = try trial()
      _ = try trial.offer(7, of: device)
      let made = ActivityReference(id: id(7), revision: 1)
      let told = origins(try goOn(7, as: 8, of: device, &trial))
      #expect(told[device] == .some(made) && told[another] == .some(nil), "\(told)")
      // The same holds on a new link, and for the next daemon, which has the journal.
      for peer in [device, another] {
        trial.handle(.link(.down(peer)))
        let again = origins(trial.handle(.link(.up(peer, name: "x"))))
        #expect(again[peer] == .some(peer == device ? made : nil))
      }
    }
  }

  @Test func V15_whatAnActivityWasMadeFromIsToldAfterARestartToo() throws {
    var before = try trial()
    _ = try before.offer(7, of: Trial.third)
    _ = try goOn(7, as: 8, of: Trial.third, &before)
    var trial = Trial(journal: before.engine.journal)
    try trial.pairTwo()
    trial.handle(.door(5, .registered(try appID(), .system)))
    var made = DoorActivity(id: id(8), revision: 1, type: try type(), title: "Here", webHost: nil, isEligible: true)
    made.continuedFrom = ActivityReference(id: id(7), revision: 1)
    let told = origins(trial.handle(.door(5, .setCurrent(made, 1))))
    #expect(told[Trial.third] == .some(made.continuedFrom) && told[Trial.other] == .some(nil))
  }

  /// If one id and state was taken from both devices, the last one counts.
  @Test func C16_whatWasTakenFromTwoIsToldToTheLast() throws {
    var journal = ContinuationJournal()
    let state = ActivityReference(id: id(7), revision: 3)
    journal.take(id(7), of: Trial.other, revision: 3)
    #expect(journal.wasTaken(state, of: Trial.other) && !journal.wasTaken(state, of: Trial.third))
    #expect(!journal.wasTaken(ActivityReference(id: id(7), revision: 2), of: Trial.other))
    journal.take(id(7), of: Trial.third, revision: 3)
    #expect(!journal.wasTaken(state, of: Trial.other) && journal.wasTaken(state, of: Trial.third))
    // An activity of this device's own belongs to neither.
    journal.take(id(7), of: nil, revision: 3)
    #expect(!journal.wasTaken(state, of: Trial.other) && !journal.wasTaken(state, of: Trial.third))
  }

  /// Devices may have chosen the names in a sentence themselves.
  @Test func attack35_aDevicesNameIsQuotedInASentence() throws {
    var trial = Trial()
    var index = ApplicationIndex()
    index.set(try appID(), to: try application())
    trial.handle(.applications(index))
    trial.handle(
      .paired([Trial.other, Trial.third].map { Event.PairedName(device: $0, name: "") }))
    trial.handle(.loaded([]))
    trial.handle(.link(.up(Trial.other, name: "desk\" is safe")))
    trial.handle(.link(.up(Trial.third, name: "tower, lap")))
    try trial.show(3)
    let sentences = try trial.engine.explain("", at: trial.moment).map(\.sentence)
    #expect(sentences.contains("\"desk' is safe\" is offered it."))
    #expect(sentences.contains("\"tower, lap\" is offered it."))
    _ = try trial.offer(7, of: Trial.other)
    _ = try trial.offer(7, of: Trial.third)
    let message = choose(7, &trial).failure(1)?.message
    #expect(message == "Several devices have an activity with this id: \"desk' is safe\", \"tower, lap\".")
  }

  /// An offer whose device is out of reach for a moment counts too.
  @Test func C16_anIdIsNotTakenOverWhileItsDeviceIsAway() throws {
    var trial = try trial()
    _ = try trial.offer(7, of: Trial.other)
    _ = try trial.offer(7, of: Trial.third)
    trial.handle(.link(.down(Trial.other)))
    #expect(choose(7, &trial).failure(1)?.code == .invalidArgument)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    trial.handle(.link(.message(Trial.other, .offers(sequence: 1, []))))
    #expect(choose(7, &trial).failure(1)?.code == .invalidArgument)
  }

  @Test func C16_anIdOfThisDeviceIsNotTakenOver() throws {
    var trial = try trial()
    try trial.show(3)
    trial.handle(.link(.message(Trial.other, .offers(sequence: 1, []))))
    _ = try trial.offer(3, of: Trial.third)
    #expect(choose(3, &trial).failure(1)?.code == .invalidArgument)
    #expect(choose(3, of: Trial.own, &trial, 2).fetchOrigins.isEmpty)
    #expect(choose(3, of: Trial.third, &trial, 3).fetchOrigins == [Trial.third])
  }

  @Test func C16_aDeviceThatDoesNotHaveItIsNotAsked() throws {
    var trial = try trial()
    _ = try trial.offer(7, of: Trial.third)
    let refused = choose(7, of: Trial.other, &trial)
    #expect(refused.fetchOrigins.isEmpty && refused.launch == nil)
    #expect(trial.wait(Limits.fetchTime).failure(1)?.code == .notFound)
  }

  @Test func C16_aNotificationChoosesItsOwnDevicesOffer() throws {
    for device in [Trial.other, Trial.third] {
      var trial = try trial()
      _ = try trial.offer(7, of: Trial.other)
      _ = try trial.offer(7, of: Trial.third)
      let key = Notices.Key.offer(OfferID(device: device, activity: id(7)))
      let chosen = trial.handle(.notice(.invoked(key, .continue, activationToken: nil)))
      #expect(chosen.fetchOrigins == [device])
      let closed = chosen.compactMap { if case .closeNotice(let key) = $0 { key } else { nil } }
      #expect(closed == [key])
    }
  }

  /// The continued offer of one device is hidden, another device's with the same id is not.
  @Test func C16_whatWasContinuedOfOneDeviceHidesNothingOfAnother() throws {
    var trial = try trial()
    _ = try trial.offer(7, of: Trial.other)
    _ = try trial.offer(7, of: Trial.third)
    let chosen = choose(7, of: Trial.third, &trial)
    let (fetch, launch) = (try #require(chosen.fetch), try #require(chosen.launch))
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    let snapshot = Snapshot(id: id(7), revision: 1, type: try type(), userInfo: [0xa0])
    trial.handle(.link(.fetchAnswered(fetch.0, .snapshot(snapshot))))
    trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
    #expect(trial.engine.list(at: trial.moment).map { $0.device } == [Trial.other])
    #expect(trial.engine.journal.untold.map { $0.device } == [Trial.third])
  }

  /// 32 offers with one id count as one.
  @Test func C16_anIdThatIsSaidAgainCountsOnce() throws {
    var trial = try trial()
    let offers = try (0..<32).map {
      Offer(id: id(7), revision: 1, type: try type(), appID: try appID(), title: "\($0)")
    }
    trial.handle(.link(.message(Trial.other, .offers(sequence: 1, offers))))
    #expect(trial.engine.list(at: trial.moment).map { $0.offer.title } == ["0"])
  }
}
