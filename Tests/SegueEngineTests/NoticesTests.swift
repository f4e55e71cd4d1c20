import SegueCore
import SegueEngine
import Testing

/// The notifications that are shown, and those that are not.
struct NoticesTests {
  private let application: Notice.Application
  private let one = OfferID(device: .quiet, activity: Identifier(high: 0, low: 1))
  private let two = OfferID(device: .quiet, activity: Identifier(high: 0, low: 2))
  private let continuation = Identifier(high: 0, low: 3)
  private let error = SegueError(.handoffFailed, "It did not come.", advice: "Try again.")

  init() throws {
    application = Notice.Application(
      InstalledApplication(
        appID: try #require(AppID("org.example.Reader")), name: "Reader", icon: "reader", desktopFile: "", tier: .user,
        activityTypes: []))
  }

  private func offered(_ id: OfferID, _ title: String? = "Page", host: String? = nil) -> Notices.Offered {
    Notices.Offered(id: id, title: title, origin: "desk", application: application, pageHost: host)
  }

  /// The notifications that the effects show and close, in words.
  private func words(_ effects: [Notices.Effect]) -> [String] {
    effects.map { effect in
      switch effect {
      case .show(_, let notice): "show \(notice.lines.joined(separator: "|"))"
      case .close(.offer): "close offer"
      case .close(.refusal): "close refusal"
      case .close(.continuation): "close continuation"
      case .choose(_, let token): "choose \(token ?? "-")"
      case .close(.introduction): "close introduction"
      case .close(.introductionFailure), .close(.textFailure), .close(.sendFailure), .close(.linkFailure):
        "close failure"
      case .close(.text): "close text"
      case .accept: "accept"
      case .decline: "decline"
      case .readText(_, let token): "read \(token ?? "-")"
      }
    }
  }

  private func words(_ notices: inout Notices, _ events: [Notices.Event], now: Instant = 0) -> [String] {
    words(events.flatMap { notices.handle($0, now: now) })
  }

