import Logging
import NIOCore
import SegueCore

/// The peers, their connections and dials, behind `Link`.
///
/// One of two devices chooses between their links: the one with the smaller id. The other takes a link as up only when
/// the chooser's welcome has come on it. So both always mean the same link, whatever arrives first where, and no data
/// that was sent on a link that is up is lost to a duplicate.
final class LinkCore: @unchecked Sendable {
  let identity: Identity
  let name: String
  let settings: LinkSettings
  let loop: SocketLoop
  var logger: Logger { log.logger }
  private let log: LinkLog
  let events: LinkEventQueue
  private var lastID: UInt64 = 0
  private let connector: Connector

  private var peers: [DeviceID: Peer] = [:]
  private var connections: [UInt64: PeerConnection] = [:]
  private var closing = ClosingConnections()
  private var lastToken: UInt64 = 0
  private var dialTimer = DialTimer()
  private var dialTask: SocketTimer?
  private(set) var isStopped = false
  /// The timer of all links' heartbeats.
  let heartbeatTimer: HeartbeatTimer
  private(set) lazy var pairing = PairingPort(settings: settings, connector: connector, events)
  private(set) lazy var acceptor = Acceptor(core: self, pairing: pairing)
  /// What this side's welcomes say of its heartbeats; a test plays a former version.
  var isDistinct = true
  private lazy var dials = Dials(core: self, connector: connector)
  /// Whether the first list of peers was set: its devices are known, and later ones are new.
  private var hasPeers = false

  init(
    identity: Identity, name: String, settings: LinkSettings, loop: SocketLoop, logger: Logger,
    resolver: any NameResolver, deliver: @escaping (LinkEvent) -> Void
  ) {
    self.identity = identity
    self.name = name
    self.settings = settings
    self.loop = loop
    heartbeatTimer = HeartbeatTimer(on: loop)
    log = LinkLog(logger)
    connector = Connector(loop: loop, resolver: resolver, settings: settings)
    events = LinkEventQueue(loop, deliver: deliver)
  }

  /// Milliseconds of a clock that stands still while the machine sleeps. That is right here: the link measures how long
  /// this device has listened to a silent peer, has dialled in vain, or has held unauthenticated connections, and a
  /// machine that sleeps does none of these. Deadlines that end at a moment use `Instant`.
  var now: UInt64 { loop.milliseconds }

  // MARK: Peers

  func setPeers(_ wanted: [LinkPeer]) {
    guard !isStopped else { return }
    var next: [DeviceID: Peer] = [:]
    for peer in wanted where peer.id != identity.id && next.count < settings.peers {
      if var known = peers[peer.id] {
        known.plan.replace(peer.addresses, now: now)
        next[peer.id] = known
      } else {
        let plan = DialPlan(addresses: peer.addresses, settings: settings, now: now)
        next[peer.id] = Peer(plan: plan)
        if hasPeers { next[peer.id]?.newUntil = now + settings.newcomerTime }
      }
    }
    hasPeers = true
    acceptor.setPeers(next.keys)
    let gone = Set(peers.keys).subtracting(next.keys)
    peers.merge(next) { $1 }
    // The pins go first, so that no call that the ends below cause can find them.
    for id in gone { peers[id]?.heldTimer?.cancel() }
    let lost = gone.compactMap { peers[$0]?.current }
    for id in gone {
      peers[id] = nil
      dials.end(of: id)
    }
    let error = SegueError(.accessDenied, "The device was removed.", advice: "Pair again with: segue device add")
    for connection in lost { connection.end(error, goodbye: .removed, quiet: true) }
    for connection in Array(connections.values) where connection.peer.map(gone.contains) ?? false {
      connection.end(error, goodbye: .removed, quiet: true)
    }
    for connection in Array(connections.values) {
      if case .dialled(let id, _) = connection.origin, gone.contains(id) {
        connection.end(error, goodbye: nil, quiet: true)
      }
    }
    dial()
    for id in Array(peers.keys) { tellUnreached(id) }
  }

