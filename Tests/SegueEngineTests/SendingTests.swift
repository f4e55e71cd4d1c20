import SegueCore
import Testing

@testable import SegueEngine

/// What one device's user sends to another: who gets it, who is told why not, and what the other one shows.
@Suite struct SendingTests {
  // MARK: The sender

  /// The other device is linked, and takes these kinds.
  private func sender(takes kinds: [Proposal.Kind] = Proposal.Kind.allCases, policy: Policy = Policy()) throws -> Trial
  {
    var trial = Trial(policy: policy)
    try trial.pair()
    try trial.show(7)
    trial.handle(.link(.message(Trial.other, .offers(sequence: 1, [], takes: kinds))))
    return trial
  }

  private func send(
    _ content: Proposal.Content?, to device: DeviceID = Trial.other, as request: RequestID = 9, _ trial: inout Trial
  ) -> [Effect] {
    trial.handle(.control(request, .send(device, content)))
  }

  private func answer(_ proposal: Proposal, refused refusal: SegueError.Code? = nil, _ trial: inout Trial) -> [Effect] {
    trial.handle(.link(.message(Trial.other, .proposed(ProposalAnswer(to: proposal.id, refusal: refusal)))))
  }

  @Test func X11_theNewestIsSentAndTheCallWaitsForTheAnswer() throws {
    var trial = try sender()
    let sent = send(nil, &trial)
    let proposal = try #require(sent.proposals.first)
    #expect(proposal.content == .activity(id(7)) && sent.reply(9) == nil)
    #expect(answer(Proposal(id: id(99), .activity(id(7))), &trial).reply(9) == nil)
    guard case .done? = answer(proposal, &trial).reply(9) else { throw SegueError(.system, "no answer") }
    // The second answer means nothing.
    #expect(answer(proposal, refused: .notFound, &trial).isEmpty)
  }

  @Test func X11_onlyWhatTheDeviceIsOfferedIsSent() throws {
    var withheld = Policy()
    withheld.sharing.applications = [try appID()]
    var trial = try sender(policy: withheld)
    #expect(send(nil, &trial).failure(9)?.code == .notFound)
    #expect(send(.activity(id(7)), &trial).failure(9)?.code == .notFound)
    trial = try sender()
    #expect(send(.activity(id(8)), &trial).failure(9)?.code == .notFound)
    #expect(send(.activity(id(7)), &trial).proposals.count == 1)
    #expect(send(nil, to: Trial.third, &trial).failure(9)?.code == .notFound)
    trial.handle(.link(.down(Trial.other)))
    #expect(send(.text("a"), as: 10, &trial).failure(10)?.code == .connectionUnavailable)
  }

  /// Neither side sends or takes anything while its user has paused.
  @Test func X5_nothingIsSentOrTakenDuringAPause() throws {
    var paused = SharingChoices()
    paused.pause = .untilResumed
    var trial = try sender()
    trial.handle(.sharing(paused))
    #expect(send(nil, &trial).failure(9)?.code == .accessDenied)
    #expect(send(.text("a"), as: 10, &trial).failure(10)?.code == .accessDenied)
    #expect(trial.engine.sendable(at: trial.moment) == nil)
    let answer = trial.handle(.link(.message(Trial.other, .propose(Proposal(id: id(5), .text("a"))))))
    guard
      case .send(.proposed(let said), _)? = answer.first(where: {
        if case .send(.proposed, _) = $0 { true } else { false }
      })
    else { throw Failure(answer) }
    #expect(said.refusal == .accessDenied && trial.engine.receivedTexts.isEmpty)
  }

  @Test func X11_anOlderDeviceIsToldAsSuch() throws {
    var trial = try sender(takes: [])
    let error = try #require(send(nil, &trial).failure(9))
    #expect(error.message == "\"desk\" runs a Segue that does not take proposals.")
    #expect(trial.engine.receivers(of: .activity).isEmpty)
    // One that takes activities alone.
    trial = try sender(takes: [.activity])
    #expect(send(.text("a"), &trial).failure(9)?.code == .versionMismatch)
    #expect(send(nil, as: 10, &trial).proposals.count == 1)
    #expect(trial.engine.receivers(of: .activity).map { $0.name } == ["desk"])
    #expect(trial.engine.receivers(of: .text).isEmpty)
  }

