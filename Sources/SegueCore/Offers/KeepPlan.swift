/// Plans which activities of other devices are fetched to be kept here (semantics X7). Pure: the caller gives the time.
public struct KeepPlan {
  public enum Effect: Equatable {
    /// Fetch it; the origin answers with what it has stored.
    case fetch(OfferID)
    /// Remove the copy: the activity is not on offer any more, or may not be kept any more.
    case forget(OfferID)
    /// Call `timer` then.
    case wake(Instant)
  }

  private struct State {
    /// The revision that the origin has offered last.
    public var offered: UInt64
    /// The revision that is kept here.
    public var kept: UInt64?
    /// The revision that could not be had over this link.
    var refused: UInt64?
    var fetchedAt: Instant?
    /// What was on offer when the present fetch began; nil: no fetch is under way.
    var asked: UInt64?
    /// The origin has said again what it has on offer since the last fetch began.
    var isNews = true

    public var isDue: Bool {
      isNews && (kept.map { $0 < offered } ?? true) && (refused.map { $0 < offered } ?? true)
    }
  }

  /// What one device has cost, whatever the ids of its activities were: a device may make up new ones without end.
  ///
  /// This is no `Allowance`: in no interval there are more fetches than `keepFetches`, of which a burst and those after it
  /// would make two times as many, and bytes are counted when they have come, so that some are always too many.
  private struct Spending {
    /// When the fetches of the last interval began, the newest last.
    var begun: [Instant] = []
    /// The bytes that have come since.
    var bytes = 0
    var since: Instant

    /// When the next fetch may begin.
    mutating func next(_ interval: UInt64, now: Instant) -> Instant {
      if now.time(since: since) >= Limits.keepTime { (since, bytes) = (now, 0) }
      begun.removeAll { now.time(since: $0) >= interval }
      let rate = begun.count < Limits.keepFetches ? now : begun[0] + interval
      return max(rate, bytes < Limits.keepBytes ? now : since + Limits.keepTime)
    }
  }

  private var items: [OfferID: State] = [:]
  private var spendings: [DeviceID: Spending] = [:]
  /// The devices that can be asked.
  private var linked: Set<DeviceID> = []
  /// The shortest time between two fetches of one activity, in milliseconds.
  private let interval: UInt64

  public init(interval: UInt64 = Limits.keepInterval) { self.interval = interval }

  /// The store has a copy from an earlier run.
  public mutating func found(_ item: OfferID, revision: UInt64) {
    items[item] = State(offered: revision, kept: revision)
  }

  /// Told with all offers of a device that may be kept, and that an application here could continue.
  public mutating func offered(_ offers: [Offer], by device: DeviceID, now: Instant) -> [Effect] {
    var effects: [Effect] = []
    linked.insert(device)
    for item in sorted(items.keys) where item.device == device {
      guard !offers.contains(where: { $0.id == item.activity }) else { continue }
      items[item] = nil
      effects.append(.forget(item))
    }
    for offer in offers {
      let item = OfferID(device: device, activity: offer.id)
      items[item, default: State(offered: 0)].offered = offer.revision
      items[item]?.isNews = true
    }
    return effects + due(device, now: now)
  }

  /// The fetch has been answered. `revision`: nil if it failed; it is tried again when the offer changes, and over the next
  /// link: the device may have removed this one, and have added it again.
  public mutating func fetched(_ item: OfferID, revision: UInt64?, now: Instant) -> [Effect] {
    guard var state = items[item], let asked = state.asked else { return [] }
    state.asked = nil
    state.fetchedAt = now
    // The origin may have stored only an earlier revision so far. It is asked again when it has announced its offers
    // once more.
    if let revision { state.kept = revision } else { state.refused = asked }
    items[item] = state
    return due(item.device, now: now)
  }

  /// So much has come of the device to be kept.
  public mutating func received(_ bytes: Int, from device: DeviceID, now: Instant) {
    spendings[device, default: Spending(since: now)].bytes += bytes
  }

  /// The fetch has ended without an answer. It is tried again.
  public mutating func interrupted(_ item: OfferID, now: Instant) -> [Effect] {
    guard items[item]?.asked != nil else { return [] }
    items[item]?.asked = nil
    items[item]?.isNews = true
    items[item]?.fetchedAt = now
    return due(item.device, now: now)
  }

  /// The link to the device has ended. Fetches that are under way will not be answered, and nothing is fetched before
  /// the device has announced its offers again.
  public mutating func lost(_ device: DeviceID) {
    linked.remove(device)
    for item in items.keys where item.device == device {
      items[item]?.asked = nil
      items[item]?.refused = nil
      items[item]?.fetchedAt = nil
    }
  }

  /// The device is not paired any more, or its copies were removed for another reason.
  public mutating func removed(_ fits: (OfferID) -> Bool) { items = items.filter { !fits($0.key) } }

  public mutating func timer(_ device: DeviceID, now: Instant) -> [Effect] { due(device, now: now) }

  private mutating func due(_ device: DeviceID, now: Instant) -> [Effect] {
    guard linked.contains(device) else { return [] }
    var effects: [Effect] = []
    var next: Instant?
    var spending = spendings[device] ?? Spending(since: now)
    for item in sorted(items.keys) where item.device == device {
      guard let state = items[item], state.isDue, state.asked == nil else { continue }
      let time = max(state.fetchedAt.map { $0 + interval } ?? now, spending.next(interval, now: now))
      if time > now {
        next = min(next ?? time, time)
      } else {
        items[item]?.asked = state.offered
        items[item]?.isNews = false
        spending.begun.append(now)
        effects.append(.fetch(item))
      }
    }
    spendings[device] = spending
    if let next { effects.append(.wake(next)) }
    return effects
  }

  /// A fixed order, so that effects do not depend on a dictionary's order.
  private func sorted(_ items: some Sequence<OfferID>) -> [OfferID] { items.sorted { $0.activity < $1.activity } }
}