  /// Whether the device may be at the other end of the connection.
  func accepts(_ id: DeviceID, _ connection: PeerConnection) -> Bool {
    guard !isStopped, peers[id] != nil else { return false }
    switch connection.origin {
    case .dialled(let expected, _): return id == expected
    case .probed(let expected, _): return expected.contains(id)
    case .accepted: return connection.purpose.kind == .link(id)
    }
  }

  /// Whether this device is the one of the two that chooses between links (tie-breaker).
  func breaksTies(with id: DeviceID) -> Bool { identity.id < id }

  func newToken() -> UInt64 {
    lastToken += 1
    return lastToken
  }

  /// Adds a connection; `closed` is called at its end.
  func add(_ connection: PeerConnection) { connections[connection.token] = connection }

  func end(_ token: UInt64, _ error: SegueError) { connections[token]?.end(error, goodbye: nil) }

  // MARK: Events of connections

  /// Called when TLS has proved a pinned key.
  func authenticated(_ connection: PeerConnection) {
    if !connection.isDialled {
      let isAdmitted = connection.peer.flatMap { peers[$0]?.logins.admit(at: Instant(milliseconds: now)) } == 0
      acceptor.leave(connection, isAdmitted ? .proved : .failed)
      guard isAdmitted else {
        return connection.end(SegueError(.limitExceeded, "The device logs in too often."), goodbye: .overload)
      }
    }
    if let id = connection.peer, let nonce = dials.proved(id, by: connection) { peers[id]?.nonce = nonce }
    // Two waiting connections of one peer are one more than it needs: the oldest makes room.
    let waiting = connections.values.filter {
      $0.peer == connection.peer && !$0.isDialled && ($0.state == .welcome || $0.state == .held)
    }
    if waiting.count > Limits.linksPerPeer, let oldest = waiting.min(by: { $0.token < $1.token }) {
      oldest.end(Goodbye.duplicate.error, goodbye: .duplicate, quiet: true)
    }
  }

  /// Called when TLS was completed with the ephemeral key: the connection now belongs to the pairing.
  func pairs(_ connection: PeerConnection, _ context: ChannelHandlerContext, _ alpn: String?) {
    acceptor.leave(connection, .proved)
    pairing.accept(context, alpn)
  }

  /// Called when the peer's welcome has come, and this side chooses.
  func proposed(_ connection: PeerConnection) {
    guard let id = connection.peer, let peer = peers[id] else { return }
    guard let current = peer.current else { return connection.adopt() }
    if connection.isDialled {
      return connection.end(Goodbye.duplicate.error, goodbye: .duplicate, quiet: true)
    }
    // The peer would not dial if its end of the current link lived. It may have dialled before that link was up,
    // though: so the current link is pinged first.
    peers[id]?.held = connection
    drop(peer.held)
    // The time starts with the first of several connections that are dialled meanwhile, or it would never end.
    guard peer.held == nil else { return }
    peers[id]?.heldTimer = loop.timer(after: settings.duplicateTime) { [weak current] in
      current?.end(
        SegueError(.connectionUnavailable, "The device has dialled anew, and no longer answers on the old link."),
        goodbye: .duplicate, quiet: true)
    }
    current.traffic?.heartbeat?.probe()
  }

  /// Called when the link has answered a ping: the connection that is held for its death is a duplicate.
  func answered(_ connection: PeerConnection) {
    guard let id = connection.peer, let peer = peers[id], peer.current === connection, peer.held != nil else { return }
    peers[id]?.heldTimer?.cancel()
    peers[id]?.held = nil
    drop(peer.held)
  }

  /// Called when both welcomes are sent.
  func up(_ connection: PeerConnection) {
    guard let id = connection.peer, let peer = peers[id], let theirs = connection.theirs else { return }
    peers[id]?.current = nil
    peer.current?.end(
      SegueError(.connectionUnavailable, "The other device has begun a new link."), goodbye: .duplicate, quiet: true)
    peers[id]?.current = connection
    dials.end(of: id)
    peers[id]?.newUntil = nil
    for other in connections.values where other !== connection && other.isDialled && other.candidate == id {
      drop(other)
    }
    logger.info("Linked with \(theirs.name) (\(id.short)).")
    let version = min(Welcome.versions.upperBound, theirs.versions.upperBound)
    events.append(.up(id, name: theirs.name, version: version))
    switch connection.origin {
    case .dialled(_, let address), .probed(_, let address): events.append(.reached(id, address))
    case .accepted: events.append(.reachedBy(id))
    }
  }

