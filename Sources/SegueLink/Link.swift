import Logging
import NIOCore
import SegueBus
import SegueCore

/// This device's links to the paired ones: dials them, listens for them, and carries messages and channels.
///
/// It belongs to its loop's thread, where it is called and where it delivers events: at the end of the loop's turn, and
/// never within a call. Every wait for a peer has a bound in `LinkSettings`.
public final class Link {
  let core: LinkCore
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
    for listener in listeners { try core.acceptor.listen(listener) }
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
    core.traffic(with: device)?.sendControl(bytes)
  }

  /// Opens a channel with a request of at most `Limits.frameLength` bytes. The call never fails: an event closes a
  /// channel that cannot be opened (`connectionUnavailable`, `limitExceeded`). `finishing`: as `finish`, and both leave
  /// together.
  public func openChannel(to device: DeviceID, first: [UInt8], finishing: Bool = false) -> LinkChannel {
    core.openChannel(to: device, first: first, finishing: finishing)
  }

  /// The owner is done with one `control` or `channelOpened` event of the device: as `LinkChannel.consumed`.
  public func consumed(_ count: Int, from device: DeviceID) {
    core.traffic(with: device)?.consumedControl(count)
  }

  /// The connections of devices that pair with this one.
  public var pairing: PairingPort { core.pairing }

  /// Sets the sixteen random bytes that discovery gives out for this device from now on. Paired devices make their
  /// proofs with them; the former bytes stay valid.
  public func publish(nonce: [UInt8]) {
    core.acceptor.publish(nonce)
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
