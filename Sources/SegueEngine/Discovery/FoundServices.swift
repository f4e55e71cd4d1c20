import SegueCore

/// The services of devices that are announced in this device's networks, and when each is dialled. Their number is
/// bounded, however many somebody in the network forges.
struct FoundServices {
  private var entries: [FoundService.Key: Entry] = [:]
  private var running: [UInt64: FoundService.Key] = [:]
  private var lastNumber: UInt64 = 0

  fileprivate struct Entry {
    let target: Target
    /// The device that answered when the service was last dialled; nil if no paired one did.
    var device: DeviceID?
    var interval = Limits.probeTime
    var dialAt: Instant
    var heard: UInt64
    var isRunning = false
  }

  /// The address of the service, and the nonce from which a dialling device makes its proof.
  struct Target: Equatable {
    var address: LinkAddress
    var nonce: [UInt8]
  }

  private var heard: UInt64 = 0

  var count: Int { entries.count }

  /// Adds a service, which replaces one under the same key if it has moved. Past a limit, in all or at one address, the
  /// service that was announced longest ago is dropped, except those of known devices.
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

  /// Makes room for one more of the entries that count. Returns whether there is room.
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
    // The service may have been replaced meanwhile.
    guard entry.isRunning else { return }
    entry.isRunning = false
    entry.device = device
    entry.dialAt = now + (device == nil ? entry.interval : Limits.probeTime)
    entry.interval = device == nil ? min(entry.interval * 2, Limits.probeTimeMaximum) : Limits.probeTime
    entries[key] = entry
  }

  /// A device was lost: it may be behind any service where no paired device answered.
  mutating func hurry(at now: Instant) {
    for (key, entry) in entries where entry.device == nil {
      entries[key]?.dialAt = min(entry.dialAt, now + Limits.probeTime)
      entries[key]?.interval = Limits.probeTime
    }
  }

  /// The services to dial now: those of lost devices first, then those that were dialled least often. `isMissing`:
  /// whether the given device is paired and not linked; for nil, whether any is.
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

  /// The same as `due`, for dials whose outcome is not reported.
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

  /// When to ask again which services are due; nil while the running dials are awaited, or if there is nothing to dial.
  func next(isMissing: (DeviceID?) -> Bool) -> Instant? {
    guard running.count < Limits.probesAtOnce else { return nil }
    return entries.values.filter { !$0.isRunning && isMissing($0.device) }.map { $0.dialAt }.min()
  }
}

extension FoundServices.Entry {
  /// The order of dialling: the lowest comes first.
  fileprivate var rank: (Int, UInt64, UInt64) { (device == nil ? 1 : 0, interval, heard) }
}