  @Test func V16_aNewOfferIsShownOnce() {
    var notices = Notices()
    #expect(words(&notices, [.offers([offered(one)])]) == ["show Page|From desk"])
    #expect(
      words(&notices, [.offers([offered(one)]), .offers([offered(one), offered(two, nil)])]) == ["show From desk"])
    #expect(words(&notices, [.offers([])]).sorted() == ["close offer", "close offer"])
    // It comes back as it was.
    #expect(words(&notices, [.offers([offered(one)])]) == [])
  }

  @Test func X11_whatWasSentIsShownAlsoIfItWasDismissed() {
    var notices = Notices()
    let sent = Notices.Offered(id: one, title: "Page", origin: "desk", application: application, isSent: true)
    #expect(words(&notices, [.offers([offered(one)]), .closed(.offer(one))]) == ["show Page|From desk"])
    #expect(words(&notices, [.sent(sent)]) == ["show Page|Sent from desk"])
    #expect(words(&notices, [.offers([sent])]) == [])
    #expect(words(&notices, [.offers([])]) == ["close offer"])
    // Without a server it waits for one.
    #expect(words(&notices, [.sent(sent), .notShown(.offer(one)), .serverAppeared]).count == 2)
  }

  @Test func X11_aTextIsShownUntilItIsReadOrForgotten() {
    var notices = Notices()
    let text = continuation
    let shown = words(&notices, [.text(text, "Platform 7\n18:04", origin: "desk")])
    #expect(shown == ["show Platform 7 18:04|Sent from desk"])
    #expect(words(&notices, [.serverGone, .serverAppeared]) == shown)
    let read = Notices.Event.invoked(.text(text), .read, activationToken: "token")
    #expect(words(&notices, [read]) == ["close text", "read token"])
    #expect(words(&notices, [.text(text, "a", origin: "desk"), .textGone(text)]).last == "close text")
    #expect(words(&notices, [.text(text, "a", origin: "desk"), .closed(.text(text)), .textGone(text)]).count == 1)
  }

  @Test func V16_dismissedStaysDismissedUntilTheIdentityChanges() {
    var notices = Notices()
    let shown = words(&notices, [.offers([offered(one)]), .closed(.offer(one)), .offers([offered(one)])])
    #expect(shown == ["show Page|From desk"])
    #expect(words(&notices, [.offers([]), .serverGone, .serverAppeared, .offers([offered(one)])]) == [])
    #expect(words(&notices, [.offers([offered(one, "Chapter")])]) == ["show Chapter|From desk"])
    #expect(words(&notices, [.offers([offered(two)])]) == ["close offer", "show Page|From desk"])
  }

  @Test func V16_theActionChooses() {
    var notices = Notices()
    _ = words(&notices, [.offers([offered(one)])])
    let taken = words(
      &notices, [.invoked(.offer(one), .continue, activationToken: "t"), .chosen(one), .closed(.offer(one))])
    #expect(taken == ["close offer", "choose t"])
    #expect(words(&notices, [.refused(offered(one), error, id: one)]) == ["show Page|It did not come.|Try again."])
  }

  @Test func V16_aServerMayComeAndGo() {
    var notices = Notices()
    _ = words(&notices, [.offers([offered(one)]), .notShown(.offer(one))])
    // The notification is not tried again before there is a server.
    #expect(words(&notices, [.offers([offered(one)])]) == [])
    #expect(words(&notices, [.serverAppeared]) == ["show Page|From desk"])
    #expect(words(&notices, [.serverAppeared]) == [])
    #expect(words(&notices, [.serverGone, .serverAppeared]) == ["show Page|From desk"])
    // An offer that was withdrawn meanwhile does not come back.
    #expect(words(&notices, [.serverGone, .offers([]), .serverAppeared]) == [])
  }

  @Test func V16_aDeviceCannotFloodTheScreen() {
    var notices = Notices(perMinute: 3)
    let titles = (0..<10).map { Notices.Event.offers([offered(one, "\($0)")]) }
    let shown = words(&notices, titles)
    // The title that is on the screen is no longer true.
    #expect(shown == ["show 0|From desk", "show 1|From desk", "show 2|From desk", "close offer"])
    #expect(words(&notices, [.offers([offered(two)])], now: 59_999) == [])
    #expect(words(&notices, [.offers([offered(two, "later")])], now: 60_000) == ["show later|From desk"])
  }

  @Test(arguments: [0, 1]) func V16_memoryHasABound(_ more: Int) {
    var notices = Notices(perMinute: 100_000)
    let ids = (0..<UInt64(Limits.noticesRemembered + more)).map {
      OfferID(device: .quiet, activity: Identifier(high: 1, low: $0))
    }
    for id in ids { _ = words(&notices, [.offers([offered(id)]), .closed(.offer(id)), .offers([])]) }
    #expect(words(&notices, [.offers([offered(ids[0])])]).isEmpty == (more == 0))
  }

  /// A device's offers displace neither another device's notification nor the memory that the user dismissed one.
  @Test func attack34_aDeviceKeepsNoNoticeOfAnotherAway() {
    var notices = Notices(perMinute: 3)
    let dismissed = OfferID(device: .loud, activity: one.activity)
    #expect(words(&notices, [.offers([offered(dismissed)])]) == ["show Page|From desk"])
    _ = words(&notices, [.closed(.offer(dismissed)), .offers([])])
    var shown = 0
    for _ in 0..<1_000 {
      let id = OfferID(device: .quiet, activity: .random())
      shown += words(&notices, [.offers([offered(id)])]).count { $0.hasPrefix("show") }
    }
    #expect(shown == 3)
    let new = OfferID(device: .loud, activity: two.activity)
    #expect(words(&notices, [.offers([offered(new)])]) == ["show Page|From desk"])
    #expect(words(&notices, [.offers([offered(new), offered(dismissed)])]).isEmpty)
  }

  /// The same offer by its title, of which something else changes each time.
  @Test func attack34_anOfferThatAlternatesIsShownNoOftener() {
    var notices = Notices(perMinute: 3)
    let hosts = (0..<100).map { Notices.Event.offers([offered(one, host: "\($0).example")]) }
    let shown = words(&notices, hosts)
    #expect(shown.count == 4 && shown.last == "close offer", "\(shown)")
    #expect(shown.dropLast() == (0..<3).map { "show Page|A page on \($0).example|From desk" }[...])
    // It is over, as if it had been dismissed: only another title is another activity.
    #expect(words(&notices, [.offers([offered(one, host: "last.example")])], now: 60_000).isEmpty)
    #expect(words(&notices, [.offers([offered(one, "Other")])], now: 60_000).count == 1)
  }

  /// A notification that is not on the screen takes no turn: it is shown once, in its latest form.
  @Test func V16_whatChangesWhileThereIsNoServerTakesNoTurn() {
    var notices = Notices(perMinute: 2)
    _ = words(&notices, [.offers([offered(one)]), .notShown(.offer(one))])
    #expect(words(&notices, (0..<100).map { .offers([offered(one, host: "\($0).example")]) }).isEmpty)
    #expect(words(&notices, [.serverAppeared]) == ["show Page|A page on 99.example|From desk"])
    #expect(words(&notices, [.offers([offered(one, host: "a.example")])]).count == 1)
  }

  /// Two offers of two devices with one id are independent (semantics C16).
  @Test func C16_theDeviceIsPartOfAnOffersName() {
    var notices = Notices()
    let same = OfferID(device: .loud, activity: one.activity)
    #expect(words(&notices, [.offers([offered(one), offered(same)])]).count == 2)
    #expect(words(&notices, [.chosen(one)]) == ["close offer"])
    #expect(words(&notices, [.chosen(one)]) == [])
    #expect(words(&notices, [.chosen(same)]) == ["close offer"])
  }

  @Test func V4_progressIsShownWhereTheApplicationDoesNot() {
    var notices = Notices()
    #expect(words(&notices, [.announced(offered(one), continuation: continuation, shown: true)]) == [])
    let progress = words(&notices, [.announced(offered(one), continuation: continuation, shown: false)])
    #expect(progress == ["show Page|On its way from desk"])
    let ended = Notices.Event.ended(offered(one), continuation: continuation, nil, shownByApplication: true)
    #expect(words(&notices, [ended, ended]) == ["close continuation"])
  }

  @Test func V18_notRespondingGoesWhenTheApplicationShowsMore() {
    var notices = Notices()
    let silent = words(&notices, [.notResponding(offered(one), continuation: continuation)])
    #expect(silent == ["show Page|Reader does not respond yet."])
    let announced = words(&notices, [.announced(offered(one), continuation: continuation, shown: true)])
    #expect(announced == ["close continuation"])
  }

  @Test(arguments: [Limits.noticeFailureTime, Limits.noticeFailureTime + 1]) func V5_anOldFailureIsNotShownLate(
    _ age: UInt64
  ) {
    var notices = Notices()
    _ = words(&notices, [.refused(offered(one), error, id: one), .notShown(.refusal(one))])
    let late = words(&notices, [.serverAppeared], now: Instant(milliseconds: age))
    #expect(late == (age > Limits.noticeFailureTime ? [] : ["show Page|It did not come.|Try again."]))
    #expect(words(&notices, [.serverGone, .serverAppeared], now: Instant(milliseconds: age)) == [])
  }

  @Test func V5_anErrorIsShownWhereTheApplicationDoesNot() {
    let cancelled = SegueError(.userCancelled, "Something else was chosen.")
    let cases: [(SegueError?, Bool, [String])] = [
      (error, false, ["show Page|It did not come.|Try again."]), (error, true, []), (cancelled, false, []),
      (nil, false, []),
    ]
    for (error, shown, wanted) in cases {
      var notices = Notices()
      let ended = Notices.Event.ended(offered(one), continuation: continuation, error, shownByApplication: shown)
      #expect(words(&notices, [ended]) == wanted)
    }
  }

  // MARK: Introductions

  private func introduced(
    _ device: DeviceID = .loud, _ name: String = "lap", by introducer: DeviceID = .quiet
  )
    -> Notices.Introduced
  {
    Notices.Introduced(device: device, name: name, introducer: introducer, introducerName: "phone")
  }

  private var question: String { "show Pair with \"lap\"?|Introduced by phone|\(DeviceID.loud.words)" }

  @Test func anIntroducedDeviceIsShownUntilItIsDecided() {
    var notices = Notices()
    #expect(words(&notices, [.introductions([introduced()])]) == [question])
    #expect(words(&notices, [.introductions([introduced()])]) == [])
    // It was accepted or declined elsewhere, or its time is over.
    #expect(words(&notices, [.introductions([])]) == ["close introduction"])
    // Somebody has introduced it again.
    #expect(words(&notices, [.introductions([introduced()])]) == [question])
    #expect(words(&notices, [.closed(.introduction(.loud)), .introductions([introduced()])]) == [])
    #expect(words(&notices, [.introductions([])]) == [])
  }

  @Test(arguments: [(Notice.Action.accept, "accept"), (.decline, "decline")])
  func anIntroducedDeviceIsAcceptedOrDeclined(action: Notice.Action, word: String) {
    var notices = Notices()
    _ = words(&notices, [.introductions([introduced()])])
    let answer = Notices.Event.invoked(.introduction(.loud), action, activationToken: nil)
    #expect(words(&notices, [answer, .introductions([introduced()])]) == ["close introduction", word])
    #expect(words(&notices, [.introductions([]), answer]) == [])
    #expect(
      words(&notices, [.notPaired(.loud, name: "lap", error)]) == ["show lap|It did not come.|Try again."])
  }

  @Test func anIntroductionWaitsForAServer() {
    var notices = Notices()
    _ = words(&notices, [.introductions([introduced()]), .notShown(.introduction(.loud))])
    #expect(words(&notices, [.introductions([introduced()])]) == [])
    #expect(words(&notices, [.serverAppeared]) == [question])
    #expect(words(&notices, [.serverAppeared]) == [])
    #expect(words(&notices, [.serverGone, .serverAppeared]) == [question])
    #expect(words(&notices, [.serverGone, .introductions([]), .serverAppeared]) == [])
  }

  @Test func attack34_anIntroducerCannotFloodTheScreen() {
    var notices = Notices(perMinute: 3)
    let names = (0..<10).map { Notices.Event.introductions([introduced(.loud, "\($0)")]) }
    let shown = words(&notices, names)
    #expect(shown.count == 4 && shown.last == "close introduction")
    #expect(words(&notices, [.introductions([introduced(.quiet, by: .loud)])]).count { $0.hasPrefix("show") } == 1)
  }

  @Test func attack34_anIntroducerWithoutATurnKeepsNoOtherOnesWordAway() {
    var notices = Notices(perMinute: 3)
    let first = introduced(.loud, "x", by: .quiet)
    for number in 0..<3 { _ = words(&notices, [.offers([offered(one, "\(number)")])]) }
    #expect(words(&notices, [.introductions([first])]).isEmpty)
    let second = introduced(.loud, "lap", by: .number(9))
    // It is the other one's word that is shown, and that is accepted.
    #expect(words(&notices, [.introductions([first, second])]) == [question])
    #expect(words(&notices, [.introductions([first, second])]).isEmpty)
    let answer = Notices.Event.invoked(.introduction(.loud), .accept, activationToken: nil)
    let accepted = notices.handle(answer, now: 0)
    #expect(accepted.contains(.accept(.loud, introducer: .number(9))))
    // It was answered: nobody asks again.
    #expect(words(&notices, [.introductions([first, second])], now: 60_000).isEmpty)
  }

  @Test func whoHadNoTurnAsksWhenItHasOne() {
    var notices = Notices(perMinute: 1)
    _ = words(&notices, [.introductions([introduced(.number(9), by: .quiet)])])
    let both = Notices.Event.introductions([introduced(.number(9), by: .quiet), introduced()])
    #expect(words(&notices, [both], now: 59_999).isEmpty)
    #expect(words(&notices, [both], now: 60_000) == [question])
  }

  @Test func attack35_anIntroducedNameIsQuotedAndClean() {
    var notices = Notices()
    let name = "x\"?\u{202E}\nIntroduced by bank" + String(repeating: "y", count: 400)
    guard case .show(_, let notice)? = notices.handle(.introductions([introduced(.loud, name)]), now: 0).first else {
      Issue.record("nothing is shown")
      return
    }
    #expect(notice.lines.count == 3 && notice.clicked == nil)
    #expect(notice.lines[0].hasPrefix("Pair with \"x'? Introduced by banky"))
    #expect(notice.lines[1] == "Introduced by phone")
  }

  @Test func attack35_linesAreCleanAndApart() {
    var notices = Notices()
    let title = "<b>A</b>\u{202E}\nFrom \u{1B}bank" + String(repeating: "x", count: 400)
    guard case .show(_, let notice)? = notices.handle(.offers([offered(one, title)]), now: 0).first else {
      Issue.record("nothing is shown")
      return
    }
    #expect(notice.lines.count == 2)
    #expect(notice.lines[0].hasPrefix("<b>A</b> From bankx"))
    #expect(notice.lines[0].utf8.count == Limits.titleAdvised)
    #expect(notice.lines[1] == "From desk")
  }
}

