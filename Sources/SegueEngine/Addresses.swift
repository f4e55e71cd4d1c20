import SegueCore

/// Where devices can be dialled: what this one tells of itself, and what it believes of what the others tell.
struct Addresses {
  /// This device's, as it was told last.
  private(set) var own: [LinkAddress] = []
  private var known: [DeviceID: Known] = [:]
  /// What the disk was given.
  private var written: [DeviceID: Known] = [:]
  private var announcers: [DeviceID: Announcer] = [:]

  /// Of one device, since the start.
  private struct Known: Equatable {
    var told: [LinkAddress] = []
    var reached: LinkAddress?
  }

  // MARK: This device

  /// Returns whether others are to be told something new.
  mutating func replace(_ list: [LinkAddress]) -> Bool {
    let former = told
    own = list
    return told != former
  }

  /// What others are told: addresses that mean the same to them. Loopback only where there is nothing else.
  var told: [LinkAddress] {
    let usable = own.filter { $0.ip?.isUnicast ?? false }
    let outside = usable.filter { $0.ip?.isLoopback == false }
    return Array((outside.isEmpty ? usable : outside).prefix(Limits.deviceAddresses))
  }

  // MARK: Other devices

  /// Those of a device's addresses that are dialled: each once, and none at which this device would reach itself, or a
  /// group, or nobody. `own`: this device's; if all are loopback, others on the same machine are dialled there.
  static func taken(_ list: [LinkAddress], own: [LinkAddress], withNames: Bool = false) -> [LinkAddress] {
    let isInside = !own.isEmpty && own.allSatisfy { $0.ip?.isLoopback ?? false }
    var seen = Set(own.compactMap { Place($0) })
    return list.filter { address in
      guard address.port > 0 else { return false }
      guard let place = Place(address) else { return withNames && !address.host.utf8.contains(UInt8(ascii: ":")) }
      return place.ip.isUnicast && (isInside || !place.ip.isLoopback) && seen.insert(place).inserted
    }
  }

  /// One address, however it is written.
  private struct Place: Hashable {
    let ip: IPAddress
    let port: UInt16

    init?(_ address: LinkAddress) {
      guard let ip = address.ip else { return nil }
      self.ip = ip
      port = address.port
    }
  }

  /// The device has told where it can be dialled. A list of which nothing can be used changes nothing.
  mutating func heard(_ list: [LinkAddress], from device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    let taken = Self.taken(list, own: own)
    guard !taken.isEmpty else { return }
    known[device, default: Known()].told = taken
    changed(device, &deadlines, &turn)
  }

  mutating func reached(
    _ device: DeviceID, _ address: LinkAddress, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    known[device, default: Known()].reached = address
    changed(device, &deadlines, &turn)
  }

  private mutating func changed(_ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    if known[device] != written[device] { handle(.changed, device, &deadlines, &turn) }
  }

  mutating func timer(_ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    handle(.timer, device, &deadlines, &turn)
  }

  /// A device that tells ever other addresses does not hold up the others by the disk.
  private mutating func handle(
    _ event: Announcer.Event, _ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    let new = Announcer(burst: Limits.learnBurst, interval: Limits.learnInterval)
    for effect in announcers[device, default: new].handle(event, now: turn.now) {
      switch effect {
      case .announce:
        guard let news = known[device], news != written[device] else { continue }
        written[device] = news
        turn.emit(.learn(device, told: news.told, reached: news.reached))
        turn.hasChangedDevices = true
      case .wake(let time): deadlines.set(.addresses(device), at: time)
      }
    }
  }

  mutating func forget(_ device: DeviceID, _ deadlines: inout Deadlines) {
    (known[device], written[device], announcers[device]) = (nil, nil, nil)
    deadlines.cancel(.addresses(device))
  }
}
