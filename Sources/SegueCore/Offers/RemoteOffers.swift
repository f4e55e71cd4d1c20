/// What the other devices have on offer, as they last said. Pure.
public struct RemoteOffers {
  public struct Entry: Equatable {
    public let device: DeviceID
    public let offer: Offer
    /// When it was first seen.
    public let since: Instant
    /// Nil: never (semantics C7). Its device may be out of reach then.
    public var expires: Instant?

    /// How far two messages may differ in an end that has not changed: on the way each took its own time.
    private static let tolerance: UInt64 = 2_000

    public func looksLike(_ other: Entry) -> Bool {
      var (offer, otherOffer) = (offer, other.offer)
      (offer.timeLeft, otherOffer.timeLeft) = (nil, nil)
      guard device == other.device, since == other.since, offer == otherOffer else { return false }
      guard let expires, let otherExpires = other.expires else { return expires == other.expires }
      return max(expires, otherExpires).time(since: min(expires, otherExpires)) < Self.tolerance
    }
  }

  private struct Device {
    /// Nil: nothing was said on the link that there is now.
    public var sequence: UInt64?
    public var offers: [Entry]
    /// What was on offer before, the latest last: the origin may still give it.
    public var former: [Former]
  }

  private struct Former {
    public let entry: Entry
    /// How long it can still be taken by id.
    public let until: Instant
    /// It was on offer when the link to its device was lost: nobody has withdrawn it.
    public let isLost: Bool
  }

  private var devices: [DeviceID: Device] = [:]
  /// How long something can still be taken by id after it was on offer, in milliseconds.
  private let graceTime: UInt64
  /// The same where its device was lost: as long as a choice waits for the next link (semantics X9).
  private let outageTime: UInt64

  public init(graceTime: UInt64 = Limits.graceTime, outageTime: UInt64 = Limits.fetchTime) {
    self.graceTime = graceTime
    self.outageTime = outageTime
  }

  /// Everything that a device has on offer now; false if nothing changed. A message that is older than the last one of
  /// this link is dropped; a new link begins anew (`lose`).
  public mutating func replace(_ device: DeviceID, sequence: UInt64, offers: [Offer], now: Instant) -> Bool {
    let known = devices[device]
    if let last = known?.sequence, sequence <= last { return false }
    let entries = offers.map { offer in
      Entry(
        device: device, offer: offer, since: known?.offers.first { $0.offer.id == offer.id }?.since ?? now,
        expires: offer.timeLeft.flatMap { now.deadline(in: $0) })
    }
    // The device is there again: of what it does not say any more nobody can tell that it waits for the link.
    var former = (known?.former ?? []).filter { $0.until > now }
      .map { Former(entry: $0.entry, until: $0.until, isLost: false) }
    former += (known?.offers ?? []).map { Former(entry: $0, until: now + graceTime, isLost: false) }
    former.removeAll { gone in entries.contains { $0.offer.id == gone.entry.offer.id } }
    devices[device] = Device(sequence: sequence, offers: entries, former: former.suffix(Limits.offersPerDevice))
    return !(known?.offers ?? []).elementsEqual(entries) { $0.looksLike($1) }
  }

  /// Forgets what has expired, whether its device has said so or not (semantics C7): whether that changed what is on
  /// offer, and the time at which to look again.
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

  /// The link to a device has ended, or a new one begins; false if it had nothing on offer. What it had can still be
  /// chosen for a while, and then waits for the next link (semantics X9). That it was on offer is known until then.
  public mutating func lose(_ device: DeviceID, now: Instant) -> Bool {
    guard let known = devices[device] else { return false }
    let former = known.former.filter { $0.until > now || $0.isLost }
    let lost = known.offers.map { Former(entry: $0, until: now + outageTime, isLost: true) }
    devices[device] = Device(sequence: nil, offers: [], former: (former + lost).suffix(Limits.offersPerDevice))
    return !known.offers.isEmpty
  }

  /// The device is no longer paired (semantics V14).
  public mutating func forget(_ device: DeviceID) { devices[device] = nil }

  /// Newest first.
  public var all: [Entry] {
    devices.values.flatMap { $0.offers }.sorted { one, other in
      if one.since != other.since { return one.since > other.since }
      return one.device == other.device ? one.offer.id > other.offer.id : one.device < other.device
    }
  }

  /// Of any device, or of the one that is named.
  public func entry(_ id: Identifier, of wanted: DeviceID? = nil) -> Entry? {
    for (owner, device) in devices where wanted == nil || owner == wanted {
      if let entry = device.offers.first(where: { $0.offer.id == id }) { return entry }
    }
    return nil
  }

  /// What was on offer until a moment ago, for a user who was already reaching for it (semantics V14). Whether it can
  /// still be had is the origin's to say.
  public func recent(_ id: Identifier, of wanted: DeviceID? = nil, now: Instant) -> Entry? {
    for (owner, device) in devices where wanted == nil || owner == wanted {
      if let gone = device.former.last(where: { $0.entry.offer.id == id }), gone.until > now { return gone.entry }
    }
    return nil
  }

  /// The device that had it on offer when the link to it was lost, as long as it has not said otherwise on a new one.
  public func lostOrigin(of id: Identifier) -> DeviceID? {
    devices.first { $0.value.sequence == nil && $0.value.former.contains { $0.isLost && $0.entry.offer.id == id } }?.key
  }
}