  /// Called when the peer has no version in common.
  func refuse(_ connection: PeerConnection, _ error: SegueError) {
    if let id = connection.peer { events.append(.refused(id, error)) }
  }

  /// Called when TLS has failed.
  func failed(_ connection: PeerConnection, _ error: SegueError, quiet: Bool) {
    switch connection.origin {
    case .accepted:
      let isProbe = connection.purpose.kind == .probe
      acceptor.leave(connection, isProbe ? .asked : .failed)
      if !quiet, !isProbe {
        log.write(.unauthenticated, at: now, "An unauthenticated peer was refused: \(error.message)")
      }
    case .dialled(let id, let address):
      guard !quiet, !isNew(id), !dials.goesOn(connection) else { return }
      let isRefused = dials.hasLearned(connection)
      if isRefused, peers[id] != nil { events.append(.unknownThere(id, at: address)) }
      log.write(.dial, at: now, "\(address) is not \(id.short)\(isRefused ? Self.unknownThere : ": " + error.message)")
    case .probed: break
    }
  }

  private static let unknownThere = ", or does not know this device: add this device there too."

  /// Called when the connection is over; its channels were closed.
  func ended(_ connection: PeerConnection, wasUp: Bool, _ error: SegueError) {
    if let oldest = closing.add(connection.token) { connections[oldest]?.socketEnd.close() }
    dials.ended(
      connection,
      isLast: !connections.values.contains { $0.dial == connection.dial && $0.state != .closed })
    defer { if let id = connection.candidate { tellUnreached(id) } }
    guard let id = connection.peer else { return }
    if wasUp {
      logger.info("No longer linked with \(id.short): \(error.message)")
      events.append(.down(id, error))
    }
    if peers[id]?.held === connection {
      peers[id]?.held = nil
      peers[id]?.heldTimer?.cancel()
    }
    guard let peer = peers[id], peer.current === connection else { return }
    peers[id]?.current = nil
    peers[id]?.plan.lost(since: connection.traffic?.since ?? 0, now: now)
    if let held = peer.held {
      peers[id]?.held = nil
      peers[id]?.heldTimer?.cancel()
      held.adopt()
    } else {
      dial()
    }
  }

  /// Called when the socket is closed.
  func closed(_ connection: PeerConnection) {
    connections[connection.token] = nil
    closing.remove(connection.token)
  }

  /// Called when the process has no descriptor left: closes the sockets of connections that are over.
  func exhausted() {
    log.write(.exhausted, at: now, "Out of descriptors: other devices are waiting to be let in.")
    for token in closing.takeAll() { connections[token]?.socketEnd.close() }
  }

  func logEnd(_ connection: PeerConnection, _ error: SegueError) {
    guard connection.peer.map(isNew) != true || error.code == .protocolViolation else { return }
    let who = connection.peer?.short ?? "an unauthenticated peer"
    let cause: LogLimiter.Cause =
      error.code == .protocolViolation ? .violation(connection.peer) : .peer(connection.peer)
    log.write(cause, at: now, "The link with \(who) ended: \(error.message)")
  }

  /// Whether the peer is so new that a link to it that does not come up is not worth a log line.
  private func isNew(_ id: DeviceID) -> Bool { peers[id]?.newUntil.map { $0 > now } ?? false }

  private func drop(_ connection: PeerConnection?) {
    connection?.end(Goodbye.duplicate.error, goodbye: .duplicate, quiet: true)
  }

  // MARK: Channels

  /// The traffic of the link with the device; nil where it is not linked.
  func traffic(with id: DeviceID) -> Traffic? { peers[id]?.current?.traffic }

  func newChannel(with id: DeviceID) -> LinkChannel {
    lastID += 1
    return LinkChannel(ChannelID(value: lastID), with: id)
  }

