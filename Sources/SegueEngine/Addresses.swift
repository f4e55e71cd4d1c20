import SegueCore

/// Where devices can be dialled: what this one tells of itself, and what it believes of what the others tell.
struct Addresses {
  /// This device's, as it was told last.
  private(set) var own: [LinkAddress] = []
  /// The machine's; nil until they are told.
  private var machine: Set<IPAddress>?
  /// Of each device, since the start.
  private(set) var known: [DeviceID: Contact] = [:]
  /// What the disk was given.
  private var written: [DeviceID: Contact] = [:]
  private var announcers: [DeviceID: Announcer] = [:]
  /// Those that were dialled, where nothing answered, and that have not been linked since.
  private(set) var unreached: Set<DeviceID> = []
  /// The devices that have removed this one, as far as is known, and that have not been linked since.
  private(set) var unpaired: [DeviceID: UnpairedThere] = [:]

  // MARK: This device

  /// Returns whether others are to be told something new.
  mutating func replace(_ list: [LinkAddress]) -> Bool {
    let former = told
    own = list
    return told != former
  }

  /// Returns whether the machine has other addresses than it had before. What it starts with is nothing new.
  mutating func moves(to addresses: Set<IPAddress>) -> Bool {
    defer { machine = addresses }
    return machine.map { $0 != addresses } ?? false
  }

  /// What others are told: addresses that mean the same to them. Loopback only where there is nothing else.
  var told: [LinkAddress] {
    let usable = own.filter { $0.ip?.isUnicast ?? false }
    let outside = usable.filter { $0.ip?.isLoopback == false }
    return Array((outside.isEmpty ? usable : outside).prefix(Limits.deviceAddresses))
  }

  // MARK: Other devices

  /// Those of a device's addresses that are dialled, whoever tells them: each once, and none at which this device would
  /// reach itself, or a group, or nobody. No names either, which mean to this device what somebody else wants, and no
  /// port of a system's service: a device gone bad would have the others knock at their own networks. `own`: this
  /// device's; if all are loopback, others on the same machine are dialled there.
  static func taken(_ list: [LinkAddress], own: [LinkAddress]) -> [LinkAddress] {
    let isInside = !own.isEmpty && own.allSatisfy { $0.ip?.isLoopback ?? false }
    var seen = Set(own.compactMap { Place($0) })
    return list.filter { address in
      guard address.port >= Limits.lowestPort, let place = Place(address) else { return false }
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
    known[device, default: Contact()].told = taken
    changed(device, &deadlines, &turn)
  }

  /// There is a link to the device, or there was one until now. `name`: what it calls itself, if it has just said that.
  mutating func seen(
    _ device: DeviceID, name: String? = nil, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    known[device, default: Contact()].seen = turn.moment.seconds
    if let name { known[device]?.name = name }
    changed(device, &deadlines, &turn)
  }

  mutating func reached(
    _ device: DeviceID, _ address: LinkAddress, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    unreached.remove(device)
    unpaired[device] = nil
    known[device, default: Contact()].reached = address
    changed(device, &deadlines, &turn)
  }

  /// The device has dialled this one.
  mutating func reachedUs(_ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    unreached.remove(device)
    unpaired[device] = nil
    known[device, default: Contact()].reachedUs = turn.moment.seconds
    changed(device, &deadlines, &turn)
  }

  /// The device was dialled at each of its addresses, and nothing has ever answered there.
  mutating func unreached(_ device: DeviceID, _ turn: inout Turn) {
    if unreached.insert(device).inserted { turn.hasChangedDevices = true }
  }

  /// The device has removed this one, or it seems so: what it has said itself is not doubted any more.
  mutating func unpaired(_ device: DeviceID, _ how: UnpairedThere, _ turn: inout Turn) {
    guard unpaired[device] != .said, unpaired[device] != how else { return }
    unpaired[device] = how
    turn.hasChangedDevices = true
  }

  private mutating func changed(_ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    guard let news = known[device] else { return }
    let written = written[device] ?? Contact()
    if news.told != written.told || news.name != written.name || news.reached != written.reached
      || news.isReachedUs != written.isReachedUs
    {
      handle(.changed, device, &deadlines, &turn)
    } else if news != written, !deadlines.isSet(.addresses(device)) {
      deadlines.set(.addresses(device), at: turn.now + Limits.learnInterval)
    }
  }

  mutating func timer(_ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    // Either it had to wait, or only times have changed since.
    let isWaiting = announcers[device]?.isWaiting ?? false
    handle(isWaiting ? .timer : .changed, device, &deadlines, &turn)
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
        deadlines.cancel(.addresses(device))
        turn.emit(.learn(device, news))
      case .wake(let time): deadlines.set(.addresses(device), at: time)
      }
    }
  }

  mutating func forget(_ device: DeviceID, _ deadlines: inout Deadlines) {
    (known[device], written[device], announcers[device]) = (nil, nil, nil)
    unreached.remove(device)
    unpaired[device] = nil
    deadlines.cancel(.addresses(device))
  }
}
