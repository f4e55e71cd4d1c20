import SegueCore

/// The proposals of other devices: how many each may make, and which of the proposed offers are shown, or held back
/// while the screen is locked.
struct IncomingProposals {
  /// The proposed offers that are shown as long as they are on offer, even if the user does not want to see offers, or
  /// would not be shown this one.
  private(set) var shown: Set<OfferID> = []
  /// The proposed offers that are shown once the screen is unlocked, in the order in which they came.
  private var held: [OfferID] = []
  /// When each device's last proposals were taken.
  private var times: [DeviceID: [Instant]] = [:]

  /// Whether one more proposal of the device is taken now.
  mutating func takeTurn(_ device: DeviceID, _ now: Instant) -> Bool {
    times[device]?.removeAll { now.time(since: $0) >= 60_000 }
    guard times[device, default: []].count < Limits.proposalsPerMinute else { return false }
    times[device, default: []].append(now)
    return true
  }

  mutating func show(_ id: OfferID) { shown.insert(id) }

  /// Each offer is held once, and a device has at most `Limits.offersPerDevice` of them.
  mutating func hold(_ id: OfferID) { if !held.contains(id) { held.append(id) } }

  mutating func takeHeld() -> [OfferID] {
    defer { held = [] }
    return held
  }

  /// The offer was chosen, or the user does not want it.
  mutating func end(_ id: OfferID) {
    shown.remove(id)
    held.removeAll { $0 == id }
  }

  /// Forgets the offers that are gone.
  mutating func keep(_ isOnOffer: (OfferID) -> Bool) {
    shown = shown.filter(isOnOffer)
    held = held.filter(isOnOffer)
  }

  /// The device is no longer paired.
  mutating func forget(_ device: DeviceID) {
    keep { $0.device != device }
    times[device] = nil
  }
}
