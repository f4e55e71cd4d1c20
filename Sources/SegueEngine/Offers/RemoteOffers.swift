import SegueCore

/// The offers of other devices, by their last announcements. Pure.
public struct RemoteOffers {
  public struct Entry: Equatable {
    public let device: DeviceID
    public let offer: Offer
    /// When it became current on its device; where that does not say, when it was first seen here.
    public let since: Instant
    /// Milliseconds by which that was before this device's clock began.
    public var before: UInt64 = 0
    /// When it expires, even if its device is out of reach by then; nil: never (semantics C7).
    public var expires: Instant?

    /// The offer's name.
    var id: OfferID { OfferID(device: device, activity: offer.id) }

    public func looksLike(_ other: Entry) -> Bool {
      var (offer, otherOffer) = (offer, other.offer)
      (offer.timeLeft, otherOffer.timeLeft) = (nil, nil)
      (offer.age, otherOffer.age) = (nil, nil)
      guard device == other.device, since == other.since, offer == otherOffer else { return false }
      guard let expires, let otherExpires = other.expires else { return expires == other.expires }
      return max(expires, otherExpires).time(since: min(expires, otherExpires)) < Limits.expiryTolerance
    }
  }

  private struct Device {
    /// The number of the last announcement; nil: none has come on the present link.
    public var sequence: UInt64?
    public var offers: [Entry]
    /// Former offers, the latest last. The origin may still answer a fetch of them.
    public var former: [Former]
  }

  private struct Former {
    public let entry: Entry
    /// Until when it can still be chosen by its id.
    public let until: Instant
    /// It was on offer when the link to its device was lost, and was not withdrawn.
    public let isLost: Bool
  }

  private var devices: [DeviceID: Device] = [:]
  /// How long a former offer can still be chosen by its id, in milliseconds.
  private let graceTime: UInt64
  /// The same if the link to its device was lost: as long as a choice waits for the next link (semantics X9).
  private let outageTime: UInt64

  public init(graceTime: UInt64 = Limits.graceTime, outageTime: UInt64 = Limits.fetchTime) {
    self.graceTime = graceTime
    self.outageTime = outageTime
  }

  /// Replaces the list of a device's offers. Returns false if nothing changed. An announcement that is older than the
  /// last one on this link is dropped; on a new link the numbers begin anew (`lose`).
  public mutating func replace(_ device: DeviceID, sequence: UInt64, offers: [Offer], now: Instant) -> Bool {
    let known = devices[device]
    if let last = known?.sequence, sequence <= last { return false }
    // An id that is said more than once counts once.
    var ids: Set<Identifier> = []
    let entries = offers.filter { ids.insert($0.id).inserted }.map { offer in
      let start = Self.start(of: offer, known, now: now)
      return Entry(
        device: device, offer: offer, since: start.since, before: start.before,
        expires: offer.timeLeft.flatMap { now.deadline(in: $0) })
    }
    // The device is back. A former offer that it does not announce any more does not wait for the link any longer.
    var former = (known?.former ?? []).filter { $0.until > now }
      .map { Former(entry: $0.entry, until: $0.until, isLost: false) }
    former += (known?.offers ?? []).map { Former(entry: $0, until: now + graceTime, isLost: false) }
    former.removeAll { gone in entries.contains { $0.offer.id == gone.entry.offer.id } }
    devices[device] = Device(sequence: sequence, offers: entries, former: former.suffix(Limits.offersPerDevice))
    return !(known?.offers ?? []).elementsEqual(entries) { $0.looksLike($1) }
  }

  /// When an offer became current: as its device says, otherwise when it was first seen, on this or a former link.
  private static func start(of offer: Offer, _ known: Device?, now: Instant) -> (since: Instant, before: UInt64) {
    let first =
      known?.offers.first { $0.offer.id == offer.id } ?? known?.former.last { $0.entry.offer.id == offer.id }?.entry
    guard let age = offer.age else { return (first?.since ?? now, first?.before ?? 0) }
    // The way here takes another time each time.
    if let first {
      let known = now.time(since: first.since) + first.before
      if max(known, age) - min(known, age) < Limits.expiryTolerance { return (first.since, first.before) }
    }
    let since = now - age
    return (since, age - now.time(since: since))
  }

