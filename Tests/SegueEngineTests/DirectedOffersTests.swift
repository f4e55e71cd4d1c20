import SegueCore
import Testing

@testable import SegueEngine

/// The activities of an application that are only for the device that they were sent to (semantics X12).
@Suite struct DirectedOffersTests {
  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    for device in [Trial.other, Trial.third] {
      trial.handle(.link(.message(device, .offers(sequence: 1, [], takes: Proposal.Kind.allCases))))
    }
    trial.handle(.door(6, .registered(try appID("org.segue.Files"), .system)))
    return trial
  }

  private func show(_ number: UInt64, _ trial: inout Trial) throws -> [Effect] {
    let activity = DoorActivity(
      id: id(number), revision: 1, type: try type("org.segue.files"), title: "a.pdf", webHost: nil, isEligible: true)
    return trial.handle(.door(6, .setCurrent(activity, 1))) + trial.wait(Limits.announceInterval)
  }

  private func lists(_ effects: [Effect], to device: DeviceID) -> [[Identifier]] {
    effects.compactMap {
      if case .send(.offers(_, let offers, _), device) = $0 { offers.map(\.id) } else { nil }
    }
  }

  @Test func X12_onlyTheDeviceThatItIsSentToSeesIt() throws {
    var trial = try trial()
    let shown = try show(7, &trial)
    #expect(shown.sentOffers.allSatisfy { $0.isEmpty })
    let sent = trial.handle(.control(9, .send(Trial.other, .activity(id(7)))))
    #expect(lists(sent, to: Trial.other) == [[id(7)]] && lists(sent, to: Trial.third).isEmpty)
    #expect(sent.proposals.count == 1)
    let later = try show(8, &trial)
    #expect(lists(later, to: Trial.third).allSatisfy { $0.isEmpty })
    let row = trial.engine.activities(at: trial.moment)
    #expect(row.count == 2)
  }

  @Test func X12_severalAreOnOfferAtOnce() throws {
    var trial = try trial()
    _ = try show(7, &trial)
    trial.handle(.control(9, .send(Trial.other, .activity(id(7)))))
    _ = try show(8, &trial)
    let sent = trial.handle(.control(10, .send(Trial.other, .activity(id(8)))))
    #expect(lists(sent, to: Trial.other) == [[id(8), id(7)]])
    // The end of one leaves the other.
    let ended = trial.handle(.door(6, .invalidate(id(7)))) + trial.wait(Limits.announceInterval)
    #expect(lists(ended, to: Trial.other).last == [id(8)])
  }

  @Test func X12_nobodyElseMayFetchIt() throws {
    var trial = try trial()
    _ = try show(7, &trial)
    trial.handle(.control(9, .send(Trial.other, .activity(id(7)))))
    let request = FetchRequest(continuation: id(50), activity: id(7), appID: try appID("org.segue.Files"))
    let refused = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.third, request)))
    #expect(refused.saves.isEmpty)
    guard case .failure(let error)? = refused.fetchAnswers.first else { throw SegueError(.system, "no answer") }
    #expect(error.code == .handoffFailed)
    #expect(trial.handle(.link(.fetchAsked(ChannelID(value: 2), Trial.other, request))).saves.count == 1)
  }

  @Test func X12_whatIsRefusedIsNotOnOfferAnyMore() throws {
    var trial = try trial()
    _ = try show(7, &trial)
    let sent = trial.handle(.control(9, .send(Trial.other, .activity(id(7)))))
    let proposal = try #require(sent.proposals.first)
    let refused = trial.handle(
      .link(.message(Trial.other, .proposed(ProposalAnswer(to: proposal.id, refusal: .accessDenied)))))
    #expect(refused.failure(9) != nil)
    let later = refused + trial.wait(Limits.announceInterval)
    #expect(lists(later, to: Trial.other).last == [])
    let rows = try trial.engine.explain(id(7).hex, refusals: [:], at: trial.moment)
    #expect(rows.filter { $0.receiver == Trial.other }.map(\.reason) == ["not-sent-there"])
  }

  @Test func X12_noOtherWayShowsIt() throws {
    var trial = try trial()
    _ = try show(7, &trial)
    #expect(trial.handle(.control(9, .send(Trial.other, nil))).failure(9)?.code == .notFound)
    #expect(trial.engine.sendable(at: trial.moment) == nil && trial.engine.list(at: trial.moment).isEmpty)
    trial.handle(.control(10, .send(Trial.other, .activity(id(7)))))
    #expect(trial.handle(.control(11, .send(Trial.other, nil))).failure(11)?.code == .notFound)
    let rows = try trial.engine.explain(id(7).hex, refusals: [:], at: trial.moment)
    #expect(rows.filter { $0.receiver == Trial.other }.map(\.reason) == ["offered"])
    #expect(rows.filter { $0.receiver == Trial.third }.map(\.reason) == ["not-sent-there"])
  }

  @Test func X12_aRemovedDeviceDoesNotSeeItAgain() throws {
    var trial = try trial()
    _ = try show(7, &trial)
    trial.handle(.control(9, .send(Trial.other, .activity(id(7)))))
    trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")]))
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "desk")]))
    let linked = trial.handle(.link(.up(Trial.other, name: "Desk")))
    #expect(lists(linked, to: Trial.other).allSatisfy { $0.isEmpty })
  }
}

extension [Effect] {
  fileprivate var proposals: [Proposal] {
    compactMap { if case .send(.propose(let proposal), _) = $0 { proposal } else { nil } }
  }
}
