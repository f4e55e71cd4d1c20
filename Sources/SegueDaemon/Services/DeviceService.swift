import SegueBus
import SegueControl
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// The paired devices: lists, adds and removes them, and tells where this device can be reached.
final class DeviceService {
  private let pins: Written<PinStore>
  private let link: LinkService
  private let own: DeviceID
  private let ownName: String
  private let discovery: DiscoverySettings
  /// Notes about oddities in segue.conf.
  private let notes: [String]
  /// Where this device is to listen, and cannot yet.
  private var absent: [LinkAddress] = []
  private let log: Log
  private let tell: (Event) -> Void

  init(
    pins: Written<PinStore>, link: LinkService, own: DeviceID, ownName: String, discovery: DiscoverySettings,
    notes: [String], log: Log,
    tell: @escaping (Event) -> Void
  ) {
    self.pins = pins
    self.link = link
    self.own = own
    self.ownName = ownName
    self.discovery = discovery
    self.notes = notes
    self.log = log
    self.tell = tell
  }

  func tellPaired() {
    tell(.paired(link.paired.map { Event.PairedName(device: $0.id, name: $0.name, receiving: $0.receiving) }))
  }

  static let badDevice = SegueError(
    .invalidArgument, "This is not a device id.", advice: "Copy what \"segue identity\" prints on the other device.")

  /// Adds a device as the user says; `done` is called when it is written down, or with the error. Throws
  /// `invalidArgument`.
  func add(_ arguments: [BusValue], done: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard arguments.count == 3, let id = arguments[0].asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    guard id != own else {
      throw SegueError(.invalidArgument, "This is this device's own id.", advice: "Use the other device's.")
    }
    let name = DisplayText.clean(arguments[1].asString ?? "", maximum: Limits.titleAdvised)
    var addresses: [LinkAddress] = []
    for text in arguments[2].asStrings ?? [] {
      guard let address = LinkAddress(text), address.port > 0 else {
        throw SegueError(
          .invalidArgument, "\"\(DisplayText.clean(text))\" is not an address.",
          advice: "Write host:port, or [host]:port for IPv6.")
      }
      addresses.append(address)
    }
    let (names, given) = (name, addresses)
    add(id, done: done) { ($0.name, $0.addresses) = (names, given) }
  }

  /// Gives a device another name here; `done` is called when it is written down, or with the error. Throws
  /// `invalidArgument`.
  func rename(_ arguments: [BusValue], done: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard let id = arguments.first?.asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    let name = DisplayText.clean(arguments.last?.asString ?? "", maximum: Limits.titleAdvised)
    pins.change({ store throws(SegueError) in try store.rename(id, name) }) { [self] result in
      if case .failure(let error) = result { return done(error) }
      tellPaired()
      done(nil)
    }
  }

  /// Sets the fate of what is sent from a device; `done` is called when it is written down, or with the error. Throws
  /// `invalidArgument`.
  func receive(_ arguments: [BusValue], done: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard let id = arguments.first?.asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    guard let rule = arguments.last?.asString.flatMap({ ReceivingRule(rawValue: $0) }) else {
      throw SegueError(.invalidArgument, "There is no such rule.", advice: "The rules are ask, open and refuse.")
    }
    pins.change({ store throws(SegueError) in try store.receive(id, rule) }) { [self] result in
      if case .failure(let error) = result { return done(error) }
      tellPaired()
      done(nil)
    }
  }

  /// Removes a device; `done` is called when that is written down, or with the error. Throws `notFound` and
  /// `invalidArgument`.
  func remove(_ arguments: [BusValue], done: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard let id = arguments.first?.asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    guard link.paired.contains(where: { $0.id == id }) else {
      throw SegueError(.notFound, "There is no such device.", advice: "List them with: segue devices")
    }
    remove(id, done: done)
  }

  // MARK: The disk

  /// Writes down that a device is paired, perhaps not for the first time, and dials it. `change` is the new
  /// information.
  private func add(
    _ id: DeviceID, done: @escaping (SegueError?) -> Void, _ change: @escaping @Sendable (inout PairedDevice) -> Void
  ) {
    pins.change({ store throws(SegueError) in
      var device =
        store.devices.first { $0.id == id } ?? PairedDevice(id: id, name: "", addresses: [], added: 0)
      device.added = secondsSince1970()
      device.introducedBy = nil
      change(&device)
      try store.add(device)
    }) { [self] result in
      if case .failure(let error) = result { return done(error) }
      tellPaired()
      link.setPeers()
      done(nil)
    }
  }

  /// The device counts as removed from now on, however long the disk takes; where the removal cannot be written, it is
  /// paired again.
  private func remove(_ id: DeviceID, done: @escaping (SegueError?) -> Void) {
    link.leaving.insert(id)
    tellPaired()
    pins.change({ store throws(SegueError) in try store.remove(id) }) { [self] result in
      link.leaving.remove(id)
      guard case .failure(let error) = result else { return done(nil) }
      tellPaired()
      done(error)
    }
  }

  private static func absence(_ address: LinkAddress) -> String {
    "\(address) is not an address of this machine now. Other devices can come there as soon as it is one; if it is to be "
      + "another, change Listen in segue.conf."
  }

  // MARK: Pairing

  /// Tells where this device can be dialled now.
  func tellAddresses() {
    let machine = Interfaces.addresses(withIPv6: true, discovery).compactMap { IPAddress($0) }
    tell(.addresses(addresses.compactMap { LinkAddress($0) }, machine: Set(machine)))
    tell(.discovery(.interfaces(Interfaces.listening(at: link.listening))))
    let before = absent
    absent = Interfaces.absent(link.listening)
    for address in absent where !before.contains(address) { log.notice(Self.absence(address), cause: "address") }
  }

