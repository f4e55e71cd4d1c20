import SegueCore
import SegueEngine
import Testing

@Suite struct ContinuationMachineTests {
  typealias Step = (event: ContinuationMachine.Event, effects: [ContinuationMachine.Effect])

  private let snapshot = Snapshot(id: Identifier(high: 1, low: 2), revision: 1, type: .browsingWeb, userInfo: [0xa0])
  private let lost = SegueError(.connectionUnavailable, "lost")
  private let gone = SegueError(.applicationExited, "gone")
  private let start: [ContinuationMachine.Effect] = [
    .start(.fetch), .start(.launch), .start(.notResponding), .fetch, .launch,
  ]
  private let accept: [ContinuationMachine.Effect] = [
    .stop(.launch), .stop(.notResponding), .acceptBegin, .start(.claim),
  ]

  private func check(_ steps: [Step], at location: SourceLocation = #_sourceLocation) {
    var machine = ContinuationMachine()
    for (number, step) in steps.enumerated() {
      #expect(machine.handle(step.event) == step.effects, "step \(number): \(step.event)", sourceLocation: location)
    }
  }

  /// The machine after these events, and the effects of the last one by their names: the sentences are not the test's.
  private func after(_ events: [ContinuationMachine.Event]) -> (machine: ContinuationMachine, effects: [String]) {
    var machine = ContinuationMachine()
    var effects: [String] = []
    for event in events { effects = machine.handle(event).map { name($0) } }
    return (machine, effects)
  }

  private func name(_ effect: ContinuationMachine.Effect) -> String {
    switch effect {
    case .start(let timer): "start \(timer)"
    case .stop(let timer): "stop \(timer)"
    case .refuseBegin(let error): "refuseBegin \(error.code.name)"
    case .failClaim(let error): "failClaim \(error.code.name)"
    case .refuseClaim(let error): "refuseClaim \(error.code.name)"
    case .answerClaim: "answerClaim"
    case .ended(let error, let told): "ended \(error?.code.name ?? "well") \(told ? "told" : "untold")"
    default: "\(effect)"
    }
  }

  @Test func V2_launchAndFetchRunSideBySide_payloadFirst() {
    check([
      (.chosen, start), (.fetched(snapshot), [.stop(.fetch)]), (.begin, accept),
      (.claim, [.stop(.claim), .answerClaim(snapshot), .start(.finish)]),
      (
        .finished(handled: true), [.stop(.finish), .tellOrigin(inBrowser: false), .ended(nil, toldByApplication: true)]
      ),
    ])
  }

  @Test func V2_launchAndFetchRunSideBySide_claimFirst() {
    check([
      (.chosen, start), (.begin, accept), (.claim, []),
      (.fetched(snapshot), [.stop(.fetch), .stop(.claim), .answerClaim(snapshot), .start(.finish)]),
      (
        .finished(handled: true), [.stop(.finish), .tellOrigin(inBrowser: false), .ended(nil, toldByApplication: true)]
      ),
    ])
  }

  @Test func V7_thePageOfWhatTheApplicationRefusesOpensInABrowser() throws {
    var paged = snapshot
    paged.webpageURL = "https://example.org/"
    paged.userInfo = [0xA0]
    let page = try #require(WebURL("https://example.org/"))
    let none = SegueError(.notHandled, "no browser")
    let delivered: [ContinuationMachine.Event] = [.chosen, .fetched(paged), .begin, .claim, .finished(handled: false)]
    let before: [(ContinuationMachine.Event, [ContinuationMachine.Effect])] = [
      (.chosen, start), (.fetched(paged), [.stop(.fetch)]), (.begin, accept),
      (.claim, [.stop(.claim), .answerClaim(paged), .start(.finish)]),
      (.finished(handled: false), [.stop(.finish), .openBrowser(page)]),
    ]
    // The application's end and another choice do not matter any more, and nobody claims again.
    check(
      before + [
        (.applicationGone, []), (.superseded, []), (.expired(.finish), []), (.finished(handled: true), []),
        (.openedInBrowser, [.tellOrigin(inBrowser: true), .ended(nil, toldByApplication: true)]),
        (.openedInBrowser, []),
      ])
    check(before + [(.noBrowser(none), [.ended(none, toldByApplication: false)]), (.openedInBrowser, [])])
    #expect(after(delivered + [.claim]).effects == ["refuseClaim NotFound"])
    // V1: without a page the user is told, and the origin hears nothing.
    let plain = after([.chosen, .fetched(snapshot), .begin, .claim, .finished(handled: false)])
    #expect(plain.effects == ["stop finish", "ended NotHandled untold"])
    var foreign = snapshot
    foreign.document = .elsewhere
    var machine = ContinuationMachine()
    for event: ContinuationMachine.Event in [.chosen, .fetched(foreign), .begin, .claim] { _ = machine.handle(event) }
    guard case .ended(let error?, _)? = machine.handle(.finished(handled: false)).last else {
      return #expect(Bool(false), "it does not end")
    }
    #expect(error.message.contains("in no folder that both devices share"))
  }

