import SegueCore
import Testing

@testable import SegueBrowser

@Suite struct BrowserSessionTests {
  typealias Effect = BrowserSession.Effect

  private var session = BrowserSession(.firefox)
  private let page = "https://example.org/"
  private let top = Place(["y": .number(0)])

  private mutating func say(_ message: FromBrowser) -> [Effect] { session.handle(.message(message)) }

  private mutating func greet() {
    _ = session.handle(.device(name: "desk", reason: nil))
    _ = say(.hello(version: 1, browser: "firefox"))
  }

  private mutating func show(
    _ key: String, _ url: String? = nil, _ place: Place? = Place(["y": .number(0)])
  ) -> [Effect] {
    say(.page(key: key, url: url ?? page, title: "A", place: place, continuation: nil))
  }

  private mutating func arrive(_ number: Int) throws -> [Effect] {
    session.handle(.arrived(number: number, url: try #require(WebURL(page)), title: "A", top))
  }

  private func errors(_ effects: [Effect]) -> [String] {
    effects.compactMap { if case .send(.error(let failure)) = $0 { failure.of } else { nil } }
  }

  @Test mutating func helloComesFirst() {
    let messages: [FromBrowser] = [
      .page(key: "1", url: page, title: "A", place: nil, continuation: nil), .moved(key: "1"), .left(key: "1"),
      .closed(key: "1"), .place(request: 1, nil), .opened(continuation: 1), .failed(continuation: 1, reason: ""), .list,
      .unlist, .continue(device: "d", activity: "a"), .follow(request: 1, url: page),
    ]
    for message in messages { #expect(errors(say(message)) == [message.type]) }
    #expect(!session.canOpen)
    #expect(errors(say(.hello(version: 2, browser: "firefox"))) == ["hello"])
    #expect(errors(say(.hello(version: 1, browser: "chromium"))) == ["hello"])
    #expect(!session.canOpen)
    #expect(
      say(.hello(version: 1, browser: "firefox"))
        == [.begin, .send(.ready(device: nil, reason: BrowserSession.unanswered))])
    #expect(session.canOpen)
    // Once more, as after the extension was loaded anew.
    #expect(
      say(.hello(version: 1, browser: "firefox")) == [.send(.ready(device: nil, reason: BrowserSession.unanswered))])
  }

  @Test mutating func whatTheDeviceIsCalledIsSaidWhenItChanges() {
    #expect(session.handle(.device(name: "desk", reason: nil)) == [])
    #expect(say(.hello(version: 1, browser: "firefox")) == [.begin, .send(.ready(device: "desk", reason: nil))])
    #expect(session.handle(.device(name: "desk", reason: nil)) == [])
    #expect(session.handle(.device(name: nil, reason: "gone")) == [.send(.ready(device: nil, reason: "gone"))])
  }

  @Test mutating func aTabsPageIsShownAndItsPlaceIsItsURLs() {
    greet()
    let shown = Effect.show(key: "1", url: page, title: "A", adopting: nil)
    #expect(show("1") == [shown, .setPlace(key: "1", top)])
    // The same page again says nothing of where it is scrolled to.
    #expect(show("1", nil, nil) == [shown])
    #expect(
      show("1", page + "2", nil)
        == [
          .show(key: "1", url: page + "2", title: "A", adopting: nil), .setPlace(key: "1", nil), .needsSave(key: "1"),
        ])
    #expect(say(.moved(key: "1")) == [.needsSave(key: "1")])
    #expect(say(.moved(key: "2")) == [])
  }

  @Test mutating func whatIsNotCurrentDoesNotResign() {
    greet()
    _ = show("1")
    _ = show("2")
    #expect(say(.left(key: "1")) == [])
    #expect(say(.left(key: "2")) == [.resign(key: "2")])
    #expect(say(.left(key: "2")) == [])
    #expect(say(.closed(key: "1")) == [.end(key: "1")])
    #expect(say(.closed(key: "1")) == [])
  }

  @Test mutating func attack29_aPageThatIsNoneEndsTheOneBefore() {
    greet()
    _ = show("1")
    let effects = show("1", "javascript:alert(1)")
    #expect(effects.first == .end(key: "1"))
    #expect(errors(effects) == ["page"])
    #expect(errors(show("1", "https://user@example.org/")) == ["page"])
    #expect(say(.left(key: "1")) == [])
  }

  @Test mutating func soManyTabsAndTheOneLeastUsedGoes() {
    greet()
    for number in 1...Limits.browserPages { _ = show(String(number)) }
    _ = show("1")
    #expect(show("new").contains(.end(key: "2")))
    #expect(!show("1").contains { if case .end = $0 { true } else { false } })
  }

