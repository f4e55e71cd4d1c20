import NIOCore
import NIOSSL
import SegueCore

/// The connections of a device that pairs: made and taken only while it is open, with a throw-away key of that time.
final class PairingPort: @unchecked Sendable {
  private let deliver: (PairingLinkEvent) -> Void
  private let connector: Connector
  let handshakeTime: UInt64
  var loop: SocketLoop { connector.loop }
  /// The throw-away key; nil while no pairing is under way.
  private(set) var identity: Identity?
  private var channels: [UInt64: PairingChannel] = [:]
  /// The connections of which the owner was notified.
  private var known: Set<UInt64> = []
  private var lastNumber: UInt64 = 0
  /// Dials of the last request that may still lead to a connection.
  private var dials: Set<UInt64> = []

  init(settings: LinkSettings, connector: Connector, deliver: @escaping (PairingLinkEvent) -> Void) {
    self.connector = connector
    self.deliver = deliver
    handshakeTime = settings.handshakeTime
  }

  // MARK: Calls

  /// Takes connections of devices that pair, with a new key each time it is opened; or ends them all.
  func open(_ isOpen: Bool) {
    dials = []
    if isOpen {
      identity = try? Identity.temporary()
    } else {
      identity = nil
      // The owner ends the connections that are up, when it has sent all messages.
      for channel in Array(channels.values) where !known.contains(channel.number) { channel.end() }
    }
  }

  func send(_ bytes: [UInt8], on number: UInt64) { channels[number]?.send(bytes) }

  func close(_ number: UInt64) { channels[number]?.end() }

  /// Dials all the addresses; the first that answers counts for the owner. If none does, the owner is notified.
  func dial(_ addresses: [LinkAddress]) {
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

  /// Takes an accepted connection over, whose TLS was done with the throw-away key.
  func take(_ context: ChannelHandlerContext, _ alpn: String?) {
    // The owner soon says which accepted connections end. Its own dials do not count here.
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
    known.insert(channel.number)
    deliver(.connected(channel.number, isDialler: channel.isDialled, key: key.bytes, other: other.bytes))
  }

  func received(_ channel: PairingChannel, _ bytes: [UInt8]) {
    deliver(.received(channel.number, bytes))
  }

  func over(_ channel: PairingChannel, wasUp: Bool) {
    // A name may have had another address, whose connection has the same number.
    if channels[channel.number] === channel { channels[channel.number] = nil }
    if known.remove(channel.number) != nil { deliver(.closed(channel.number)) }
    if channel.isDialled, channel.isConnected, !wasUp { failed(channel.number) }
  }

  private func failed(_ number: UInt64) {
    guard dials.remove(number) != nil, dials.isEmpty else { return }
    deliver(
      .notReached(
        SegueError(
          .connectionUnavailable, "The other device cannot be reached there, or it does not pair.",
          advice: "Run \"segue pair\" on it too, and look at its firewall.")))
  }
}

/// An event of the connections between devices that pair.
public enum PairingLinkEvent: Sendable, Equatable {
  /// TLS is done; the hashes of both throw-away keys, as it proved them.
  case connected(UInt64, isDialler: Bool, key: [UInt8], other: [UInt8])
  case received(UInt64, [UInt8])
  case closed(UInt64)
  /// No address has led to a connection.
  case notReached(SegueError)
}