  @Test func X11_whatIsSentRightAfterTheLinkWaitsForTheList() throws {
    var trial = Trial()
    try trial.pair()
    #expect(send(.text("a"), &trial).proposals.isEmpty)
    let heard = trial.handle(.link(.message(Trial.other, .offers(sequence: 1, [], takes: [.text]))))
    #expect(heard.proposals.map { $0.content } == [.text("a")])
  }

  @Test func X11_nobodyWaitsForEver() throws {
    var trial = try sender()
    _ = send(nil, &trial)
    #expect(trial.wait(Limits.proposalTime - 1).failure(9) == nil)
    #expect(trial.wait(1).failure(9)?.message == "\"desk\" has not answered.")
    let ends: [Event] = [.link(.down(Trial.other)), .paired([]), .link(.up(Trial.other, name: "Desk"))]
    for end in ends {
      trial = try sender()
      _ = send(nil, &trial)
      #expect(trial.handle(end).failure(9)?.code == .connectionUnavailable)
    }
    trial = try sender()
    for request in 0..<UInt64(Limits.proposalsWaiting) { #expect(send(nil, as: request, &trial).proposals.count == 1) }
    #expect(send(nil, as: 99, &trial).failure(99)?.code == .limitExceeded)
  }

  @Test func X11_aRefusalIsASentence() throws {
    for code in [SegueError.Code.limitExceeded, .accessDenied, .noApplication, .notFound, .system] {
      var trial = try sender()
      let proposal = try #require(send(nil, &trial).proposals.first)
      let error = try #require(answer(proposal, refused: code, &trial).failure(9))
      #expect(error.message.contains("\"desk\"") && !error.advice.isEmpty)
    }
  }

  @Test func X11_aTextIsCleanedAndBounded() throws {
    var trial = try sender()
    let sent = send(.text("a\u{1B}[2J\tb\r\nc\u{202E}"), &trial)
    #expect(sent.proposals.map { $0.content } == [.text("a[2J\tb\nc")])
    for text in ["", " \n\t", "\u{1}"] { #expect(send(.text(text), &trial).failure(9)?.code == .invalidArgument) }
    let long = String(repeating: "x", count: Limits.sentText)
    #expect(send(.text(long), as: 10, &trial).proposals.count == 1)
    #expect(send(.text(long + "x"), as: 11, &trial).failure(11)?.code == .limitExceeded)
  }

  @Test func X11_aFailureOfASurfaceIsShown() throws {
    var trial = try sender(takes: [])
    #expect(trial.handle(.sendPicked(Trial.other, id(7))).shown.map { $0.key } == [.sendFailure(Trial.other)])
    trial = try sender()
    let proposal = try #require(trial.handle(.sendPicked(Trial.other, id(7))).proposals.first)
    #expect(answer(proposal, &trial).shown.isEmpty)
  }

  @Test func X13_aLinkThatASurfaceHasNotSentIsShown() throws {
    var trial = try sender()
    let shown = trial.handle(.linkNotSent(SegueError(.handoffFailed, "no"))).shown
    #expect(shown.map { $0.key } == [.linkFailure])
  }

  /// GNOME shows what is not urgent below its clock alone.
  @Test func X11_whatWasSentMayInterruptAndWhatIsOnOfferMayNot() {
    let offers = [true, false].map {
      Notice.offer(.browser, title: "Page", pageHost: nil, origin: "desk", isSent: $0).mayInterrupt
    }
    #expect(offers == [true, false])
    #expect(Notice.text("a", origin: "desk").mayInterrupt)
    #expect(!Notice.progress(.browser, title: nil, origin: "desk").mayInterrupt)
  }

  @Test func X11_aLockedScreenSendsNothingFromASurface() throws {
    var trial = try sender()
    let sendable = try #require(trial.engine.sendable(at: trial.moment))
    #expect(sendable.id == id(7) && sendable.title == "Here" && sendable.receivers.map { $0.name } == ["desk"])
    trial.handle(.locked(true))
    #expect(trial.engine.sendable(at: trial.moment) == nil)
  }

  // MARK: The receiver

  private func receiver(_ rule: ReceivingRule = .ask, showsOffers: Bool = false) throws -> Trial {
    var trial = Trial(showsOffers: showsOffers)
    try trial.pair()
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "desk", receiving: rule)]))
    _ = try trial.offer(1)
    return trial
  }

  private func propose(_ content: Proposal.Content, id number: UInt64 = 50, _ trial: inout Trial) -> [Effect] {
    trial.handle(.link(.message(Trial.other, .propose(Proposal(id: id(number), content)))))
  }

  private let key = Notices.Key.offer(OfferID(device: Trial.other, activity: Identifier(high: 0, low: 1)))

  @Test func X11_whatIsSentIsShownAtOnceAndAClickContinuesIt() throws {
    var trial = try receiver()
    let effects = propose(.activity(id(1)), &trial)
    #expect(effects.shown.map { $0.key } == [key] && effects.launch == nil)
    #expect(effects.shown.first?.notice.lines == ["A page", "Sent from desk"])
    #expect(effects.answers == [ProposalAnswer(to: id(50))])
    // It stays as it is while the list comes again.
    trial.handle(.link(.message(Trial.other, .offers(sequence: 2, [try other(1)], takes: []))))
    let clicked = trial.handle(.notice(.invoked(key, .continue, activationToken: "token")))
    #expect(clicked.launch?.activationToken == "token" && clicked.closed == [key])
  }

  private func other(_ number: UInt64) throws -> Offer {
    Offer(id: id(number), revision: 1, type: try type(), appID: try appID(), title: "A page")
  }

  @Test func X11_theCardGoesWithTheOfferAndTheDevice() throws {
    let ends: [Event] = [
      .link(.message(Trial.other, .offers(sequence: 2, []))), .paired([]), .link(.down(Trial.other)),
    ]
    for end in ends {
      var trial = try receiver()
      _ = propose(.activity(id(1)), &trial)
      #expect(trial.handle(end).closed == [key])
      // A click that comes after the time in which what was withdrawn can still be taken (V14).
      _ = trial.wait(60_000)
      let late = trial.handle(.notice(.invoked(key, .continue, activationToken: nil)))
      #expect(late.launch == nil)
    }
  }

  @Test func X11_aHiddenOfferIsShownWhenItIsSent() throws {
    var trial = try receiver(showsOffers: true)
    trial.handle(.notice(.closed(key)))
    #expect(propose(.activity(id(1)), &trial).shown.map { $0.key } == [key])
    // It was dismissed again, and does not come back by itself.
    trial.handle(.notice(.closed(key)))
    #expect(trial.handle(.link(.message(Trial.other, .offers(sequence: 2, [try other(1)])))).shown.isEmpty)
  }

  @Test func X11_itOpensWithoutAClickOnlyWhereThatIsAllowed() throws {
    var trial = try receiver(.open)
    let opened = propose(.activity(id(1)), &trial)
    #expect(opened.launch != nil && opened.shown.isEmpty && opened.answers == [ProposalAnswer(to: id(50))])
    // Something is under way now, which is not given up.
    _ = try trial.offer(2, sequence: 2)
    let second = propose(.activity(id(2)), id: 51, &trial)
    #expect(second.launch == nil && second.shown.count == 1)
  }

  @Test func X11_refusedIsToldAndNotShown() throws {
    var trial = try receiver(.refuse)
    for content in [Proposal.Content.activity(id(1)), .text("a")] {
      let effects = propose(content, &trial)
      #expect(effects.answers.map { $0.refusal } == [.accessDenied] && effects.shown.isEmpty)
    }
    #expect(trial.engine.receivedTexts.isEmpty)
  }

  @Test func X11_whatIsNotOnOfferOrHasNoApplicationIsRefused() throws {
    var trial = try receiver()
    #expect(propose(.activity(id(5)), &trial).answers.map { $0.refusal } == [.notFound])
    trial.handle(.applications(ApplicationIndex()))
    let effects = propose(.activity(id(1)), &trial)
    #expect(effects.answers.map { $0.refusal } == [.noApplication] && effects.shown.isEmpty)
  }

  @Test(arguments: [ReceivingRule.ask, .open]) func X11_aLockedScreenShowsNothing(_ rule: ReceivingRule) throws {
    var trial = try receiver(rule)
    trial.handle(.locked(true))
    for content in [Proposal.Content.activity(id(1)), .text("a")] {
      let effects = propose(content, &trial)
      // The sender does not learn that it is locked.
      #expect(effects.answers == [ProposalAnswer(to: id(50))])
      #expect(effects.shown.isEmpty && effects.launch == nil && effects.shownTexts.isEmpty)
    }
    let unlocked = trial.handle(.locked(false))
    let text = try #require(trial.engine.receivedTexts.first).text
    #expect(unlocked.shown.map { $0.key } == [key, .text(text.id)] && unlocked.launch == nil)
    #expect(trial.handle(.locked(true)).shown.isEmpty && trial.handle(.locked(false)).shown.isEmpty)
    // The offer that has ended meanwhile is not shown.
    trial.handle(.locked(true))
    _ = propose(.activity(id(1)), &trial)
    trial.handle(.link(.message(Trial.other, .offers(sequence: 9, []))))
    #expect(trial.handle(.locked(false)).shown.isEmpty)
  }

  @Test func attack34_whoSendsWithoutEndDisturbsNobody() throws {
    var trial = try receiver()
    var (shown, refused) = (0, 0)
    for number in 0..<1_000 {
      let effects = propose(number % 2 == 0 ? .text("\(number)") : .activity(id(1)), &trial)
      shown += effects.shown.count
      refused += effects.answers.count { $0.refusal == .limitExceeded }
    }
    #expect(shown == Limits.proposalsPerMinute && refused == 1_000 - Limits.proposalsPerMinute)
    #expect(trial.wait(59_999).shown.isEmpty && propose(.text("a"), &trial).answers.first?.refusal == .limitExceeded)
    _ = trial.wait(1)
    #expect(propose(.text("a"), &trial).answers == [ProposalAnswer(to: id(50))])
  }

  // MARK: Texts

  @Test func X11_aTextIsShownAndReadByAClick() throws {
    var trial = try receiver()
    let effects = propose(.text("Platform 7\n18:04"), &trial)
    let text = try #require(trial.engine.receivedTexts.first)
    #expect(text.text.text == "Platform 7\n18:04" && text.deviceName == "desk")
    #expect(effects.shown.map { $0.key } == [.text(text.text.id)] && effects.shownTexts.isEmpty)
    let read = trial.handle(.notice(.invoked(.text(text.text.id), .read, activationToken: "token")))
    #expect(read.shownTexts == [text.text.id])
    let error = SegueError(.noApplication, "There is no window.")
    #expect(trial.handle(.textNotShown(text.text.id, error)).shown.map { $0.key } == [.textFailure(text.text.id)])
  }

  @Test func X11_aTextOpensAtOnceWhereThatIsAllowed() throws {
    var trial = try receiver(.open)
    let effects = propose(.text("a"), &trial)
    #expect(effects.shownTexts == trial.engine.receivedTexts.map { $0.text.id } && effects.shown.isEmpty)
  }

  @Test func X11_textsAreKeptForAWhile() throws {
    var trial = try receiver()
    for number in 0...Limits.textsPerDevice {
      _ = propose(.text("\(number)"), &trial)
      _ = trial.wait(60_000)
    }
    #expect(trial.engine.receivedTexts.map { $0.text.text } == (1...Limits.textsPerDevice).reversed().map { "\($0)" })
    _ = trial.wait(Limits.textTime - 60_001)
    #expect(trial.engine.receivedTexts.count == 1)
    #expect(trial.wait(1).closed.count == 1 && trial.engine.receivedTexts.isEmpty)
  }

  @Test func X11_theTextsOfARemovedDeviceAreForgotten() throws {
    var trial = try receiver()
    _ = propose(.text("a"), &trial)
    let text = try #require(trial.engine.receivedTexts.first).text.id
    #expect(trial.handle(.paired([])).closed == [.text(text)] && trial.engine.receivedTexts.isEmpty)
    #expect(propose(.text("b"), &trial).isEmpty && trial.engine.receivedTexts.isEmpty)
  }
}

extension [Effect] {
  fileprivate var proposals: [Proposal] {
    compactMap { if case .send(.propose(let proposal), Trial.other) = $0 { proposal } else { nil } }
  }
  fileprivate var answers: [ProposalAnswer] {
    compactMap { if case .send(.proposed(let answer), Trial.other) = $0 { answer } else { nil } }
  }
  fileprivate var shown: [(key: Notices.Key, notice: Notice)] {
    compactMap { if case .showNotice(let key, let notice) = $0 { (key, notice) } else { nil } }
  }
  fileprivate var closed: [Notices.Key] { compactMap { if case .closeNotice(let key) = $0 { key } else { nil } } }
  fileprivate var shownTexts: [Identifier] {
    compactMap { if case .showText(let id, _) = $0 { id } else { nil } }
  }
}