  /// Whether the application has begun or not: nobody waits for it.
  @Test func attack16_whatIsNotDeliveredEndsWithItsDevice() {
    let stops: [ContinuationMachine.Effect] = [.stop(.fetch), .cancelFetch]
    check([
      (.chosen, start),
      (.originGone(gone), stops + [.stop(.launch), .stop(.notResponding), .ended(gone, toldByApplication: false)]),
      (.originGone(gone), []),
    ])
    check([
      (.chosen, start), (.begin, accept), (.claim, []),
      (.originGone(gone), stops + [.stop(.claim), .failClaim(gone), .ended(gone, toldByApplication: true)]),
    ])
  }

  @Test func W1_withoutAnApplicationThePageIsFetchedAndOpens() throws {
    var paged = snapshot
    paged.webpageURL = "https://example.org/"
    // The browser gets the page alone: no file is waited for.
    paged.files = [ContainerFile(url: "file:///a", container: "c", path: "a")]
    let page = try #require(WebURL("https://example.org/"))
    let cancelled = SegueError(.userCancelled, "Something else was chosen.")
    func check(_ steps: [Step]) {
      var machine = ContinuationMachine(.page)
      for (number, step) in steps.enumerated() {
        #expect(machine.handle(step.event) == step.effects, "step \(number): \(step.event)")
      }
    }
    let fetches: [Step] = [(.chosen, [.start(.fetch), .fetch]), (.expired(.launch), []), (.applicationGone, [])]
    let opens: [Step] = fetches + [(.fetched(paged), [.stop(.fetch), .openBrowser(page)]), (.superseded, [])]
    check(
      opens + [(.openedInBrowser, [.tellOrigin(inBrowser: true), .ended(nil, toldByApplication: true)])])
    check(opens + [(.noBrowser(lost), [.ended(lost, toldByApplication: false)])])
    check(fetches + [(.superseded, [.stop(.fetch), .cancelFetch, .ended(cancelled, toldByApplication: false)])])
    check(fetches + [(.fetchFailed(lost), [.stop(.fetch), .ended(lost, toldByApplication: false)])])
    check(
      fetches + [
        (.unreachable(lost), [.showWaiting]), (.linkUp, [.fetch]), (.unreachable(lost), [.showWaiting]),
        (.expired(.fetch), [.ended(lost, toldByApplication: false)]),
      ])
    check(
      fetches + [(.originGone(gone), [.stop(.fetch), .cancelFetch, .ended(gone, toldByApplication: false)])])
    // After a restart.
    check([(.resumed(.undelivered), [.start(.fetch), .fetch])])
    check([(.resumed(.expired(lost)), [.ended(lost, toldByApplication: false)])])
  }

  @Test func W1_aDaemonThatWasRestartedFetchesThePageOfWhatIsRefused() throws {
    var paged = snapshot
    paged.webpageURL = "https://example.org/"
    let page = try #require(WebURL("https://example.org/"))
    check([
      (.resumed(.delivered), [.start(.launch), .reach]), (.begin, [.stop(.launch), .acceptBegin, .start(.finish)]),
      (.finished(handled: false), [.stop(.finish), .start(.fetch), .fetch]),
      (.fetched(paged), [.stop(.fetch), .openBrowser(page)]),
      (.openedInBrowser, [.tellOrigin(inBrowser: true), .ended(nil, toldByApplication: true)]),
    ])
  }