  /// Writes down a device that has paired, and dials it. `done` is called when the device is on the disk, or with the
  /// error; it also gets whether the device was paired before.
  func add(_ peer: PairingSession.PairedPeer, done: @escaping (SegueError?, _ wasPaired: Bool) -> Void) {
    let wasPaired = link.paired.contains { $0.id == peer.device }
    add(peer.device, done: { done($0, wasPaired) }) {
      ($0.name, $0.ownName) = (peer.name, peer.name)
      $0.learn(peer.addresses)
    }
  }

  /// As above, a device that was introduced, as the user has confirmed.
  func add(_ introduction: PendingIntroduction, done: @escaping (SegueError?) -> Void) {
    // The check digits are another device's word so far.
    guard let id = DeviceID(bytes: introduction.device.bytes) else { return done(Self.badDevice) }
    add(id, done: done) {
      $0.name = introduction.name
      $0.learn(introduction.addresses)
      $0.introducedBy = introduction.introducer
    }
  }

  /// Remembers how a device can be reached.
  func learn(_ id: DeviceID, _ contact: Contact) {
    let former = link.paired.first { $0.id == id }?.name
    pins.change({ store throws(SegueError) in
      try store.learn(
        id, contact.told, name: contact.name, reached: contact.reached, reachedUs: contact.reachedUs,
        seen: contact.seen)
    }) { [self] (result: Result<Bool, SegueError>) in
      switch result {
      case .success(let isElsewhere):
        if isElsewhere { link.setPeers() }
        if link.paired.first(where: { $0.id == id })?.name != former { tellPaired() }
        tell(.learned(id))
      case .failure(let error):
        let name = DisplayText.quoted(link.name(of: id))
        log.warning("It is not written down where \(name) can be dialled: \(error.message)", cause: "state")
      }
    }
  }

  /// Removes a device that a pairing has added, which has failed on the other side.
  func forget(_ device: DeviceID) {
    remove(device) { [link, log] error in
      guard let error else { return }
      log.warning("\(DisplayText.quoted(link.name(of: device))) is still paired here: \(error.message)", cause: "state")
    }
  }

  // MARK: Rows

  /// The paired devices, in the user's order.
  func rows(_ runner: EngineRunner) -> [DeviceRow] {
    runner.engine.pairedDevices.map { device in
      var row = DeviceRow(id: device.device, name: device.name, isOnline: device.isOnline)
      row.takes = runner.engine.takes(device.device)?.map { $0.rawValue } ?? []
      if let known = pins.value.devices.first(where: { $0.id == device.device }) {
        row.addresses = known.dialled.map { $0.description }
        row.learned = known.learned.filter { !known.addresses.contains($0) }.map { $0.description }
        fill(&row, known, runner)
      }
      return row
    }
  }

  /// How the device and this one reach each other: what is written down, and what has been seen since.
  private func fill(_ row: inout DeviceRow, _ device: PairedDevice, _ runner: EngineRunner) {
    let (seen, isUnreached, unpaired) = runner.engine.contact(with: device.id)
    var contact = seen
    contact.reached = seen.reached ?? device.reached
    contact.reachedUs = seen.reachedUs ?? device.reachedUs
    contact.seen = row.isOnline ? secondsSince1970() : seen.seen ?? device.seen
    row.reached = contact.reached?.description
    row.reachedUs = contact.reachedUs
    row.seen = contact.seen
    row.words = device.id.words
    row.isWithheld = runner.engine.sharing.choices.devices.contains(device.id)
    row.receiving = device.receiving.rawValue
    row.introducer = device.introducedBy?.description
    row.introducerName = device.introducedBy.flatMap { introducer in
      runner.engine.pairedDevices.first { $0.device == introducer }?.name
    }
    row.hint =
      unpaired?.sentence(device.id.short)
      ?? FirewallHint.sentence(
        contact, dialled: device.dialled, own: runner.engine.ownAddresses, isUnreached: isUnreached)
  }

  /// The daemon's status, with the part that is about devices filled in.
  func status(_ runner: EngineRunner) -> DaemonStatus {
    var status = DaemonStatus()
    status.deviceID = own.description
    status.deviceName = ownName
    status.addresses = addresses
    let paired = runner.engine.pairedDevices
    status.paired = rows(runner)
    status.notes = Interfaces.absent(link.listening).map { Self.absence($0) } + notes
    status.introductions = UInt32(clamping: runner.engine.pendingIntroductions.count)
    status.devices = UInt32(clamping: paired.count)
    status.online = UInt32(clamping: paired.count { $0.isOnline })
    switch runner.engine.discoveryState {
    case .on: status.discovery = "on"
    case .off: status.discovery = "off"
    case .noNetwork: status.discovery = "no-network"
    case .unavailable(let error):
      (status.discovery, status.discoveryProblem) = ("unavailable", "\(error.message) \(error.advice)")
    }
    return status
  }

  /// The addresses at which this device can be dialled, with the ports that it really has. A wildcard address stands
  /// for all addresses of this machine.
  private var addresses: [String] {
    let listening = link.listening
    let absent = Interfaces.absent(listening)
    return listening.filter { !absent.contains($0) }.flatMap { address in
      let hosts =
        switch address.host {
        case "0.0.0.0": Interfaces.addresses(withIPv6: false, discovery)
        // Linux takes IPv4 there too.
        case "::": Interfaces.addresses(withIPv6: true, discovery)
        default: [address.host]
        }
      return hosts.map { LinkAddress(host: $0, port: address.port).description }
    }
  }
}
