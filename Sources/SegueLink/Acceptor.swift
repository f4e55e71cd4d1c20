import NIOCore
import SegueCore

/// The accepting side of the link: the listeners, the unauthenticated peers that have connected, and the key that each
/// of them is shown.
final class Acceptor: @unchecked Sendable {
  private unowned let core: LinkCore
  private let pairing: PairingPort
  private var listeners: [Listener] = []
  private var unauthenticated: UnauthenticatedPeers
  private var recognizer: Recognizer
  private var isClosed = false

  init(core: LinkCore, pairing: PairingPort) {
    self.core = core
    self.pairing = pairing
    unauthenticated = UnauthenticatedPeers(settings: core.settings)
    recognizer = Recognizer(own: core.identity.id, period: core.settings.nonceTime)
  }

  /// Sets the paired devices from now on.
  func setPeers(_ peers: some Collection<DeviceID>) { recognizer.setPeers(peers) }

  /// Discovery gives out this nonce from now on.
  func publish(_ nonce: [UInt8]) { recognizer.publish(nonce) }

  func listen(_ listener: Listener) throws(SegueError) {
    try listener.start(
      accepted: { [unowned self] in accept($0) }, exhausted: { [unowned core] in core.exhausted() })
    listeners.append(listener)
  }

  private func accept(_ socket: Socket) {
    let channel = StreamChannel(socket, on: core.loop)
    do {
      try prepare(channel)
      channel.begin()
    } catch {
      channel.close0(error: error, mode: .all, promise: nil)
    }
  }

  /// Puts the link's handlers into an accepted channel.
  private func prepare(_ channel: StreamChannel) throws {
    guard !isClosed, let address = channel.remoteAddress else {
      throw SegueError(.connectionUnavailable, "The link has stopped.")
    }
    let source = UnauthenticatedPeers.source(ip: address.ipBytes)
    let connection = PeerConnection(token: core.newToken(), origin: .accepted(source: source), core: core)
    let handler = try TLS.server(
      connection.purpose, shown: { [unowned self] in try shown(to: $0) },
      accepts: { [unowned core] in core.accepts($0, connection) })
    if let victim = unauthenticated.admit(connection.token, from: source, now: core.now) {
      core.end(victim, SegueError(.limitExceeded, "Too many connections of unauthenticated peers."))
    }
    core.add(connection)
    do {
      try channel.pipeline.syncOperations.addHandlers([connection.socketEnd, handler, connection])
    } catch {
      core.closed(connection)
      leave(connection, .asked)
      throw error
    }
  }

  /// The purpose of an accepted connection, and the key that it is shown, given the server name that it asks for.
  private func shown(to name: String?) throws -> (TLS.Purpose.Kind, Identity) {
    guard !isClosed else { throw SegueError(.connectionUnavailable, "The link has stopped.") }
    if name == TLS.pairingName {
      guard let key = pairing.identity else { throw SegueError(.accessDenied, "This device does not pair.") }
      return (.pairing, key)
    }
    switch recognizer.caller(name, at: core.now) {
    case .device(let id): return (.link(id), core.identity)
    case .unknown: return (.probe, try ephemeral())
    case .unauthenticated: return (.none, try ephemeral())
    }
  }

  private func ephemeral() throws -> Identity {
    try EphemeralCertificate.identity(nonce: recognizer.nonce(at: core.now))
  }

  /// Notes that the connection has authenticated or ended. A dialled connection is ignored.
  func leave(_ connection: PeerConnection, _ outcome: UnauthenticatedPeers.Outcome) {
    guard case .accepted(let source) = connection.origin else { return }
    unauthenticated.leave(connection.token, from: source, outcome, now: core.now)
  }

  /// Closes the listeners.
  func close() {
    isClosed = true
    for listener in listeners { listener.close() }
  }
}

extension SocketAddress {
  /// The address's bytes, four or sixteen; none for another family.
  fileprivate var ipBytes: [UInt8] {
    switch self {
    case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
    case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
    case .unixDomainSocket: []
    }
  }
}