  @Test func R8_aSnapshotThatNamesFilesWaitsForThem() {
    var named = snapshot
    named.files = [ContainerFile(url: "file:///a", container: "c", path: "a")]
    let missing = SegueError(.handoffFailed, "a has not arrived")
    let deliver: [ContinuationMachine.Effect] = [.stop(.claim), .answerClaim(snapshot), .start(.finish)]
    check([
      (.chosen, start), (.fetched(named), [.stop(.fetch), .localize(named)]), (.begin, accept), (.claim, []),
      (.localized(snapshot), deliver), (.localized(snapshot), []), (.localizeFailed(missing), []),
    ])
    check([
      (.chosen, start), (.fetched(named), [.stop(.fetch), .localize(named)]), (.expired(.fetch), []), (.begin, accept),
      (.localizeFailed(missing), []),
      (.claim, [.stop(.claim), .failClaim(missing), .ended(missing, toldByApplication: true)]),
    ])
    let cancelled = after([.chosen, .fetched(named), .superseded]).effects
    #expect(cancelled == ["cancelLocalize", "stop launch", "stop notResponding", "ended UserCancelled untold"])
  }

  @Test func V1_aFailedFetchIsTheClaimsAnswer() {
    check([
      (.chosen, start), (.fetchFailed(lost), [.stop(.fetch)]), (.begin, accept),
      (.claim, [.stop(.claim), .failClaim(lost), .ended(lost, toldByApplication: true)]),
    ])
    check([
      (.chosen, start), (.begin, accept), (.claim, []),
      (.fetchFailed(lost), [.stop(.fetch), .stop(.claim), .failClaim(lost), .ended(lost, toldByApplication: true)]),
    ])
  }

  @Test func V1_aFetchThatTimesOutFailsTheClaim() {
    let begun = after([.chosen, .begin, .expired(.fetch)])
    #expect(begun.effects == ["cancelFetch"])
    #expect(!begun.machine.isEnded)
    let claiming = after([.chosen, .begin, .claim, .expired(.fetch)]).effects
    let failed = "failClaim ConnectionUnavailable"
    #expect(claiming == ["cancelFetch", "stop claim", failed, "ended ConnectionUnavailable told"])
    #expect(after([.chosen, .begin, .expired(.fetch), .claim]).effects == Array(claiming.dropFirst()))
  }

  @Test func V3_aSecondChoiceCancelsUntilThePayloadIsThere() {
    let cases: [(events: [ContinuationMachine.Event], effects: [String])] = [
      ([], ["stop fetch", "cancelFetch", "stop launch", "stop notResponding", "ended UserCancelled untold"]),
      ([.fetched(snapshot)], ["stop launch", "stop notResponding", "ended UserCancelled untold"]),
      ([.begin], ["stop fetch", "cancelFetch", "stop claim", "ended UserCancelled told"]),
      ([.begin, .fetchFailed(lost)], ["stop claim", "ended UserCancelled told"]),
      (
        [.begin, .claim],
        ["stop fetch", "cancelFetch", "stop claim", "failClaim UserCancelled", "ended UserCancelled told"]
      ),
      ([.begin, .claim, .fetched(snapshot)], []),
    ]
    for (events, effects) in cases {
      #expect(after([.chosen] + events + [.superseded]).effects == effects, "\(events)")
    }
    // An application that claims after that gets the reason.
    #expect(after([.chosen, .begin, .superseded, .claim]).effects == ["refuseClaim UserCancelled"])
  }