  func openChannel(to id: DeviceID, first: [UInt8], finishing: Bool) -> LinkChannel {
    let channel = newChannel(with: id)
    if let traffic = traffic(with: id) {
      traffic.open(channel, first: first, finishing: finishing)
    } else {
      events.append(.closed(Traffic.notLinked), of: channel)
    }
    return channel
  }

  // MARK: Sockets out

  /// Called when the network has come back: dials now, and checks which links have survived.
  func redial() {
    for connection in Array(connections.values) where connection.isDialled && connection.state == .tls {
      connection.end(SegueError(.connectionUnavailable, "Dialled anew."), goodbye: nil, quiet: true)
    }
    for id in Array(peers.keys) {
      // The nonce is dropped, so that a listener of the former network does not see it again in another one.
      peers[id]?.nonce = nil
      peers[id]?.plan.restart(now)
      peers[id]?.current?.traffic?.heartbeat?.probe()
    }
    dial()
  }

  /// Dials the peers whose dial is due, and sets the timer for the next.
  private func dial() {
    guard !isStopped else { return }
    let now = now
    for (id, peer) in peers where peer.current == nil {
      let chance = Double.random(in: 0...1)
      let isFirst = peer.plan.isFirstRound
      let addresses = peers[id]?.plan.due(now, underway: dials.count(of: id), chance: chance) ?? []
      for address in addresses { dials.begin(.peer(id), at: address, nonce: peer.nonce, isFirst: isFirst) }
    }
    let wakes = peers.values.compactMap { $0.current == nil ? $0.plan.wake : nil }
    guard let wake = wakes.min() else { return }
    guard let delay = dialTimer.set(for: wake, now: now) else { return }
    dialTask?.cancel()
    dialTask = loop.timer(after: delay) { [weak self] in
      self?.dialTimer.rang()
      self?.dial()
    }
  }

  /// Dials a device that discovery has found: one of the paired devices that are not linked, or an unknown one.
  func probe(_ number: UInt64, at address: LinkAddress, nonce: [UInt8]) {
    guard !isStopped else { return }
    let now = now
    let sought = peers.filter { $0.value.current == nil && $0.value.plan.isSought(now) }
    let ids = sought.keys.shuffled().prefix(Limits.proofTokens)
    guard !ids.isEmpty, nonce.count == Proof.nonceLength else { return events.append(.probed(number, nil)) }
    dials.begin(.found(number, Set(ids)), at: address, nonce: nonce)
  }

  /// Puts the link's handlers into a dialled channel.
  func dialled(_ channel: StreamChannel, _ origin: PeerConnection.Origin, _ dial: UInt64, name: String?) throws {
    let connection = PeerConnection(token: newToken(), origin: origin, dial: dial, core: self)
    let handler = try TLS.client(
      identity, name: name, learned: { [unowned self] in dials.learned($0, by: dial) },
      accepts: { [unowned self] in accepts($0, connection) })
    try channel.pipeline.syncOperations.addHandlers([connection.socketEnd, handler, connection])
    add(connection)
  }

  /// Called when an address of the peer has accepted a connection.
  func answered(_ id: DeviceID) { peers[id]?.hasAnswered = true }

  /// Reports that the first dials of the peer have failed, once they have. A duplicate dial has not failed: the other
  /// connection is under way.
  func tellUnreached(_ id: DeviceID) {
    guard peers[id] != nil, peers[id]?.current == nil else { return }
    let waiting = connections.values.count { $0.peer == id && $0.state != .closed }
    let underway = dials.firstCount(of: id) + waiting
    if peers[id]?.plan.hasFailed(underway: underway) == true {
      events.append(.unreached(id, isSilent: peers[id]?.hasAnswered == false))
    }
  }

  // MARK: The end

  /// Closes everything; nothing is delivered any more.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    events.close()
    dialTask?.cancel()
    acceptor.close()
    dials.end()
    for peer in peers.values { peer.heldTimer?.cancel() }
    peers = [:]
    let error = SegueError(.connectionUnavailable, "Segue has stopped.")
    for connection in Array(connections.values) { connection.end(error, goodbye: .stopping, quiet: true) }
  }
}