  /// Forgets what has expired, even if its device did not say so (semantics C7). Returns whether that changed the
  /// offers, and the time at which to look again.
  public mutating func expire(now: Instant) -> (changed: Bool, next: Instant?) {
    func isOver(_ entry: Entry) -> Bool { entry.expires.map { $0 <= now } ?? false }
    var (changed, next) = (false, Instant?.none)
    for (id, device) in devices {
      changed = changed || device.offers.contains { isOver($0) }
      devices[id]?.offers.removeAll { isOver($0) }
      devices[id]?.former.removeAll { isOver($0.entry) }
      for entry in devices[id]?.offers ?? [] {
        if let expires = entry.expires { next = min(next ?? expires, expires) }
      }
    }
    return (changed, next)
  }

  /// The link to a device has ended, or a new one begins. Returns false if the device had nothing on offer. Its offers
  /// can still be chosen for a while; such a choice waits for the next link (semantics X9).
  public mutating func lose(_ device: DeviceID, now: Instant) -> Bool {
    guard let known = devices[device] else { return false }
    let former = known.former.filter { $0.until > now || $0.isLost }
    let lost = known.offers.map { Former(entry: $0, until: now + outageTime, isLost: true) }
    devices[device] = Device(sequence: nil, offers: [], former: (former + lost).suffix(Limits.offersPerDevice))
    return !known.offers.isEmpty
  }

  /// The device is no longer paired (semantics V14).
  public mutating func forget(_ device: DeviceID) { devices[device] = nil }

  /// The device's offers, each once.
  public func offers(of device: DeviceID) -> [Offer] { devices[device]?.offers.map { $0.offer } ?? [] }

  /// Newest first.
  public var all: [Entry] {
    devices.values.flatMap { $0.offers }.sorted { one, other in
      if one.since != other.since { return one.since > other.since }
      if one.before != other.before { return one.before < other.before }
      return one.device == other.device ? one.offer.id > other.offer.id : one.device < other.device
    }
  }

  /// The offer with this id, of the given device; nil: of any device.
  public func entry(_ id: Identifier, of wanted: DeviceID? = nil) -> Entry? {
    for (_, device) in inOrder(wanted) {
      if let entry = device.offers.first(where: { $0.offer.id == id }) { return entry }
    }
    return nil
  }

  /// An offer that was withdrawn a moment ago, for a user who was about to choose it (semantics V14). The origin
  /// decides whether it can still be fetched.
  public func recent(_ id: Identifier, of wanted: DeviceID? = nil, now: Instant) -> Entry? {
    for (_, device) in inOrder(wanted) {
      if let gone = device.former.last(where: { $0.entry.offer.id == id }), gone.until > now { return gone.entry }
    }
    return nil
  }

  /// The devices that have an offer with this id, or had one a moment ago.
  public func holders(of id: Identifier, now: Instant) -> Set<DeviceID> {
    Set(devices.keys.filter { entry(id, of: $0) != nil || recent(id, of: $0, now: now) != nil })
  }

  /// The device that had this on offer when its link was lost; nil once it has announced its offers on a new link.
  public func lostOrigin(of id: Identifier, _ wanted: DeviceID? = nil) -> DeviceID? {
    inOrder(wanted).first {
      $0.value.sequence == nil && $0.value.former.contains { $0.isLost && $0.entry.offer.id == id }
    }?.key
  }

  /// The devices in a fixed order, so that the same one is chosen each time among those with one offer.
  private func inOrder(_ wanted: DeviceID?) -> [(key: DeviceID, value: Device)] {
    devices.filter { wanted == nil || $0.key == wanted }.sorted { $0.key < $1.key }
  }
}
