import SegueCore
import SegueLink

/// An activity as it was once saved, kept for later: all but its state, which is read when somebody wants it.
struct StoredCopy: Equatable, Sendable {
  /// What it is kept for.
  enum Kind: String, Sendable {
    /// To be found again in a search (semantics C5).
    case search
    /// To be continued when its application has gone, or its device (semantics X7).
    case snapshot
  }

  /// No two copies have the same.
  struct Key: Hashable, Sendable {
    /// Nil for this device.
    var device: DeviceID?
    var activity: Identifier
    var kind: Kind
  }

  var kind: Kind
  /// Where it is from, nil for this device.
  var device: DeviceID?
  /// What is shown of it, as an offer shows it.
  var offer: Offer
  /// By which its application deletes it (semantics C13).
  var persistentIdentifier: String?
  /// When its state was saved: seconds since 1970, by this device's clock.
  var storedAt: UInt64 = 0
  var expiresAt: UInt64 = 0
  /// Bytes that it takes.
  var size = 0

  var key: Key { Key(device: device, activity: offer.id, kind: kind) }

  init(_ kind: Kind, of offer: Offer, from device: DeviceID? = nil, persistentIdentifier: String? = nil) {
    self.kind = kind
    self.device = device
    self.offer = offer
    // Whoever takes it gets what lies here.
    self.offer.isSnapshot = true
    self.persistentIdentifier = persistentIdentifier
  }

  /// Seconds left.
  func life(at now: UInt64) -> UInt64 { expiresAt > now ? expiresAt - now : 0 }

  /// Seconds since its state was saved.
  func age(at now: UInt64) -> UInt64 { now > storedAt ? now - storedAt : 0 }
}

/// How much is kept.
struct StoreBounds: Sendable {
  var perApplication = Limits.storedCopiesPerApplication
  var count = Limits.storedCopies
  var bytes = Limits.storedBytes

  /// What has to give way, so that the rest is within the bounds: the oldest, and what other devices' applications have
  /// here before anything of this device, so that no other device can push this one's copies out.
  func surplus(_ copies: [StoredCopy]) -> [StoredCopy.Key] {
    let newestFirst = copies.sorted {
      if ($0.device == nil) != ($1.device == nil) { return $0.device == nil }
      if $0.storedAt != $1.storedAt { return $0.storedAt > $1.storedAt }
      return $0.offer.id.hex < $1.offer.id.hex
    }
    struct Owner: Hashable {
      let device: DeviceID?
      let appID: AppID
    }
    var owned: [Owner: Int] = [:]
    var (kept, size) = (0, 0)
    var surplus: [StoredCopy.Key] = []
    for copy in newestFirst {
      let owner = Owner(device: copy.device, appID: copy.offer.appID)
      guard owned[owner, default: 0] < perApplication, kept < count, copy.size <= bytes - size else {
        surplus.append(copy.key)
        continue
      }
      owned[owner, default: 0] += 1
      kept += 1
      size += copy.size
    }
    return surplus
  }
}
