import SegueCore

/// Decides which notifications are shown: offers (semantics V16), introduced devices, that something is on its way (V4,
/// V18), and what went wrong (V5, V7). It knows what is on the screen, so that each notice is shown once, and closed in
/// time.
public struct Notices: Sendable {
  public enum Key: Hashable, Sendable {
    case offer(OfferID)
    /// The introduction of this device, which waits for the user's decision.
    case introduction(DeviceID)
    /// That the device was accepted, and could not be written down.
    case introductionFailure(DeviceID)
    /// That the choice of an offer was refused at once.
    case refusal(OfferID)
    case continuation(Identifier)
    /// The text with this id, which another device's user has sent.
    case text(Identifier)
    /// That a text could not be shown.
    case textFailure(Identifier)
    /// That sending to the device from a surface of the desktop has failed.
    case sendFailure(DeviceID)
    /// That sending a link to a phone from a surface of the desktop has failed.
    case linkFailure
  }

  /// An offer that can be continued here, for a person.
  public struct Offered: Sendable {
    public let id: OfferID
    public let title: String?
    /// The name of the device that offers it.
    public let origin: String
    public let application: Notice.Application
    /// Where a browser opens its page, if no application continues it (semantics W1).
    public let pageHost: String?
    /// Whether that device's user has sent it here.
    public let isSent: Bool
    /// What to know of its file before it is chosen (semantics O3).
    public let file: String?

    public init(
      id: OfferID, title: String?, origin: String, application: Notice.Application, pageHost: String? = nil,
      isSent: Bool = false, file: String? = nil
    ) {
      self.id = id
      self.title = title
      self.origin = origin
      self.application = application
      self.pageHost = pageHost
      self.isSent = isSent
      self.file = file
    }

    fileprivate var notice: Notice {
      Notice.offer(application, title: title, pageHost: pageHost, origin: origin, isSent: isSent, file: file)
    }
  }

  public enum Event: Sendable {
    /// All offers of other devices that can be continued here now.
    case offers([Offered])
    /// All devices that wait for the user's decision now, with one entry for each introducer of a device, the first one
    /// first.
    case introductions([Introduced])
    /// The user of another device has sent this offer: it is shown, even if it was shown before.
    case sent(Offered)
    /// The user of another device has sent a text.
    case text(Identifier, String, origin: String)
    /// The text is forgotten.
    case textGone(Identifier)
    case textNotShown(Identifier, SegueError)
    /// The user has sent something from a surface of the desktop, in vain.
    case notSent(DeviceID, SegueError)
    /// As above, to a phone.
    case linkNotSent(SegueError)
    /// The user has accepted the device, but it could not be saved.
    case notPaired(DeviceID, name: String, SegueError)
    /// The offer was chosen, by its notification or in another way.
    case chosen(OfferID)
    /// The choice of an offer was refused at once.
    case refused(Offered?, SegueError, id: OfferID)
    /// will_continue has returned; `shown`: the application shows that something comes.
    case announced(Offered, continuation: Identifier, shown: Bool)
    /// The application has not answered the launch message for a while.
    case notResponding(Offered, continuation: Identifier)
    /// `shownByApplication`: it has shown the error, or will.
    case ended(Offered, continuation: Identifier, SegueError?, shownByApplication: Bool)

    /// The user dismissed it, or it expired.
    case closed(Key)
    /// The user chose an action of the notification. The token lets the application's window come to the front.
    case invoked(Key, Notice.Action, activationToken: String?)
    /// It could not be shown.
    case notShown(Key)
    case serverAppeared
    case serverGone
  }

  public enum Effect: Equatable, Sendable {
    /// Show the notice, in place of an earlier one with the same key.
    case show(Key, Notice)
    case close(Key)
    case choose(OfferID, activationToken: String?)
    /// Pair with the device as that introducer has introduced it, or do not pair with it.
    case accept(DeviceID, introducer: DeviceID)
    case decline(DeviceID)
    /// The user wants to read the text.
    case readText(Identifier, activationToken: String?)
  }

  enum State: Sendable {
    case shown
    /// There was no server to show it.
    case waiting
    /// It was shown, and is over. The same offer is not shown again.
    case over
  }

  private struct OfferEntry: Sendable {
    let title: String?
    var notice: Notice
    var state: State
    var isOnOffer: Bool
    /// A younger one has a higher number.
    let number: UInt64
  }