/// The web page that a browser may be asked to open.
struct FallbackPageTests {
  private func snapshot(_ url: String?, _ info: Value = .dictionary([:])) throws -> Snapshot {
    Snapshot(
      id: .random(), revision: 1, type: ActivityType("org.example.page") ?? .browsingWeb, webpageURL: url,
      userInfo: try CBOR.encode(info))
  }

  @Test func V7_aPageIsThereUnlessADocumentIs() throws {
    let page = "https://example.org/"
    #expect(try snapshot(page).fallbackPage == WebURL(page))
    #expect(try snapshot(nil).fallbackPage == nil)
    var document = try snapshot(page, .dictionary([FileURL.documentKey: .url("file:///a")]))
    document.judgeDocument(isOfThisDevice: true)
    #expect(document.fallbackPage == nil)
  }

  @Test func V7_aFileOfAnotherDeviceIsADocumentWhereBothShareIt() throws {
    func judged(_ value: Value, _ files: [ContainerFile] = [], isOfThisDevice: Bool = false) throws -> Snapshot.Document
    {
      var snapshot = try snapshot(nil, .dictionary([FileURL.documentKey: value]))
      snapshot.files = files
      snapshot.judgeDocument(isOfThisDevice: isOfThisDevice)
      return snapshot.document
    }
    let shared = ContainerFile(url: "file:///a", container: "c", path: "a")
    #expect(try judged(.url("file:///a"), [shared]) == .here)
    #expect(try judged(.url("file:///b"), [shared]) == .elsewhere)
    #expect(try judged(.url("file:///etc/shadow")) == .elsewhere)
    #expect(try judged(.url("file:///b"), isOfThisDevice: true) == .here)
    for other: Value in [.url("https://example.org/a"), "file:///a", .url("file:///a?b"), .url("file://host/a")] {
      #expect(try judged(other, [shared], isOfThisDevice: true) == .none)
    }
    var broken = try snapshot(nil)
    broken.userInfo = [0xFF]
    broken.judgeDocument(isOfThisDevice: true)
    #expect(broken.document == .none)
  }

  @Test(arguments: ["javascript:x", "file:///a", "data:,x", "https://a@b/", "-https://b/", "https://b/\u{7}"])
  func attack29_noOtherUrlIsOpened(url: String) throws { #expect(try snapshot(url).fallbackPage == nil) }
}
