import SegueCore

/// Where devices can be dialled: the addresses that this device sends to the others, and those that it accepts from
/// them.
struct Addresses {
  /// This device's own addresses, as they were last reported.
  private(set) var own: [LinkAddress] = []
  /// The machine's addresses; nil until they are reported.
  private var machine: Set<IPAddress>?
  /// The contact data of each device, since the start.
  private(set) var known: [DeviceID: Contact] = [:]
  /// The contact data that the disk was given.
  private var written: [DeviceID: Contact] = [:]
  private var announcers: [DeviceID: Announcer] = [:]
  /// The devices that were dialled in vain, since nothing answered, and that have not been linked since.
  private(set) var unreached: Set<DeviceID> = []
  /// The devices that have removed this one, as far as is known, and that have not been linked since.
  private(set) var unpaired: [DeviceID: UnpairedThere] = [:]

  // MARK: This device

  /// Returns whether the other devices must be sent a new list.
  mutating func replace(_ list: [LinkAddress]) -> Bool {
    let former = told
    own = list
    return told != former
  }

  /// Returns whether the machine has other addresses than it had before. Its first addresses do not count as a change.
  mutating func moves(to addresses: Set<IPAddress>) -> Bool {
    defer { machine = addresses }
    return machine.map { $0 != addresses } ?? false
  }

  /// The addresses that the other devices are sent: those that mean the same to them. Loopback addresses are sent only
  /// if there are no others.
  var told: [LinkAddress] {
    let usable = own.filter { $0.ip?.isUnicast ?? false }
    let outside = usable.filter { $0.ip?.isLoopback == false }
    return Array((outside.isEmpty ? usable : outside).prefix(Limits.deviceAddresses))
  }

  // MARK: Other devices

  /// The addresses of another device that this one dials, whoever names them: each once, and none at which this device
  /// would reach itself, a group, or no machine at all. Host names are left out, since whoever controls the name
  /// decides where it leads, and so are ports of system services: otherwise a compromised device could make the others
  /// probe their own networks. `own`: this device's addresses; if all of them are loopback, other devices on the same
  /// machine are dialled there.
  static func taken(_ list: [LinkAddress], own: [LinkAddress]) -> [LinkAddress] {
    let isInside = !own.isEmpty && own.allSatisfy { $0.ip?.isLoopback ?? false }
    var seen = Set(own.compactMap { Place($0) })
    return list.filter { address in
      guard address.port >= Limits.lowestPort, let place = Place(address) else { return false }
      return place.ip.isUnicast && (isInside || !place.ip.isLoopback) && seen.insert(place).inserted
    }
  }

  /// One address, in whichever way it is written.
  private struct Place: Hashable {
    let ip: IPAddress
    let port: UInt16

    init?(_ address: LinkAddress) {
      guard let ip = address.ip else { return nil }
      self.ip = ip
      port = address.port
    }
  }

  /// The device has sent the addresses at which it can be dialled. A list without any usable address changes nothing.
  mutating func heard(_ list: [LinkAddress], from device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    let taken = Self.taken(list, own: own)
    guard !taken.isEmpty else { return }
    known[device, default: Contact()].told = taken
    changed(device, &deadlines, &turn)
  }

  /// There is a link to the device, or there was one until now. `name`: what the device calls itself, if it has just
  /// said so.
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

  /// The device has removed this one, or seems to have. Once the device has said so itself, a guess does not replace
  /// that.
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
    // Either the change had to wait, or only times have changed since.
    let isWaiting = announcers[device]?.isWaiting ?? false
    handle(isWaiting ? .timer : .changed, device, &deadlines, &turn)
  }

  /// The rate is limited, so that a device that keeps sending other addresses does not delay the others by disk writes.
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
