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

  private var devices: [DeviceID: (sequence: UInt64, offers: [Entry])] = [:]

  /// Everything that a device has on offer now; false if nothing changed. A message that is older than the last one of
  /// this link is dropped; a new link begins anew (`forget`).
  mutating func replace(_ device: DeviceID, sequence: UInt64, offers: [Offer], now: UInt64) -> Bool {
    let former = devices[device]
    if let former, sequence <= former.sequence { return false }
    let entries = offers.map { offer in
      Entry(device: device, offer: offer, since: former?.offers.first { $0.offer.id == offer.id }?.since ?? now)
    }
    devices[device] = (sequence, entries)
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
}