  @Test func V3_theSameChoiceJoins() {
    let events: [ContinuationMachine.Event] = [.chosen, .begin, .claim, .fetched(snapshot)]
    for count in 1...events.count { #expect(after(events.prefix(count) + [.chosen]).effects == []) }
  }

  @Test func V18_anOwnerThatIsGoneIsLaunchedOnceMore() {
    // Not responding is the new owner's, not the time since the choice.
    let again = ["stop notResponding", "start notResponding", "launch"]
    let end = ["stop fetch", "cancelFetch", "stop launch", "stop notResponding", "ended ApplicationExited untold"]
    #expect(after([.chosen, .launchFailed(gone, ownerGone: true)]).effects == again)
    // An application that answers that it is closing is as good as gone.
    #expect(after([.chosen, .launchFailed(gone, ownerGone: false)]).effects == again)
    #expect(
      after([.chosen, .launchFailed(gone, ownerGone: true), .launchFailed(gone, ownerGone: true)]).effects == end)
  }

  @Test func V18_otherFailuresOfTheLaunchAreFinal() {
    let failure = ContinuationMachine.Event.launchFailed(SegueError(.launchFailed, "no file"), ownerGone: false)
    let stops = ["stop launch", "stop notResponding"]
    #expect(
      after([.chosen, failure]).effects == ["stop fetch", "cancelFetch"] + stops + ["ended LaunchFailed untold"])
    // The user wants to know why the activity could not be had.
    #expect(after([.chosen, .fetchFailed(lost), failure]).effects == stops + ["ended ConnectionUnavailable untold"])
    #expect(
      after([.chosen, .fetched(snapshot), .expired(.launch)]).effects == stops + ["ended LaunchTimedOut untold"])
    #expect(after([.chosen, .expired(.notResponding)]).effects == ["showNotResponding"])
  }

  @Test func V18_newsOfTheLaunchAfterBeginChangeNothing() {
    let late: [ContinuationMachine.Event] = [
      .launchFailed(gone, ownerGone: true), .expired(.launch), .expired(.notResponding),
    ]
    for event in late {
      for events: [ContinuationMachine.Event] in [[.begin], [.begin, .claim], [.fetched(snapshot), .begin, .claim]] {
        #expect(after([.chosen] + events + [event]).effects == [], "\(events) \(event)")
      }
    }
  }

  @Test func V18_whoDiesAfterBeginFailsAndTheOriginIsNotTold() {
    let cases: [(events: [ContinuationMachine.Event], effects: [String])] = [
      ([.begin], ["stop fetch", "cancelFetch", "stop claim"]),
      ([.begin, .claim], ["stop fetch", "cancelFetch", "stop claim"]),
      ([.fetchFailed(lost), .begin], ["stop claim"]),
      ([.begin, .claim, .fetched(snapshot)], ["stop finish"]),
    ]
    for (events, effects) in cases {
      #expect(
        after([.chosen] + events + [.applicationGone]).effects == effects + ["ended ApplicationExited untold"],
        "\(events)")
      if let plugin = PluginID("org.example.place") {
        #expect(
          after([.chosen] + events + [.pluginEnded(plugin)]).effects == effects + ["ended ApplicationExited untold"],
          "\(events)")
      }
    }
    #expect(after([.chosen, .applicationGone]).effects == [])
  }

  @Test func V11_withoutSuccessTheOriginIsNotTold() throws {
    let delivered: [ContinuationMachine.Event] = [.chosen, .fetched(snapshot), .begin, .claim]
    let plugin = try #require(PluginID("org.example.place"))
    let events: [ContinuationMachine.Event] = [.finished(handled: false), .expired(.finish), .pluginHangs(plugin)]
    for event in events {
      #expect(after(delivered + [event]).effects.last == "ended NotHandled untold")
      #expect(after(delivered + [event, .finished(handled: true)]).effects == [])
    }
    for early in 1..<delivered.count {
      #expect(after(delivered.prefix(early) + [.finished(handled: true)]).effects == [])
      #expect(after(delivered.prefix(early) + [.pluginHangs(plugin)]).effects == [])
    }
  }

  @Test func aTicketIsGoodOnce() {
    #expect(after([.chosen, .claim]).effects == ["refuseClaim NotFound"])
    #expect(after([.chosen, .begin, .begin]).effects == ["refuseBegin NotFound"])
    #expect(after([.chosen, .begin, .claim, .claim]).effects == ["refuseClaim NotFound"])
    #expect(after([.chosen, .superseded, .begin]).effects == ["refuseBegin NotFound"])
    #expect(after([.chosen, .begin, .expired(.claim)]).effects.last == "ended HandoffFailed told")
  }

  @Test func X9_aLinkThatIsDownIsWaitedFor() {
    check([
      (.chosen, start), (.unreachable(lost), [.showWaiting]), (.unreachable(lost), []), (.linkUp, [.fetch]),
      (.linkUp, []), (.begin, accept), (.claim, []), (.unreachable(lost), [.showWaiting]), (.linkUp, [.fetch]),
      (.fetched(snapshot), [.stop(.fetch), .stop(.claim), .answerClaim(snapshot), .start(.finish)]),
      (.unreachable(lost), []), (.linkUp, []),
    ])
    // Not in time: what is said is that the device could not be reached.
    let told: [ContinuationMachine.Effect] = [
      .stop(.claim), .failClaim(lost), .ended(lost, toldByApplication: true),
    ]
    check([
      (.chosen, start), (.unreachable(lost), [.showWaiting]), (.begin, accept), (.claim, []), (.expired(.fetch), told),
      (.linkUp, []),
    ])
    check([
      (.chosen, start), (.unreachable(lost), [.showWaiting]), (.expired(.fetch), []), (.linkUp, []), (.begin, accept),
      (.claim, told),
    ])
    let cancelled = ["stop fetch", "stop launch", "stop notResponding", "ended UserCancelled untold"]
    #expect(after([.chosen, .unreachable(lost), .superseded]).effects == cancelled)
    #expect(after([.chosen, .unreachable(lost), .begin, .fetchFailed(gone)]).effects == ["stop fetch"])
  }

  @Test func X9_whatWasNotDeliveredBeginsAnewAfterARestart() {
    check([
      (.resumed(.undelivered), start), (.chosen, []), (.unreachable(lost), [.showWaiting]), (.begin, accept),
      (.linkUp, [.fetch]), (.resumed(.undelivered), []),
    ])
  }

  @Test func X9_whatWasDeliveredIsNotLaunchedAnewAfterARestart() {
    let reach: [ContinuationMachine.Effect] = [.start(.launch), .reach]
    let reached: [ContinuationMachine.Effect] = [.stop(.launch), .acceptBegin, .start(.finish)]
    check([
      (.resumed(.delivered), reach), (.superseded, []), (.applicationGone, []), (.begin, reached), (.superseded, []),
      (
        .finished(handled: true), [.stop(.finish), .tellOrigin(inBrowser: false), .ended(nil, toldByApplication: true)]
      ),
    ])
    // The answer to its claim was lost: it is given once more.
    check([
      (.resumed(.delivered), reach), (.begin, reached),
      (.claim, [.stop(.finish), .start(.claim), .start(.fetch), .fetch]),
      (.fetched(snapshot), [.stop(.fetch), .stop(.claim), .answerClaim(snapshot), .start(.finish)]),
    ])
    for failure: ContinuationMachine.Event in [.launchFailed(lost, ownerGone: true), .expired(.launch)] {
      #expect(
        after([.resumed(.delivered), failure]).effects == ["stop launch", "ended ApplicationExited untold"])
    }
    #expect(
      after([.resumed(.delivered), .begin, .applicationGone]).effects == [
        "stop finish", "ended ApplicationExited untold",
      ])
    #expect(
      after([.resumed(.delivered), .begin, .expired(.finish)]).effects == ["stop finish", "ended NotHandled untold"])
  }

  @Test func X9_whoseTimeIsOverAfterARestartFailsOnce() {
    let steps: [Step] = [
      (.resumed(.expired(lost)), [.start(.launch), .reach]), (.begin, accept),
      (.claim, [.stop(.claim), .failClaim(lost), .ended(lost, toldByApplication: true)]),
    ]
    check(steps)
    #expect(
      after([.resumed(.expired(lost)), .launchFailed(gone, ownerGone: true)]).effects
        == ["stop launch", "stop notResponding", "ended ConnectionUnavailable untold"])
  }
}
