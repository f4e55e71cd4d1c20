import SegueCore

/// The browser's tabs as Segue sees them: which of them are activities, which pages of other devices are being opened,
/// and which messages the extension gets. Pure.
struct BrowserSession {
  enum Event {
    case message(FromBrowser)
    /// A message that could not be decoded.
    case refused(FromBrowser.Failure)
    /// The name of this device, or the reason why it is not known.
    case device(name: String?, reason: String?)
    /// The activity of this tab is asked for its state.
    case saving(key: String)
    /// The browser's time to say where the page is scrolled to is over.
    case placeOverdue
    /// Another device's page is continued here. `number` is new.
    case arrived(number: Int, url: WebURL, title: String, Place?)
    /// The browser's time to open that page is over.
    case openOverdue(Int)
    case continuedElsewhere(key: String)
    case offers([BrowserOffer])
    /// The hosts whose links applications open.
    case links([String])
    /// Whether an application opens the link.
    case followed(request: Int, isTaken: Bool)
    /// A choice among them is over.
    case chosen(Choice, reason: String?)
    /// The devices to which a page can be sent.
    case receivers([BrowserReceiver])
    /// A page was sent to the device; or the reason why not.
    case sent(device: String, reason: String?)
  }

  enum Effect: Equatable {
    case send(ToBrowser)
    /// The extension is there: pages may be opened.
    case begin
    /// The tab's activity has this page and is what the user does; `adopting`: it is the one that this arrival brought.
    case show(key: String, url: String, title: String, adopting: Int?)
    case setPlace(key: String, Place?)
    case needsSave(key: String)
    case resign(key: String)
    case end(key: String)
    /// This arrival's page is open; or it is not, and another application may open the page.
    case opened(Int)
    case failed(Int)
    /// No tab will take over this arrival.
    case forget(Int)
    case follow(Bool)
    case choose(Choice)
    /// The tab's activity is to be sent to the device; `sent` comes then.
    case sendPage(key: String, device: String)
    /// An application may open the link; `followed` comes then.
    case openLink(request: Int, WebURL)
  }

  struct Choice: Equatable {
    var device: String
    var activity: String
  }

  private struct Page {
    let key: String
    var url: String
  }

  /// A page of another device.
  private struct Arrival {
    let number: Int
    var isOpening = true
    /// A tab has it.
    var isAdopted = false
  }

  static let unanswered = "The Segue daemon has not answered yet."

  private let browser: Browser
  private var isGreeted = false
  private var device: (name: String?, reason: String?) = (nil, BrowserSession.unanswered)
  /// In the order in which they were last shown.
  private var pages: [Page] = []
  private var current: String?
  private var lastRequest = 0
  /// The open request to the browser, and the tab that it is about.
  private var asking: (request: Int, key: String)?
  /// The arrivals that are being opened, or that no tab has taken over yet, in the order in which they came.
  private var arrivals: [Arrival] = []
  private var isFollowing = false
  private var choices: [Choice] = []
  /// The devices to which a page is being sent.
  private var sending: [String] = []
  private var links: [String] = []
  /// The links of which it is not known yet whether an application opens them.
  private var followed: Set<Int> = []
  private var effects: [Effect] = []

  init(_ browser: Browser) { self.browser = browser }

  /// Whether the browser has still to say where a page is scrolled to.
  var isAsking: Bool { asking != nil }

  /// Whether one more page can be opened.
  var canOpen: Bool { isGreeted && arrivals.count { $0.isOpening } < Limits.browserOpenings }

  mutating func handle(_ event: Event) -> [Effect] {
    effects = []
    take(event)
    return effects
  }

  private mutating func send(_ message: ToBrowser) { effects.append(.send(message)) }

  private mutating func take(_ event: Event) {
    switch event {
    case .message(let message): take(message)
    case .refused(let failure): send(.error(failure))
    case .device(let name, let reason):
      guard device.name != name || device.reason != reason else { return }
      device = (name, reason)
      if isGreeted { send(.ready(device: name, reason: reason)) }
    case .saving(let key):
      guard isGreeted, pages.contains(where: { $0.key == key }) else { return }
      lastRequest += 1
      asking = (lastRequest, key)
      send(.where(request: lastRequest, key: key))
    case .placeOverdue: asking = nil
    case .arrived(let number, let url, let title, let place):
      arrivals.append(Arrival(number: number))
      if arrivals.count > Limits.browserOpenings, let old = arrivals.firstIndex(where: { !$0.isOpening }) {
        effects.append(.forget(arrivals.remove(at: old).number))
      }
      send(.open(continuation: number, url: url.string, title: title, place: place))
    case .openOverdue(let number): ended(number, .failed(number))
    case .continuedElsewhere(let key):
      if pages.contains(where: { $0.key == key }) { send(.taken(key: key)) }
    case .offers(let offers):
      if isFollowing { send(.offers(offers)) }
    case .links(let hosts):
      guard links != hosts else { return }
      links = hosts
      if isGreeted { send(.links(hosts)) }
    case .followed(let request, let isTaken):
      if followed.remove(request) != nil { send(.followed(request: request, isTaken: isTaken)) }
    case .chosen(let choice, let reason):
      choices.removeAll { $0 == choice }
      send(.continued(device: choice.device, activity: choice.activity, reason: reason))
    case .receivers(let receivers):
      if isFollowing { send(.receivers(receivers)) }
    case .sent(let device, let reason):
      if let index = sending.firstIndex(of: device) { sending.remove(at: index) }
      send(.sent(device: device, reason: reason))
    }
  }

