import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueRuntime

/// The process behind the extension: an application of Segue, whose activities are the browser's tabs.
public final class BrowserHost {
  /// A page of another device.
  private struct Arrival {
    var activity: Activity?
    var restoration: Restoration?
  }

  private let browser: Browser
  private let loop: EventLoop
  private let application: Application
  private let type: ActivityType
  private let pipe: BrowserPipe
  private let desk: OfferClient
  private var session: BrowserSession
  private var activities: TextMap<Activity> = [:]
  private var arrivals: [Int: Arrival] = [:]
  private var lastArrival = 0
  private var watches: [LoopWatch] = []
  private var device: String?
  private var trouble: SegueError?
  /// A message was dropped since it was too long.
  private var hasRefused = false
  /// The status to end with.
  private var status: Int32?

  /// Runs until the browser ends it; gives the status to end with.
  public static func run(startedWith arguments: [String]) throws(SegueError) -> Int32 {
    guard let browser = Browser(startedWith: arguments) else {
      throw SegueError(
        .accessDenied, "Only a browser starts this, for the Segue extension.",
        advice: "Install the extension in Firefox or Chromium; docs/web.md says how.")
    }
    signal(SIGPIPE, SIG_IGN)
    return try BrowserHost(browser).run()
  }

  private init(_ browser: Browser) throws(SegueError) {
    guard let id = AppID(browser.appID), let type = ActivityType("org.segue.BrowsingWeb") else {
      throw SegueError(.invalidArgument, "\(browser.appID) is not an application's id.")
    }
    self.browser = browser
    self.type = type
    loop = try EventLoop()
    pipe = try BrowserPipe(loop)
    application = try Application(appID: id, busAddress: nil, ownsAppID: false)
    desk = OfferClient(loop)
    session = BrowserSession(browser)
  }

  private func run() throws(SegueError) -> Int32 {
    pipe.received = { [unowned self] message in
      switch message {
      case .whole(let bytes): take(bytes)
      case .tooLong(let length): refuse(length)
      }
    }
    pipe.ended = { [unowned self] fault in
      if let fault { Self.log(fault) }
      status = fault == nil ? 0 : 1
    }
    application.delegate.continueActivity = { [unowned self] _, activity, restoration in
      arrived(activity, restoration)
    }
    application.delegate.stateChanged = { [unowned self] _, _ in tellDevice() }
    desk.deviceChanged = { [unowned self] name, error in
      device = name
      trouble = error
      tellDevice()
    }
    desk.offersChanged = { [unowned self] in handle(.offers(BrowserOffer.list($0))) }
    desk.devicesChanged = { [unowned self] in handle(.receivers(BrowserReceiver.list($0))) }
    desk.linksChanged = { [unowned self] in handle(.links($0)) }
    watches = [try loop.watch(application.descriptor, .readable) { [unowned self] _ in _ = application.dispatch() }]
    desk.open()
    while status == nil { loop.wait(milliseconds: -1) }
    // Other devices' knowledge of the tabs is taken back before the process ends.
    for activity in activities.values { application.invalidate(activity) }
    Handle.drop(Unmanaged.passRetained(ApplicationHandle(application)))
    desk.close()
    return status ?? 0
  }

  private func take(_ bytes: [UInt8]) {
    do throws(FromBrowser.Failure) {
      handle(.message(try FromBrowser(bytes)))
    } catch {
      handle(.refused(error))
    }
  }

  /// Notifies the extension of each dropped message, and the log of the first.
  private func refuse(_ length: Int) {
    let reason = "A message has \(length) bytes, and \(Limits.browserMessage) are the most."
    if !hasRefused { Self.log("a message of the browser was dropped: \(reason)") }
    hasRefused = true
    handle(.refused(FromBrowser.Failure(reason: reason)))
  }

