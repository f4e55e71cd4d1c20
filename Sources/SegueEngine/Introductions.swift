import SegueCore

/// The devices that paired ones have introduced, each kept until the user here has decided whether it is to be paired.
/// An introduction has no other effect: it is forgotten unless the user confirms it.
struct Introductions {
  /// The introductions, the oldest first.
  private(set) var pending: [PendingIntroduction] = []
  private var deadlinesOf: [PendingIntroduction.Key: Instant] = [:]

  /// When the next introduction is forgotten.
  var next: Instant? { deadlinesOf.values.min() }

  /// A device has introduced another one, perhaps again. Returns whether anything has changed.
  mutating func heard(_ introduction: Introduction, from introducer: DeviceID, at now: Instant) -> Bool {
    let new = PendingIntroduction(introduction, by: introducer)
    deadlinesOf[new.key] = now + Limits.introductionTime
    if let index = pending.firstIndex(where: { $0.key == new.key }) {
      guard pending[index] != new else { return false }
      pending[index] = new
      return true
    }
    if pending.count(where: { $0.introducer == introducer }) >= Limits.introductionsPerDevice {
      removeOldest(of: introducer)
    } else if pending.count >= Limits.introductions, let most = talkative {
      removeOldest(of: most)
    }
    pending.append(new)
    return true
  }

  /// The device that has introduced the most others.
  private var talkative: DeviceID? {
    var counts: [DeviceID: Int] = [:]
    for entry in pending { counts[entry.introducer, default: 0] += 1 }
    return pending.max { counts[$0.introducer, default: 0] < counts[$1.introducer, default: 0] }?.introducer
  }

  private mutating func removeOldest(of introducer: DeviceID) {
    guard let index = pending.firstIndex(where: { $0.introducer == introducer }) else { return }
    deadlinesOf[pending.remove(at: index).key] = nil
  }

  /// The introduction of the device; the first one, if several devices have introduced it. `introducer`: only this
  /// one's.
  func introduction(of device: DeviceID, by introducer: DeviceID?) -> PendingIntroduction? {
    pending.first { $0.device == device && (introducer == nil || $0.introducer == introducer) }
  }

  /// The user does not want the device, or it is paired now. Returns whether the list has changed.
  mutating func remove(_ device: DeviceID) -> Bool {
    removeAll(pending.filter { $0.device == device })
  }

  /// The introducer is no longer paired, so that its introductions no longer count. Returns whether the list has
  /// changed.
  mutating func forget(_ introducer: DeviceID) -> Bool {
    removeAll(pending.filter { $0.introducer == introducer })
  }

  /// Returns whether the list has changed.
  mutating func expire(at now: Instant) -> Bool {
    removeAll(pending.filter { deadlinesOf[$0.key].map { $0 <= now } ?? true })
  }

  private mutating func removeAll(_ gone: [PendingIntroduction]) -> Bool {
    for entry in gone { deadlinesOf[entry.key] = nil }
    pending.removeAll { deadlinesOf[$0.key] == nil }
    return !gone.isEmpty
  }
}

/// A device that awaits the user's decision.
public struct PendingIntroduction: Equatable, Sendable {
  public let introducer: DeviceID
  public let device: DeviceID
  /// The device's name on the introducer.
  public let name: String
  public let addresses: [LinkAddress]

  struct Key: Hashable {
    let introducer: DeviceID
    let device: DeviceID
  }

  var key: Key { Key(introducer: introducer, device: device) }

  init(_ introduction: Introduction, by introducer: DeviceID) {
    self.introducer = introducer
    device = introduction.device
    name = introduction.name
    addresses = introduction.addresses
  }
}