  @Test mutating func whereAPageIsIsAskedAndAnsweredOnce() {
    greet()
    #expect(session.handle(.saving(key: "1")) == [])
    _ = show("1")
    #expect(session.handle(.saving(key: "1")) == [.send(.where(request: 1, key: "1"))])
    #expect(session.isAsking)
    #expect(say(.place(request: 2, top)) == [])
    #expect(session.isAsking)
    #expect(say(.place(request: 1, top)) == [.setPlace(key: "1", top)])
    #expect(!session.isAsking)
    #expect(say(.place(request: 1, top)) == [])
  }

  @Test(arguments: ["none", "closed", "overdue", "refused"])
  mutating func aQuestionEndsWithoutAPlaceToo(_ end: String) {
    greet()
    _ = show("1")
    _ = session.handle(.saving(key: "1"))
    switch end {
    case "none": #expect(say(.place(request: 1, nil)) == [])
    case "closed": #expect(say(.closed(key: "1")) == [.end(key: "1")])
    case "refused": #expect(errors(show("1", "about:x")) == ["page"])
    default: #expect(session.handle(.placeOverdue) == [])
    }
    #expect(!session.isAsking)
    #expect(say(.place(request: 1, top)) == [])
  }

  @Test mutating func anotherDevicesPageIsOpenedAndEndsOnce() throws {
    greet()
    #expect(
      try arrive(1) == [.send(.open(continuation: 1, url: page, title: "A", place: top))])
    #expect(say(.opened(continuation: 2)) == [])
    #expect(say(.opened(continuation: 1)) == [.opened(1)])
    #expect(say(.failed(continuation: 1, reason: "")) == [])
    #expect(session.handle(.openOverdue(1)) == [])
    _ = try arrive(2)
    #expect(say(.failed(continuation: 2, reason: "")) == [.failed(2)])
    _ = try arrive(3)
    #expect(session.handle(.openOverdue(3)) == [.failed(3)])
    #expect(say(.opened(continuation: 3)) == [])
  }

  @Test(arguments: [true, false]) mutating func whatCameIsTheTabsOwn(_ isOpenedFirst: Bool) throws {
    greet()
    _ = try arrive(7)
    if isOpenedFirst { #expect(say(.opened(continuation: 7)) == [.opened(7)]) }
    let first = FromBrowser.page(key: "t", url: page, title: "A", place: top, continuation: 7)
    // Its place is what it came with.
    #expect(say(first) == [.show(key: "t", url: page, title: "A", adopting: 7)])
    if !isOpenedFirst { #expect(say(.opened(continuation: 7)) == [.opened(7)]) }
    #expect(say(first) == [.show(key: "t", url: page, title: "A", adopting: nil)])
    // Nobody else's.
    let other = FromBrowser.page(key: "u", url: page, title: "A", place: top, continuation: 7)
    #expect(say(other) == [.show(key: "u", url: page, title: "A", adopting: nil), .setPlace(key: "u", top)])
  }

  @Test mutating func attack33_soManyAreOpenedAtOnce() throws {
    greet()
    for number in 1...Limits.browserOpenings {
      #expect(session.canOpen)
      _ = try arrive(number)
    }
    #expect(!session.canOpen)
    _ = say(.opened(continuation: 3))
    #expect(session.canOpen)
    // The session keeps a bounded number of open continuations that belong to no tab.
    #expect(try arrive(100).first == .forget(3))
    #expect(!session.canOpen)
  }

  @Test mutating func offersAreToldAsLongAsTheyAreAskedFor() {
    greet()
    let offer = BrowserOffer(
      device: "d", activity: "a", deviceName: "lap", title: "Letter", application: "Editor", isForBrowser: false)
    #expect(session.handle(.offers([offer])) == [])
    #expect(say(.list) == [.follow(true)])
    #expect(session.handle(.offers([offer])) == [.send(.offers([offer]))])
    #expect(say(.unlist) == [.follow(false)])
    #expect(session.handle(.offers([])) == [])
  }

  @Test mutating func X11_aPageIsSentToADevice() {
    greet()
    let receiver = BrowserReceiver(device: "d", name: "lap")
    #expect(session.handle(.receivers([receiver])) == [])
    _ = say(.list)
    #expect(session.handle(.receivers([receiver])) == [.send(.receivers([receiver]))])
    let absent = "This page is not on offer, so it cannot be sent."
    #expect(say(.send(key: "1", device: "d")) == [.send(.sent(device: "d", reason: absent))])
    _ = say(.page(key: "1", url: page, title: "A", place: top, continuation: nil))
    #expect(say(.send(key: "1", device: "d")) == [.sendPage(key: "1", device: "d")])
    for _ in 1..<Limits.browserChoices { #expect(say(.send(key: "1", device: "d")).first != nil) }
    let refused = "\(Limits.browserChoices) pages are being sent; wait a moment."
    #expect(say(.send(key: "1", device: "d")) == [.send(.sent(device: "d", reason: refused))])
    #expect(session.handle(.sent(device: "d", reason: nil)) == [.send(.sent(device: "d", reason: nil))])
    #expect(say(.send(key: "1", device: "d")) == [.sendPage(key: "1", device: "d")])
  }

  @Test mutating func soManyChoicesAreUnderWay() {
    greet()
    let first = BrowserSession.Choice(device: "d", activity: "1")
    for number in 1...Limits.browserChoices {
      let choice = BrowserSession.Choice(device: "d", activity: String(number))
      #expect(say(.continue(device: "d", activity: String(number))) == [.choose(choice)])
    }
    // The one that is under way answers for both.
    #expect(say(.continue(device: "d", activity: "1")) == [])
    let refused = say(.continue(device: "d", activity: "x"))
    let reason = "\(Limits.browserChoices) choices are under way; wait until they are over."
    #expect(refused == [.send(.continued(device: "d", activity: "x", reason: reason))])
    #expect(
      session.handle(.chosen(first, reason: nil)) == [.send(.continued(device: "d", activity: "1", reason: nil))])
    #expect(say(.continue(device: "d", activity: "x")).count == 1)
  }

  @Test mutating func attack25_aTitleIsCleanedAndCut() {
    greet()
    let title = "A\u{202E}" + String(repeating: "x", count: 2 * Limits.titleMaximum)
    let effects = say(.page(key: "1", url: page, title: title, place: top, continuation: nil))
    #expect(
      effects.first
        == .show(
          key: "1", url: page, title: "A" + String(repeating: "x", count: Limits.titleMaximum - 1), adopting: nil))
  }

  @Test mutating func whatIsToldIsJSON() {
    let messages: [(ToBrowser, String)] = [
      (.ready(device: "desk", reason: nil), #"{"device":"desk","type":"ready","version":1}"#),
      (.ready(device: nil, reason: "gone"), #"{"reason":"gone","type":"ready","version":1}"#),
      (.where(request: 1, key: "k"), #"{"key":"k","request":1,"type":"where"}"#),
      (
        .open(continuation: 2, url: "u", title: "t", place: nil),
        #"{"continuation":2,"title":"t","type":"open","url":"u"}"#
      ), (.offers([]), #"{"offers":[],"type":"offers"}"#),
      (
        .continued(device: "d", activity: "a", reason: nil), #"{"activity":"a","device":"d","type":"continued"}"#
      ), (.taken(key: "k"), #"{"key":"k","type":"taken"}"#),
      (.error(.init(of: "page", reason: "r")), #"{"of":"page","reason":"r","type":"error"}"#),
    ]
    for (message, text) in messages { #expect(message.json.text == text) }
  }

  // MARK: Links

  @Test mutating func W5_theHostsOfLinksAreSaidWhenTheyChange() {
    #expect(session.handle(.links(["example.org"])) == [])
    _ = session.handle(.device(name: "desk", reason: nil))
    #expect(
      say(.hello(version: 1, browser: "firefox"))
        == [.begin, .send(.ready(device: "desk", reason: nil)), .send(.links(["example.org"]))])
    #expect(session.handle(.links(["example.org"])) == [])
    #expect(session.handle(.links([])) == [.send(.links([]))])
  }

  @Test mutating func W5_aLinkIsAnsweredOnce() throws {
    greet()
    let url = try #require(WebURL(page))
    #expect(say(.follow(request: 4, url: page)) == [.openLink(request: 4, url)])
    let answer = Effect.send(.followed(request: 4, isTaken: true))
    #expect(session.handle(.followed(request: 4, isTaken: true)) == [answer])
    #expect(session.handle(.followed(request: 4, isTaken: true)) == [])
    // The browser keeps a URL that is no page's.
    #expect(say(.follow(request: 5, url: "javascript:1")) == [.send(.followed(request: 5, isTaken: false))])
  }

  @Test mutating func W5_noMoreLinksAreAskedForAtOnceThanMay() throws {
    greet()
    let url = try #require(WebURL(page))
    for request in 0..<Limits.browserChoices {
      #expect(say(.follow(request: request, url: page)) == [.openLink(request: request, url)])
    }
    #expect(say(.follow(request: 99, url: page)) == [.send(.followed(request: 99, isTaken: false))])
    _ = session.handle(.followed(request: 0, isTaken: false))
    #expect(say(.follow(request: 99, url: page)) == [.openLink(request: 99, url)])
  }
}