  static func log(_ text: String) {
    let line = Array("segue-browser: \(DisplayText.clean(text, maximum: Limits.sentenceLength))\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  /// Whether pages take part, and if not, why.
  private func tellDevice() {
    let unknown = trouble?.message ?? BrowserSession.unanswered
    switch application.status {
    case .registered: handle(.device(name: device, reason: device == nil ? unknown : nil))
    case .nameTaken: handle(.device(name: nil, reason: "This browser takes part already, with another profile."))
    case .lost(let error): handle(.device(name: nil, reason: error.message))
    case .registering: handle(.device(name: nil, reason: unknown))
    }
  }

  // MARK: Decisions

  private func handle(_ event: BrowserSession.Event) {
    for effect in session.handle(event) { perform(effect) }
  }

  private func perform(_ effect: BrowserSession.Effect) {
    switch effect {
    case .send(let message): pipe.send(message.json.text)
    case .begin: application.ready()
    case .show(let key, let url, let title, let adopted): show(key, url, title, adopted)
    case .setPlace(let key, let place):
      change(key) { (it) throws(SegueError) in try it.setUserInfo(place?.userInfo ?? [:]) }
    case .needsSave(let key): change(key) { (it) throws(SegueError) in try it.setNeedsSave(true) }
    case .resign(let key):
      if let activity = activities[key] { application.resign(activity) }
    case .end(let key):
      if let activity = activities.removeValue(forKey: key) { application.invalidate(activity) }
    case .opened(let number): _ = restoration(number)?.restore([])
    case .failed(let number): _ = restoration(number)?.fail()
    case .forget(let number): arrivals[number] = nil
    case .follow(let isFollowing): desk.follow(isFollowing)
    case .choose(let choice): choose(choice)
    case .sendPage(let key, let device): sendPage(key, to: device)
    case .openLink(let request, let url):
      desk.openLink(url) { [weak self] isTaken in self?.handle(.followed(request: request, isTaken: isTaken)) }
    }
  }

  // MARK: Tabs

  private func show(_ key: String, _ url: String, _ title: String, _ adopted: Int?) {
    let activity = activities[key] ?? adopted.flatMap { adopt($0) } ?? Activity(application: application, type: type)
    if activities[key] !== activity {
      activities[key] = activity
      activity.delegate.willSave = { [unowned self] _ in save(key) }
      activity.delegate.wasContinued = { [unowned self] _ in handle(.continuedElsewhere(key: key)) }
    }
    change(key) { (it) throws(SegueError) in
      try it.setWebpageURL(url)
      try it.setTitle(title)
    }
    application.makeCurrent(activity)
  }

  private func adopt(_ number: Int) -> Activity? {
    let activity = arrivals[number]?.activity
    arrivals[number]?.activity = nil
    if arrivals[number]?.restoration == nil { arrivals[number] = nil }
    activity?.retained()
    return activity
  }

  private func change(_ key: String, _ body: (Activity) throws(SegueError) -> Void) {
    guard let activity = activities[key] else { return }
    do throws(SegueError) { try body(activity) } catch { Self.log(error.message) }
  }

  /// Asks the browser where the page is scrolled to. This happens within the library's save callback, which has to
  /// return with a place or without one.
  private func save(_ key: String) {
    handle(.saving(key: key))
    pipe.wait(until: .now + Limits.browserPlaceTime) { !session.isAsking }
    handle(.placeOverdue)
  }

  // MARK: Other devices' pages

  private func arrived(_ activity: Activity, _ restoration: Restoration) -> Bool {
    guard session.canOpen, let url = activity.webpageURL.flatMap({ WebURL($0) }) else { return false }
    lastArrival += 1
    let number = lastArrival
    restoration.retained()
    arrivals[number] = Arrival(activity: activity, restoration: restoration)
    loop.timer(after: Limits.browserOpenTime) { [weak self] in self?.handle(.openOverdue(number)) }
    let place = Place(userInfo: activity.userInfo)
    handle(.arrived(number: number, url: url, title: DisplayText.clean(activity.title ?? ""), place))
    return true
  }

  private func restoration(_ number: Int) -> Restoration? {
    guard let restoration = arrivals[number]?.restoration else { return nil }
    arrivals[number]?.restoration = nil
    if arrivals[number]?.activity == nil { arrivals[number] = nil }
    loop.later { Handle.drop(Unmanaged.passRetained(restoration)) }
    return restoration
  }

  // MARK: Sending

  /// The page that the user sends is the one that the user sees, so that it is on offer.
  private func sendPage(_ key: String, to device: String) {
    guard let activity = activities[key] else {
      return handle(.sent(device: device, reason: "This page is not on offer, so it cannot be sent."))
    }
    application.makeCurrent(activity)
    desk.send(activity.id, to: device) { [weak self] error in
      self?.handle(.sent(device: device, reason: error.map { "\($0.message) \($0.advice)" }))
    }
  }

  // MARK: Offers

  /// First asks the browser in which the user has chosen the activity. It continues pages; other applications continue
  /// everything else.
  private func choose(_ choice: BrowserSession.Choice) {
    choose(choice, app: browser.appID) { [weak self] error in
      guard let self else { return }
      guard error?.code == .noApplication else { return chosen(choice, error) }
      choose(choice, app: nil) { [weak self] error in self?.chosen(choice, error) }
    }
  }

  private func choose(_ choice: BrowserSession.Choice, app: String?, _ done: @escaping (SegueError?) -> Void) {
    desk.choose(activity: choice.activity, of: choice.device, app: app, done)
  }

  private func chosen(_ choice: BrowserSession.Choice, _ error: SegueError?) {
    handle(.chosen(choice, reason: error.map { $0.message }))
  }
}
