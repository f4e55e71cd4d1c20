import SegueBus
import SegueControl
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// The paired devices: lists, adds and removes them, and tells where this device can be reached.
final class DeviceService {
  private let pins: PinStore
  private let link: LinkService
  private let own: DeviceID
  private let ownName: String
  private let discovery: DiscoverySettings
  private let log: Log
  private let tell: (Event) -> Void

  init(
    pins: PinStore, link: LinkService, own: DeviceID, ownName: String, discovery: DiscoverySettings, log: Log,
    tell: @escaping (Event) -> Void
  ) {
    self.pins = pins
    self.link = link
    self.own = own
    self.ownName = ownName
    self.discovery = discovery
    self.log = log
    self.tell = tell
  }

  func tellPaired() {
    tell(.paired(pins.devices.map { Event.PairedName(device: $0.id, name: $0.name) }))
  }

  private static let badDevice = SegueError(
    .invalidArgument, "This is no device id.", advice: "Copy what \"segue identity\" prints on the other device.")

  func add(_ arguments: [BusValue]) throws(SegueError) {
    guard arguments.count == 3, let id = arguments[0].asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    guard id != own else {
      throw SegueError(.invalidArgument, "This is this device's own id.", advice: "Use the other device's.")
    }
    let name = DisplayText.clean(arguments[1].asString ?? "", maximum: Limits.titleAdvised)
    var addresses: [LinkAddress] = []
    for text in arguments[2].asStrings ?? [] {
      guard let address = LinkAddress(text), address.port > 0 else {
        throw SegueError(
          .invalidArgument, "\"\(DisplayText.clean(text))\" is no address.",
          advice: "Write host:port, or [host]:port for IPv6.")
      }
      addresses.append(address)
    }
    var device = known(id)
    (device.name, device.addresses) = (name, addresses)
    try pins.add(device)
    tellPaired()
    link.setPeers()
  }

  func remove(_ arguments: [BusValue]) throws(SegueError) {
    guard let id = arguments.first?.asString.flatMap({ DeviceID($0) }) else { throw Self.badDevice }
    guard pins.devices.contains(where: { $0.id == id }) else {
      throw SegueError(.notFound, "There is no such device.", advice: "List them with: segue devices")
    }
    try pins.remove(id)
    link.setPeers()
    tellPaired()
  }

  // MARK: Pairing

  /// Tells where this device can be dialled now.
  func tellAddresses() {
    let machine = Interfaces.addresses(withIPv6: true, discovery).compactMap { IPAddress($0) }
    tell(.addresses(addresses.compactMap { LinkAddress($0) }, machine: Set(machine)))
    tell(.discovery(.interfaces(Interfaces.listening(at: link.listening))))
  }

  /// Writes a device down that has paired, and dials it. Returns whether it was paired before. Throws what `PinStore.add`
  /// throws.
  func add(_ peer: PairingSession.PairedPeer) throws(SegueError) -> Bool {
    let wasPaired = pins.devices.contains { $0.id == peer.device }
    var device = known(peer.device)
    device.name = peer.name
    device.learn(peer.addresses)
    try pins.add(device)
    tellPaired()
    link.setPeers()
    return wasPaired
  }

  /// Writes a device down that was introduced, as the user has confirmed, and dials it.
  func add(_ introduction: PendingIntroduction) -> Effect.Reply {
    // The check digits are another device's word so far.
    guard let id = DeviceID(bytes: introduction.device.bytes) else { return .failed(Self.badDevice) }
    do throws(SegueError) {
      var device = known(id)
      device.name = introduction.name
      device.learn(introduction.addresses)
      device.introducedBy = introduction.introducer
      try pins.add(device)
    } catch {
      return .failed(error)
    }
    tellPaired()
    link.setPeers()
    return .done
  }

  /// What is known of a device that is paired now, perhaps not for the first time.
  private func known(_ id: DeviceID) -> PairedDevice {
    var device = pins.devices.first { $0.id == id } ?? PairedDevice(id: id, name: "", addresses: [], added: 0)
    device.added = secondsSince1970()
    device.introducedBy = nil
    return device
  }

  /// Remembers how a device can be reached.
  func learn(_ id: DeviceID, _ contact: Contact) {
    do throws(SegueError) {
      let isElsewhere = try pins.learn(
        id, contact.told, reached: contact.reached, reachedUs: contact.reachedUs, seen: contact.seen)
      if isElsewhere { link.setPeers() }
    } catch {
      let name = DisplayText.quoted(link.name(of: id))
      log.warning("It is not written down where \(name) can be dialled: \(error.message)", cause: "state")
    }
  }

  /// Removes a device that a pairing has added, which has failed on the other side.
  func forget(_ device: DeviceID) {
    do throws(SegueError) {
      try pins.remove(device)
    } catch {
      log.warning("\(DisplayText.quoted(link.name(of: device))) is still paired here: \(error.message)", cause: "state")
    }
    link.setPeers()
    tellPaired()
  }

  // MARK: Rows

  /// The paired devices, in the user's order.
  func rows(_ runner: EngineRunner) -> [DeviceRow] {
    runner.engine.pairedDevices.map { device in
      var row = DeviceRow(id: device.device, name: device.name, isOnline: device.isOnline)
      if let known = pins.devices.first(where: { $0.id == device.device }) {
        row.addresses = known.dialled.map { $0.description }
        row.learned = known.learned.filter { !known.addresses.contains($0) }.map { $0.description }
        fill(&row, known, runner)
      }
      return row
    }
  }

  /// How the device and this one reach each other: what is written down, and what has been seen since.
  private func fill(_ row: inout DeviceRow, _ device: PairedDevice, _ runner: EngineRunner) {
    let (seen, isUnreached) = runner.engine.contact(with: device.id)
    var contact = seen
    contact.reached = seen.reached ?? device.reached
    contact.reachedUs = seen.reachedUs ?? device.reachedUs
    contact.seen = row.isOnline ? secondsSince1970() : seen.seen ?? device.seen
    row.reached = contact.reached?.description
    row.reachedUs = contact.reachedUs
    row.seen = contact.seen
    row.words = device.id.words
    row.introducer = device.introducedBy?.description
    row.introducerName = device.introducedBy.flatMap { introducer in
      runner.engine.pairedDevices.first { $0.device == introducer }?.name
    }
    row.hint = FirewallHint.sentence(
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
    link.listening.flatMap { address in
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