  private var offers: [OfferID: OfferEntry] = [:]
  /// Notices+Introductions.swift decides on them.
  var introductions: [DeviceID: IntroductionEntry] = [:]
  private var count: UInt64 = 0
  /// When each device's last ones were shown, the newest last.
  private var times: [DeviceID: [Instant]] = [:]
  /// Notices of continuations, refused choices and introductions that could not be saved, the newest last.
  private var others: [(key: Key, notice: Notice, isShown: Bool, since: Instant)] = []

  /// Offers and introductions of one device that may be shown in a minute.
  private let perMinute: Int

  public init(perMinute: Int = Limits.noticesPerMinute) { self.perMinute = perMinute }

  public mutating func handle(_ event: Event, now: Instant) -> [Effect] {
    switch event {
    case .offers(let offered): return replace(offered, now)
    case .introductions(let introduced): return replace(introduced, now)
    case .notPaired(let device, let name, let error):
      return show(.introductionFailure(device), .failure(.none, title: name, error), now)
    case .sent(let offer): return showSent(offer)
    case .text(let id, let text, let origin): return show(.text(id), .text(text, origin: origin), now)
    case .textGone(let id): return take(.text(id))
    case .textNotShown(let id, let error):
      return show(.textFailure(id), .failure(.none, title: nil, error), now)
    case .notSent(let device, let error):
      return show(.sendFailure(device), .failure(.none, title: nil, error), now)
    case .linkNotSent(let error): return show(.linkFailure, .failure(.none, title: nil, error), now)
    case .chosen(let id): return finish(id)
    case .refused(let offer, let error, let id):
      return show(.refusal(id), .failure(offer?.application ?? .none, title: offer?.title, error), now)
    case .announced(let offer, let continuation, let shown):
      guard !shown else { return take(.continuation(continuation)) }
      return show(
        .continuation(continuation), .progress(offer.application, title: offer.title, origin: offer.origin), now)
    case .notResponding(let offer, let continuation):
      return show(.continuation(continuation), .notResponding(offer.application, title: offer.title), now)
    case .ended(let offer, let continuation, let error, let shownByApplication):
      guard let error, !shownByApplication, error.code != .userCancelled else {
        return take(.continuation(continuation))
      }
      return show(.continuation(continuation), .failure(offer.application, title: offer.title, error), now)

    case .closed(.offer(let id)):
      offers[id]?.state = .over
      return []
    case .closed(.introduction(let device)):
      introductions[device]?.state = .over
      return []
    case .closed(let key):
      others.removeAll { $0.key == key }
      return []
    case .invoked(.offer(let id), .continue, let token):
      return finish(id) + [.choose(id, activationToken: token)]
    case .invoked(.introduction(let device), let action, _): return answer(device, action)
    case .invoked(.text(let id), .read, let token):
      return take(.text(id)) + [.readText(id, activationToken: token)]
    case .invoked(let key, _, _): return take(key)

    case .notShown(.offer(let id)):
      if offers[id]?.state == .shown { offers[id]?.state = .waiting }
      return []
    case .notShown(.introduction(let device)):
      if introductions[device]?.state == .shown { introductions[device]?.state = .waiting }
      return []
    case .notShown(let key):
      for index in others.indices where others[index].key == key { others[index].isShown = false }
      return []
    case .serverGone:
      for id in offers.keys where offers[id]?.state == .shown { offers[id]?.state = .waiting }
      for id in introductions.keys where introductions[id]?.state == .shown { introductions[id]?.state = .waiting }
      // The failure was read; if the user tries again, there will be a new one.
      others.removeAll { $0.isShown && $0.notice.kind == .failure }
      for index in others.indices { others[index].isShown = false }
      return []
    case .serverAppeared: return showWaiting(now)
    }
  }

  // MARK: Offers

  private mutating func replace(_ offered: [Offered], _ now: Instant) -> [Effect] {
    var effects: [Effect] = []
    let current = Set(offered.map { $0.id })
    let gone = offers.filter { $0.value.isOnOffer && !current.contains($0.key) }
    for (id, _) in gone.sorted(by: { $0.value.number < $1.value.number }) {
      effects += finish(id)
      offers[id]?.isOnOffer = false
    }
    for offer in offered { effects += note(offer, now) }
    forgetOldest()
    return effects
  }

