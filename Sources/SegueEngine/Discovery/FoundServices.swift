import SegueCore

/// The devices' services that are announced in this device's networks, and when each is dialled. Bounded, whatever is
/// made up in the network.
struct FoundServices {
  private var entries: [FoundService.Key: Entry] = [:]
  private var running: [UInt64: FoundService.Key] = [:]
  private var lastNumber: UInt64 = 0

  fileprivate struct Entry {
    let target: Target
    /// What was there when it was dialled last.
    var device: DeviceID?
    var interval = Limits.probeTime
    var dialAt: Instant
    var heard: UInt64
    var isRunning = false
  }

  /// Where the service is, and what a device that dials proves itself with.
  struct Target: Equatable {
    var address: LinkAddress
    var nonce: [UInt8]
  }

  private var heard: UInt64 = 0

  var count: Int { entries.count }

  /// A service that was there before under the key is replaced if it has moved. Past a limit, in all or at one address, the
  /// one that was heard of first goes, but no device's that is known.
  mutating func add(_ key: FoundService.Key, _ target: Target, at now: Instant) {
    heard += 1
    if entries[key]?.target == target {
      entries[key]?.heard = heard
      return
    }
    entries[key] = nil
    let host = target.address.host
    guard makeRoom(Limits.foundPerAddress, { $0.target.address.host == host }),
      makeRoom(Limits.foundServices, { _ in true })
    else { return }
    entries[key] = Entry(target: target, dialAt: now, heard: heard)
  }

  /// Returns whether there is room for one more of these.
  private mutating func makeRoom(_ limit: Int, _ counts: (Entry) -> Bool) -> Bool {
    let rivals = entries.filter { counts($0.value) }
    guard rivals.count >= limit else { return true }
    let victims = rivals.lazy.filter { $0.value.device == nil && !$0.value.isRunning }
    guard let oldest = victims.min(by: { $0.value.heard < $1.value.heard }) else { return false }
    entries[oldest.key] = nil
    return true
  }

  mutating func remove(_ key: FoundService.Key) { entries[key] = nil }

  mutating func removeAll(where isGone: (FoundService.Key) -> Bool = { _ in true }) {
    entries = entries.filter { !isGone($0.key) }
  }

  /// The dial has ended.
  mutating func ended(_ number: UInt64, _ device: DeviceID?, at now: Instant) {
    guard let key = running.removeValue(forKey: number), var entry = entries[key] else { return }
    // It may have been replaced meanwhile.
    guard entry.isRunning else { return }
    entry.isRunning = false
    entry.device = device
    entry.dialAt = now + (device == nil ? entry.interval : Limits.probeTime)
    entry.interval = device == nil ? min(entry.interval * 2, Limits.probeTimeMaximum) : Limits.probeTime
    entries[key] = entry
  }

  /// A device was lost: it may be behind any service that was nobody's when it was dialled.
  mutating func hurry(at now: Instant) {
    for (key, entry) in entries where entry.device == nil {
      entries[key]?.dialAt = min(entry.dialAt, now + Limits.probeTime)
      entries[key]?.interval = Limits.probeTime
    }
  }

  /// What is dialled now: services of lost devices first, then those that were dialled least often. `isMissing`: whether
  /// the device is paired and not linked; asked with nil, whether any is.
  mutating func due(at now: Instant, isMissing: (DeviceID?) -> Bool) -> [(UInt64, Target)] {
    var chosen: [(UInt64, Target)] = []
    while running.count < Limits.probesAtOnce {
      let waiting = entries.filter { !$0.value.isRunning && $0.value.dialAt <= now && isMissing($0.value.device) }
      guard let next = waiting.min(by: { $0.value.rank < $1.value.rank }) else { break }
      lastNumber += 1
      running[lastNumber] = next.key
      entries[next.key]?.isRunning = true
      chosen.append((lastNumber, next.value.target))
    }
    return chosen
  }

  /// As `due`, where nothing is told of the dials.
  mutating func takeDue(at now: Instant) -> [LinkAddress] {
    var addresses: [LinkAddress] = []
    while true {
      let due = due(at: now) { _ in true }
      guard !due.isEmpty else { return addresses }
      for (number, target) in due {
        addresses.append(target.address)
        ended(number, nil, at: now)
      }
    }
  }

  /// When to ask again what is due; nil while the dials that run are waited for, or there is nothing to dial.
  func next(isMissing: (DeviceID?) -> Bool) -> Instant? {
    guard running.count < Limits.probesAtOnce else { return nil }
    return entries.values.filter { !$0.isRunning && isMissing($0.device) }.map { $0.dialAt }.min()
  }
}

extension FoundServices.Entry {
  /// The lower, the sooner it is dialled.
  fileprivate var rank: (Int, UInt64, UInt64) { (device == nil ? 1 : 0, interval, heard) }
}
