import NIOCore
import NIOSSL
import SegueCore

/// The connections of a device that pairs: made and taken only while it is open, with an ephemeral key of that time. The
/// owner sets `take`. It belongs to the link's loop, and is called on its thread.
public final class PairingPort: @unchecked Sendable {
  /// Is called with what happens, at the end of the loop's turn, as the link's owner is.
  public var take: ((PairingLinkEvent) -> Void)?
  private let events: LinkEventQueue
  private let connector: Connector
  let handshakeTime: UInt64
  var loop: SocketLoop { connector.loop }
  /// The ephemeral key; nil while no pairing is under way.
  private(set) var identity: Identity?
  private var channels: [UInt64: PairingChannel] = [:]
  private var lastNumber: UInt64 = 0
  /// Dials of the last request that may still lead to a connection.
  private var dials: Set<UInt64> = []

  init(settings: LinkSettings, connector: Connector, _ events: LinkEventQueue) {
    self.connector = connector
    self.events = events
    handshakeTime = settings.handshakeTime
  }

  // MARK: Calls

  /// Takes connections of devices that pair, and makes them (`dial`), with an ephemeral key that is new each time; or no
  /// longer. Connections that are up stay until they are closed.
  public func open(_ isOpen: Bool) {
    dials = []
    if isOpen {
      identity = try? Identity.temporary()
    } else {
      identity = nil
      // The owner ends the ones that are up, when all is said.
      for channel in Array(channels.values) where !channel.isUp { channel.end() }
    }
  }

  /// Sends a message of at most `Limits.frameLengthBeforeWelcome` bytes; ignored where the connection is closed.
  public func send(_ bytes: [UInt8], on number: PairingConnection) { channels[number]?.send(bytes) }

  /// Closes the connection when all that was sent has left.
  public func close(_ number: PairingConnection) { channels[number]?.end() }

  /// Dials all the addresses; whichever answers first counts for the owner. If none does, that is told.
  public func dial(_ addresses: [LinkAddress]) {
    guard let identity, !addresses.isEmpty else { return }
    let numbers = addresses.prefix(Limits.deviceAddresses).map { address in
      lastNumber += 1
      return (lastNumber, address)
    }
    dials = Set(numbers.map { $0.0 })
    for (number, address) in numbers {
      connector.connect(to: address) { [unowned self] channel in
        let pairing = PairingChannel(number, isDialled: true, key: identity.id, self)
        try channel.pipeline.syncOperations.addHandlers([try TLS.pairingClient(identity), pairing])
        channels[number] = pairing
      } done: { [weak self] result in
        if case .failure = result { self?.failed(number) }
      }
    }
  }

  // MARK: Events of connections

  /// Takes an accepted connection over, whose TLS was done with the ephemeral key.
  func accept(_ context: ChannelHandlerContext, _ alpn: String?) {
    // Their owner soon says which of them go. Its own dials are its own affair.
    guard let identity, channels.values.count(where: { !$0.isDialled }) < Limits.pairingConnectionsHeld else {
      return context.close(promise: nil)
    }
    lastNumber += 1
    let channel = PairingChannel(lastNumber, isDialled: false, key: identity.id, self)
    do {
      try context.pipeline.syncOperations.addHandler(channel)
    } catch {
      return context.close(promise: nil)
    }
    channels[channel.number] = channel
    guard let own = try? context.pipeline.syncOperations.context(handler: channel) else { return channel.end() }
    channel.secured(own, alpn)
  }

  func up(_ channel: PairingChannel, key: DeviceID, other: DeviceID) {
    if channel.isDialled { dials = [] }
    let role: PairingRole = channel.isDialled ? .dialler : .other
    deliver(.connected(channel.number, role, key: key.bytes, otherKey: other.bytes))
  }

  func received(_ channel: PairingChannel, _ bytes: [UInt8]) {
    deliver(.received(channel.number, bytes))
  }

  func over(_ channel: PairingChannel) {
    // A name may have had another address, which is tried under the same number.
    if channels[channel.number] === channel { channels[channel.number] = nil }
    if channel.isUp { return deliver(.closed(channel.number)) }
    if channel.isDialled, channel.isConnected { failed(channel.number) }
  }

  private func deliver(_ event: PairingLinkEvent) { events.append(event, of: self) }

  private func failed(_ number: UInt64) {
    guard dials.remove(number) != nil, dials.isEmpty else { return }
    deliver(
      .notReached(
        SegueError(
          .connectionUnavailable, "The other device cannot be reached there, or it does not pair.",
          advice: "Run \"segue pair\" on it too, and look at its firewall.")))
  }
}
