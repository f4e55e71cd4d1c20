import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// The link to the paired devices: brings their messages to the engine, and sends them messages.
///
/// Each message and each channel is checked against the pins. So a device that was removed while something of it was on
/// its way gets nothing any more.
final class LinkService {
  /// Where this device listens, with the ports that it really has.
  private(set) var listening: [LinkAddress] = []
  /// The linked devices, each with the name by which it calls itself.
  private(set) var online: [DeviceID: String] = [:]

  private let identity: Identity
  private let folder: StateFolder
  private let name: String
  private let pins: Written<PinStore>
  /// Devices whose removal is being written down: they count as removed.
  var leaving: Set<DeviceID> = [] { didSet { setPeers() } }
  private let loop: EventLoop
  private let log: Log
  private var link: Link?
  private var report: (Event.LinkEvent) -> Void = { _ in }
  /// Is given the port for devices that pair, when this begins.
  var usePairing: (PairingPort) -> Void = { _ in }
  /// Is called with what a probe has come to: the paired device that is there, or nil.
  var reportProbe: (UInt64, DeviceID?) -> Void = { _, _ in }
  private var credit = ControlCredit()
  /// One for each device for whose credit it is not yet time.
  private var creditTimers: [DeviceID: LoopTimer] = [:]
  /// The functions that take the channels of other devices, with their first message, by kind. The link bounds how many
  /// channels there are.
  var routes: [String: (LinkChannel, ChannelRequest) -> Void] = [:]

  /// `name`: this device's name for others. `folder`: where its port is remembered. `pins`: the paired devices; call
  /// `setPeers` after each change of them.
  init(
    identity: Identity, name: String, folder: StateFolder, pins: Written<PinStore>, loop: EventLoop, log: Log
  ) {
    self.identity = identity
    self.name = name
    self.folder = folder
    self.pins = pins
    self.loop = loop
    self.log = log
  }

  // MARK: Life

  /// Listens, and dials the paired devices. `addresses`: where to listen; nil stands for the usual port and all
  /// addresses. `report` is called in dispatches of the loop, until `stop`. Throws `connectionUnavailable` if this
  /// device cannot listen there.
  func start(listenOn addresses: [LinkAddress]?, report: @escaping (Event.LinkEvent) -> Void) throws(SegueError) {
    self.report = report
    let link = Link(identity: identity, name: name, on: loop, logger: log.logger) { [unowned self] in take($0) }
    self.link = link
    usePairing(link.pairing)
    do throws(SegueError) {
      let listening = Listening(
        saved: SavedPort(folder: folder), listen: { list throws(SegueError) in try link.start(listenOn: list) },
        tell: { [log] in log.warning("\($0)", cause: "port") })
      self.listening = try listening.start(on: addresses)
    } catch {
      stop()
      throw error
    }
    setPeers()
  }

  /// The pins have changed. The links of a device that was removed end at once.
  func setPeers() { link?.setPeers(paired.map { LinkPeer(id: $0.id, addresses: $0.dialled) }) }

  /// The paired devices, but for those that leave.
  var paired: [PairedDevice] { pins.value.devices.filter { !leaving.contains($0.id) } }

  /// The network may have changed: dials all devices that are not linked, and checks that the linked ones still answer.
  func redial() { link?.redial() }

  // The operations that discovery needs; see `Link`.
  func publish(nonce: [UInt8]) { link?.publish(nonce: nonce) }
  func probe(_ number: UInt64, at address: LinkAddress, nonce: [UInt8]) {
    link?.probe(number, at: address, nonce: nonce)
  }

  /// Says goodbye and ends everything. The service reports no further event. Blocks for a second or so.
  func stop() {
    link?.stop()
    link = nil
    online = [:]
    for device in Array(creditTimers.keys) { dropCredit(of: device) }
    report = { _ in }
  }

  /// Whether the device is paired, and stays so.
  func isPaired(_ device: DeviceID) -> Bool {
    !leaving.contains(device) && pins.value.devices.contains { $0.id == device }
  }

  /// The name that the user gave a device, otherwise the device's own name for itself.
  func name(of device: DeviceID) -> String {
    let given = pins.value.devices.first { $0.id == device }?.name ?? ""
    if !given.isEmpty { return given }
    return online[device] ?? device.short
  }

  // MARK: To other devices

