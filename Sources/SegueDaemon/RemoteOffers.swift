import SegueCore
import SegueLink

/// What the other devices have on offer, as they last said. Pure.
struct RemoteOffers {
  struct Entry: Equatable {
    let device: DeviceID
    let offer: Offer
    /// When it was first seen, monotonic milliseconds.
    let since: UInt64
  }

  private struct Device {
    var sequence: UInt64
    var offers: [Entry]
    /// What was on offer a moment ago, the latest last: the origin may still give it.
    var recent: [(entry: Entry, until: UInt64)]
  }

  private var devices: [DeviceID: Device] = [:]
  /// How long something can still be taken by id after it was on offer, in milliseconds.
  private let graceTime: UInt64

  init(graceTime: UInt64 = Limits.graceTime) { self.graceTime = graceTime }

  /// Everything that a device has on offer now; false if nothing changed. A message that is older than the last one of
  /// this link is dropped; a new link begins anew (`forget`).
  mutating func replace(_ device: DeviceID, sequence: UInt64, offers: [Offer], now: UInt64) -> Bool {
    let former = devices[device]
    if let former, sequence <= former.sequence { return false }
    let entries = offers.map { offer in
      Entry(device: device, offer: offer, since: former?.offers.first { $0.offer.id == offer.id }?.since ?? now)
    }
    var recent = (former?.recent ?? []).filter { $0.until > now }
    for entry in former?.offers ?? [] { recent.append((entry, now + graceTime)) }
    recent.removeAll { gone in entries.contains { $0.offer.id == gone.entry.offer.id } }
    devices[device] = Device(sequence: sequence, offers: entries, recent: recent.suffix(Limits.offersPerDevice))
    return former?.offers ?? [] != entries
  }

  /// The link to a device has ended; false if it had nothing on offer.
  mutating func forget(_ device: DeviceID) -> Bool {
    devices.removeValue(forKey: device).map { !$0.offers.isEmpty } ?? false
  }

  /// Newest first.
  var all: [Entry] {
    devices.values.flatMap { $0.offers }.sorted { $0.since > $1.since }
  }

  func entry(_ id: Identifier) -> Entry? {
    for device in devices.values {
      if let entry = device.offers.first(where: { $0.offer.id == id }) { return entry }
    }
    return nil
  }

  /// What was on offer until a moment ago, for a user who was already reaching for it (semantics V14). Whether it can
  /// still be had is the origin's to say.
  func recent(_ id: Identifier, now: UInt64) -> Entry? {
    for device in devices.values {
      if let gone = device.recent.last(where: { $0.entry.offer.id == id }), gone.until > now { return gone.entry }
    }
    return nil
  }
}
