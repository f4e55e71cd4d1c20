import Logging
import NIOCore
import SegueBus
import SegueCore

/// This device's links to the paired ones: dials them, listens for them, and carries messages and channels.
///
/// It belongs to its loop's thread, where it is called and where it delivers events: at the end of the loop's turn, and
/// never within a call. Every wait for a peer has a bound in `LinkSettings`.
public final class Link {
  private let core: LinkCore
  private let loop: SocketLoop

  /// A link that is not started.
  ///
  /// - Parameters:
  ///   - identity: this device's key.
  ///   - name: this device's name, which paired devices show.
  ///   - deliver: gets every event, in order.
  public convenience init(
    identity: Identity, name: String, settings: LinkSettings = LinkSettings(), on loop: SegueBus.EventLoop,
    logger: Logger, deliver: @escaping (LinkEvent) -> Void
  ) {
    self.init(
      identity: identity, name: name, settings: settings, on: loop, logger: logger, resolver: SystemResolver(loop),
      deliver: deliver)
  }

  /// `resolver`: finds the addresses of a host's name.
  init(
    identity: Identity, name: String, settings: LinkSettings, on loop: SegueBus.EventLoop, logger: Logger,
    resolver: any NameResolver, deliver: @escaping (LinkEvent) -> Void
  ) {
    self.loop = SocketLoop(loop)
    core = LinkCore(
      identity: identity, name: name, settings: settings, loop: self.loop, logger: logger, resolver: resolver,
      deliver: deliver)
  }

  /// Listens on `addresses` (IP addresses or host names; port 0 stands for any) and returns the ports, in order.
  /// Throws `connectionUnavailable` if one of them is not available, and then listens on none. The link dials peers
  /// whether it listens or not.
  public func start(listenOn addresses: [LinkAddress]) throws(SegueError) -> [UInt16] {
    var listeners: [Listener] = []
    for address in addresses {
      do {
        guard let socket = SocketAddress.all(of: address).first else {
          throw SegueError(.connectionUnavailable, "this machine knows no such name or interface")
        }
        listeners.append(try Listener(at: socket, on: loop))
      } catch {
        for listener in listeners { listener.close() }
        throw SegueError(
          .connectionUnavailable, "Could not listen on \(address): \(ConnectionError.sentence(error)).",
          advice: "Another program may use the port. Name another address or port as Listen in segue.conf.")
      }
    }
    for listener in listeners { try core.entrance.listen(listener) }
    return listeners.map { $0.port }
  }

  /// Sets the paired devices from now on. A new one is dialled at once; the links and channels of one that is missing
  /// end at once, and it is refused from then on. This device itself is skipped, and so are those past
  /// `Limits.devices`.
  public func setPeers(_ peers: [LinkPeer]) {
    core.setPeers(peers)
  }

  /// Sends a message of 1 to `Limits.frameLength` bytes; messages to one device arrive in order. One to a device that
  /// is not up is dropped. The link to a device that does not take them, until more than a mebibyte waits, ends
  /// (`down`), so that no message is lost silently.
  public func sendControl(_ bytes: [UInt8], to device: DeviceID) {
    core.sendControl(bytes, to: device)
  }

  /// Opens a channel with a request of at most `Limits.frameLength` bytes. The call never fails: an event closes a
  /// channel that cannot be opened (`connectionUnavailable`, `limitExceeded`). `finishing`: as `finish`, and both leave
  /// together.
  public func openChannel(to device: DeviceID, first: [UInt8], finishing: Bool = false) -> ChannelID {
    let id = core.openChannel(to: device, first: first)
    if finishing { core.connection(of: id)?.finish(id) }
    return id
  }

  /// Sends bytes on a channel; ignored where it is closed or finished. At most `LinkSettings.queue` bytes may be
  /// under way: `writable` gives them back in portions of a quarter at least. More reset the channel
  /// (`limitExceeded`). `finishing`: as `finish`, and both leave together.
  public func send(_ bytes: [UInt8], on channel: ChannelID, finishing: Bool = false) {
    let connection = core.connection(of: channel)
    connection?.send(bytes, on: channel)
    if finishing { connection?.finish(channel) }
  }

  /// Ends this side's sending on the channel; the other side may go on. Bytes that wait are still sent.
  public func finish(_ channel: ChannelID) {
    core.connection(of: channel)?.finish(channel)
  }

  /// Says that this side reads the channel no more. The other side may stop sending; until then the owner must consume
  /// its bytes as before.
  public func stopReading(_ channel: ChannelID) {
    core.connection(of: channel)?.stopReading(channel)
  }

  /// Ends the channel at once in both directions; the other side gets the code.
  public func reset(_ channel: ChannelID, _ code: SegueError.Code) {
    let error = SegueError(code, "This device ended the channel (\(code.name)).")
    core.connection(of: channel)?.reset(channel, error)
  }

  /// Says that the owner is done with the bytes of one `channelData` event, so that the other side may send more. Must
  /// be called once for each, with its count, even after the channel was closed.
  public func consumed(_ count: Int, on channel: ChannelID) {
    core.connection(of: channel)?.consumed(count, on: channel)
  }

  /// Says that the owner is done with one `control` or `channelOpened` event of the device: as `consumed(_:on:)`.
  public func consumed(_ count: Int, from device: DeviceID) {
    core.consumedControl(count, from: device)
  }

  /// Starts to take connections of devices that pair with this one, and to make them (`dialPairing`), with a throw-away
  /// key that is new each time; or stops both. Connections that are up stay until `closePairing`.
  public func openPairing(_ isOpen: Bool) {
    core.pairing.open(isOpen)
  }

  /// Dials a device that pairs, at all of the addresses at once.
  public func dialPairing(_ addresses: [LinkAddress]) {
    core.pairing.dial(addresses)
  }

  /// Sends a message of at most `Limits.frameLengthBeforeWelcome` bytes; ignored where the connection is closed.
  public func sendPairing(_ bytes: [UInt8], on connection: UInt64) {
    core.pairing.send(bytes, on: connection)
  }

  /// Closes the connection when all that was sent has left.
  public func closePairing(_ connection: UInt64) {
    core.pairing.close(connection)
  }

  /// Sets the sixteen random bytes that discovery gives out for this device from now on. Paired devices make their
  /// proofs with them; the former bytes stay valid.
  public func publish(nonce: [UInt8]) {
    core.entrance.publish(nonce)
  }

  /// Dials a device that discovery has found, and that gives out this nonce: one of the paired devices that are not
  /// linked now, or an unknown one. Ends with one `probed(number, …)`.
  public func probe(_ number: UInt64, at address: LinkAddress, nonce: [UInt8]) {
    core.probe(number, at: address, nonce: nonce)
  }

  /// Called when the network has come back or changed: dials all peers that are not linked, and pings the others.
  public func redial() {
    core.redial()
  }

  /// Sends a goodbye and ends everything; no event is delivered any more. Blocks for as long as TLS takes to close, a
  /// second at most, and serves nothing else meanwhile. Later calls of any method do nothing.
  public func stop() {
    guard !core.isStopped else { return }
    core.stop()
    // The bound is that of TLS's own shutdown.
    loop.end(within: 1_000)
  }
}