  /// Sends a message. If there is no link to the device, the message is dropped.
  func send(_ message: LinkMessage, to device: DeviceID) {
    do throws(SegueError) {
      link?.sendControl(try message.encode(), to: device)
    } catch {
      log.warning("a message to \(name(of: device)) could not be encoded: \(error.message)", cause: "encoding")
    }
  }

  /// Opens a channel. Throws if there is no link at all; else its end is told, never inside this call.
  func openChannel(to device: DeviceID, first: [UInt8], finishing: Bool = false) throws(SegueError) -> LinkChannel {
    guard let link else { throw SegueError(.connectionUnavailable, "The device is not linked.") }
    return link.openChannel(to: device, first: first, finishing: finishing)
  }

  // MARK: From other devices

  private func take(_ event: LinkEvent) {
    switch event {
    case .up(let device, let name, _):
      guard isPaired(device) else { return }
      dropCredit(of: device)
      online[device] = DisplayText.clean(name, maximum: Limits.titleAdvised)
      report(.up(device, name: online[device] ?? ""))
    case .down(let device, let error):
      dropCredit(of: device)
      guard online.removeValue(forKey: device) != nil else { return }
      report(.down(device))
      // Its goodbye.
      if error.code == .accessDenied, isPaired(device) { report(.unpairedThere(device, .said)) }
    case .unknownThere(let device, let address):
      if isPaired(device) { report(.unpairedThere(device, .seems(at: address))) }
    case .reached(let device, let address):
      if isPaired(device) { report(.reached(device, address)) }
    case .reachedBy(let device):
      if isPaired(device) { report(.reachedBy(device)) }
    case .unreached(let device, let isSilent):
      report(.unreached(device, isSilent: isSilent))
    case .probed(let number, let device): reportProbe(number, device)
    case .refused(let device, let error):
      log.notice("\(self.name(of: device)): \(error.message)", cause: "link \(device)")
    case .control(let device, let bytes):
      credit.heard(received(bytes, from: device), of: bytes.count, from: device, at: .now)
      giveBack(to: device)
    case .channelOpened(let channel, let first):
      opened(channel, first)
      credit.opened(first.count, by: channel.device, at: .now)
      giveBack(to: channel.device)
    }
  }

  /// Reports the message and returns it; nil for a malformed one, or one of a device that is not paired.
  private func received(_ bytes: [UInt8], from device: DeviceID) -> LinkMessage? {
    guard isPaired(device) else { return nil }
    do throws(SegueError) {
      let message = try LinkMessage.decode(bytes)
      if case .introduce(let introduction) = message, !introduction.device.isGenuine {
        throw SegueError(.protocolViolation, "It introduces a device whose id is none.")
      }
      report(.message(device, message))
      return message
    } catch {
      log.notice("\(name(of: device)): \(error.message)", cause: "message \(device)")
      return nil
    }
  }

  /// Gives the device back the credit that is due, on its present link.
  private func giveBack(to device: DeviceID) {
    for count in credit.takeDue(of: device, at: .now) { link?.consumed(count, from: device) }
    let next = credit.next(of: device)
    guard creditTimers[device]?.deadline != next else { return }
    creditTimers.removeValue(forKey: device)?.cancel()
    creditTimers[device] = next.map { due in
      loop.timer(at: due) { [weak self] in
        self?.creditTimers[device] = nil
        self?.giveBack(to: device)
      }
    }
  }

  /// Drops what waits for credit on a link that has ended: a new link has credit of its own.
  private func dropCredit(of device: DeviceID) {
    credit.drop(device)
    creditTimers.removeValue(forKey: device)?.cancel()
  }

  private func opened(_ channel: LinkChannel, _ first: [UInt8]) {
    guard isPaired(channel.device) else { return channel.reset(.accessDenied) }
    do throws(SegueError) {
      let request = try ChannelRequest(first)
      guard let route = routes[request.kind] else {
        throw SegueError(
          .protocolViolation,
          "The other device opened a channel of a kind that this version does not know, \(DisplayText.quoted(request.kind)).",
          advice: "Update Segue on this device.")
      }
      route(channel, request)
    } catch {
      log.notice("\(name(of: channel.device)): \(error.message)", cause: "channel \(channel.device)")
      channel.reset(error.code)
    }
  }
}