  private mutating func take(_ message: FromBrowser) {
    if case .hello(let version, let browser) = message { return greet(version, browser) }
    guard isGreeted else { return refuse(message, "The first message is \"hello\".") }
    switch message {
    case .hello: break
    case .page(let key, let url, let title, let place, let continuation):
      show(message, key, url, title, place, continuation)
    case .moved(let key):
      if pages.contains(where: { $0.key == key }) { effects.append(.needsSave(key: key)) }
    case .left(let key):
      guard current == key else { return }
      current = nil
      effects.append(.resign(key: key))
    case .closed(let key): end(key)
    case .place(let request, let place):
      guard let asking, asking.request == request else { return }
      self.asking = nil
      if let place { effects.append(.setPlace(key: asking.key, place)) }
    case .opened(let number): ended(number, .opened(number))
    case .failed(let number, _): ended(number, .failed(number))
    case .list, .unlist:
      isFollowing = message == .list
      effects.append(.follow(isFollowing))
    case .follow(let request, let url): follow(request, url)
    case .send(let key, let device): sendPage(key, to: device)
    case .continue(let device, let activity): choose(Choice(device: device, activity: activity))
    }
  }

  private mutating func refuse(_ message: FromBrowser, _ reason: String) {
    send(.error(FromBrowser.Failure(of: message.type, reason: reason)))
  }

  private mutating func greet(_ version: Int, _ name: String) {
    let hello = FromBrowser.hello(version: version, browser: name)
    guard version == ToBrowser.version else {
      return refuse(hello, "The extension speaks version \(version), and segue-browser version \(ToBrowser.version).")
    }
    guard name == browser.rawValue else {
      return refuse(hello, "This segue-browser was started by \(browser.rawValue).")
    }
    if !isGreeted { effects.append(.begin) }
    isGreeted = true
    send(.ready(device: device.name, reason: device.reason))
    if !links.isEmpty { send(.links(links)) }
  }

  // MARK: Pages

  private mutating func show(
    _ message: FromBrowser, _ key: String, _ url: String, _ title: String, _ place: Place?, _ continuation: Int?
  ) {
    do throws(SegueError) {
      try WebURL.check(url, "A page's URL")
    } catch {
      // The tab no longer shows its former page.
      end(key)
      return refuse(message, error.message)
    }
    let former = pages.firstIndex { $0.key == key }.map { pages.remove(at: $0) }
    pages.append(Page(key: key, url: url))
    if pages.count > Limits.browserPages { end(pages[0].key) }
    current = key
    let arrival = former == nil ? arrivals.firstIndex { $0.number == continuation && !$0.isAdopted } : nil
    effects.append(
      .show(key: key, url: url, title: DisplayText.clean(title), adopting: arrival.map { arrivals[$0].number }))
    if let arrival {
      arrivals[arrival].isAdopted = true
      forgetEnded(arrival)
    } else if former?.url != url {
      effects.append(.setPlace(key: key, place))
      if place == nil { effects.append(.needsSave(key: key)) }
    }
  }

  private mutating func end(_ key: String) {
    if current == key { current = nil }
    if asking?.key == key { asking = nil }
    guard let index = pages.firstIndex(where: { $0.key == key }) else { return }
    pages.remove(at: index)
    effects.append(.end(key: key))
  }

  // MARK: Other devices' pages

  private mutating func ended(_ number: Int, _ effect: Effect) {
    guard let index = arrivals.firstIndex(where: { $0.number == number && $0.isOpening }) else { return }
    arrivals[index].isOpening = false
    effects.append(effect)
    forgetEnded(index)
  }

  private mutating func forgetEnded(_ index: Int) {
    if arrivals[index].isAdopted, !arrivals[index].isOpening { arrivals.remove(at: index) }
  }

  /// The user waits for the page, so a link that no application can be asked about is answered at once.
  private mutating func follow(_ request: Int, _ text: String) {
    guard let url = WebURL(text), followed.count < Limits.browserChoices, !followed.contains(request) else {
      return send(.followed(request: request, isTaken: false))
    }
    followed.insert(request)
    effects.append(.openLink(request: request, url))
  }

  private mutating func sendPage(_ key: String, to device: String) {
    guard pages.contains(where: { $0.key == key }) else {
      return send(.sent(device: device, reason: "This page is not on offer, so it cannot be sent."))
    }
    guard sending.count < Limits.browserChoices else {
      return send(.sent(device: device, reason: "\(Limits.browserChoices) pages are being sent; wait a moment."))
    }
    sending.append(device)
    effects.append(.sendPage(key: key, device: device))
  }

  private mutating func choose(_ choice: Choice) {
    guard !choices.contains(choice) else { return }
    guard choices.count < Limits.browserChoices else {
      let reason = "\(Limits.browserChoices) choices are under way; wait until they are over."
      return send(.continued(device: choice.device, activity: choice.activity, reason: reason))
    }
    choices.append(choice)
    effects.append(.choose(choice))
  }
}