  private mutating func note(_ offer: Offered, _ now: Instant) -> [Effect] {
    let notice = offer.notice
    if let entry = offers[offer.id], entry.title == offer.title {
      offers[offer.id]?.isOnOffer = true
      guard entry.state != .over, entry.notice != notice else { return [] }
      offers[offer.id]?.notice = notice
      guard entry.state == .shown else { return [] }
      // An offer's host or application may change without end, so each change takes a turn; without one the outdated
      // notice is closed.
      guard takeTurn(offer.id.device, now) else { return finish(offer.id) }
      return [.show(.offer(offer.id), notice)]
    }
    // With another title it is another activity to the user.
    let wasShown = offers[offer.id]?.state == .shown
    let mayShow = takeTurn(offer.id.device, now)
    count &+= 1
    offers[offer.id] = OfferEntry(
      title: offer.title, notice: notice, state: mayShow ? .shown : .over, isOnOffer: true, number: count)
    if mayShow { return [.show(.offer(offer.id), notice)] }
    return wasShown ? [.close(.offer(offer.id))] : []
  }

  /// Shows what was sent, whether it was shown, dismissed or never seen before. `IncomingProposals` bounds how often.
  private mutating func showSent(_ offer: Offered) -> [Effect] {
    count &+= 1
    let notice = offer.notice
    offers[offer.id] = OfferEntry(title: offer.title, notice: notice, state: .shown, isOnOffer: true, number: count)
    return [.show(.offer(offer.id), notice)]
  }

  /// Whether one more notice of the device may be shown: each device has a quota of its own, so that none floods the
  /// screen or crowds out another.
  mutating func takeTurn(_ device: DeviceID, _ now: Instant) -> Bool {
    for device in times.keys {
      times[device]?.removeAll { now.time(since: $0) >= 60_000 }
      if times[device]?.isEmpty == true { times[device] = nil }
    }
    guard times[device, default: []].count < perMinute else { return false }
    times[device, default: []].append(now)
    return true
  }

  private mutating func finish(_ id: OfferID) -> [Effect] {
    guard let entry = offers[id] else { return [] }
    offers[id]?.state = .over
    return entry.state == .shown ? [.close(.offer(id))] : []
  }

  /// Remembers at most `Limits.noticesRemembered` withdrawn offers of each device.
  private mutating func forgetOldest() {
    var gone: [DeviceID: [(id: OfferID, number: UInt64)]] = [:]
    for (id, entry) in offers where !entry.isOnOffer { gone[id.device, default: []].append((id, entry.number)) }
    for entries in gone.values where entries.count > Limits.noticesRemembered {
      let oldest = entries.sorted { $0.number < $1.number }.prefix(entries.count - Limits.noticesRemembered)
      for entry in oldest { offers[entry.id] = nil }
    }
  }

  // MARK: Continuations

  private mutating func show(_ key: Key, _ notice: Notice, _ now: Instant) -> [Effect] {
    others.removeAll { $0.key == key }
    others.append((key, notice, true, now))
    // If no server ever comes, waiting notices must not pile up.
    if others.count > Limits.noticesWaiting, let index = others.firstIndex(where: { !$0.isShown }) {
      others.remove(at: index)
    }
    return [.show(key, notice)]
  }

  private mutating func take(_ key: Key) -> [Effect] {
    guard let index = others.firstIndex(where: { $0.key == key }) else { return [] }
    return others.remove(at: index).isShown ? [.close(key)] : []
  }

  // MARK: The server

  private mutating func showWaiting(_ now: Instant) -> [Effect] {
    var effects: [Effect] = []
    // An old failure is not shown: the user has moved on, and no longer knows what it is about.
    others.removeAll {
      !$0.isShown && $0.notice.kind == .failure && now.time(since: $0.since) > Limits.noticeFailureTime
    }
    for (id, entry) in offers.sorted(by: { $0.value.number < $1.value.number }) where entry.state == .waiting {
      offers[id]?.state = .shown
      effects.append(.show(.offer(id), entry.notice))
    }
    effects += showWaitingIntroductions()
    for index in others.indices where !others[index].isShown {
      others[index].isShown = true
      effects.append(.show(others[index].key, others[index].notice))
    }
    return effects
  }
}
