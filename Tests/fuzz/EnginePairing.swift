import SegueCore

@testable import SegueEngine

/// Quick cryptography, which is the same in each run; an input does not forge it by chance.
private final class QuickCrypto: PairingCrypto, @unchecked Sendable {
  let key: [UInt8]
  private var drawn: UInt8 = 0

  init(_ seed: UInt8) { key = [UInt8](repeating: seed, count: PairingIdentity.keyLength) }

  var device: DeviceID { device(key) }

  func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<PairingMessage.hashLength).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state)
    }
  }

  func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] { hash(key + [0] + bytes) }

  func random(_ count: Int) -> [UInt8] {
    drawn &+= 1
    return Array(hash(key + [drawn]).prefix(count))
  }

  func signature(of bytes: [UInt8]) -> [UInt8]? { hash(key + bytes) }

  func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID? {
    signature == hash(key + bytes) ? device(key) : nil
  }

  private func device(_ key: [UInt8]) -> DeviceID { DeviceID(hash: hash(key), check: [0, 0, 0, 0]) }
}

/// The connections of devices that pair with an engine, its user, and what an outside observer knows of both. Each
/// peer keeps to the protocol by itself; the input decides which of its messages arrive, and what arrives instead.
final class PairingWorld {
  private struct Peer {
    var session: PairingSession
    let crypto: QuickCrypto
    let name: String
    let knowsSecret: Bool
    /// The messages that are on their way to the engine.
    var says: [[UInt8]] = []
    /// The digits that its user sees.
    var digits: String?
  }

  private let own = QuickCrypto(1)
  private let others = [QuickCrypto(2), QuickCrypto(3)]
  private let names = ["desk", "", "lap"]
  private let hosts = ["192.0.2.1:1", "[2001:db8::1]:65535"].compactMap { LinkAddress($0) }

  private var peers: [PairingConnection: Peer] = [:]
  private var connections: PairingConnection = 0
  private var closed: Set<PairingConnection> = []
  /// The user's last wish.
  private var wish = PairingWish()
  private var isOpen = false
  private var state = PairingState.closed
  /// The window: whether it is for a device that knows a secret; the secret, if a user can have copied it; and the
  /// device that it is for.
  private var isSecret = false
  private var secret: [UInt8]?
  private var expected: DeviceID?
  /// Whether the user has agreed to pair when last asked.
  private var hasAgreed = false
  private var writing: PairingSession.PairedPeer?
  private var written: Set<DeviceID> = []

  var crypto: any PairingCrypto & Sendable { own }

  // MARK: Events

  /// The next event that the input chooses, if there is one. `request`: a call that waits for its reply.
  func event(_ bytes: inout Bytes, at seconds: UInt64, request: () -> RequestID) -> Event? {
    switch bytes.below(12) {
    case 0:
      wish = wish(&bytes, at: seconds)
      return .control(request(), .pairing(.open(wish)))
    case 1: return .pairing(connected(&bytes))
    case 2, 3, 4: return received(&bytes).map { .pairing($0) }
    case 5:
      otherUser(&bytes)
      return nil
    case 6, 7: return .control(request(), .pairing(answer(&bytes)))
    case 8: return remembered(bytes.below(4) == 0 ? SegueError(.system, "The disk is full.") : nil)
    case 9: return .control(request(), .pairing(bytes.bool() ? .renew() : .end))
    case 10:
      guard let connection = bytes.any(of: peers.keys.sorted()) else { return nil }
      peers[connection] = nil
      return .pairing(.link(.closed(connection)))
    default:
      switch bytes.below(3) {
      case 0: return .pairing(.link(.notReached(SegueError(.remoteApplicationTimedOut, "Nobody answers."))))
      case 1: return nil
      default:
        let addresses = bytes.bool() ? hosts : []
        return .addresses(addresses, machine: Set(addresses.compactMap { $0.ip }))
      }
    }
  }

  private func wish(_ bytes: inout Bytes, at seconds: UInt64) -> PairingWish {
    let flags = bytes.byte()
    var wish = PairingWish(addresses: flags & 1 == 0 ? [] : hosts, showsCode: flags & 2 != 0)
    if flags & 4 != 0 {
      let code = PairingCode(
        device: flags & 8 == 0 ? others[0].device : bytes.one(of: [own.device, others[1].device]),
        secret: own.random(PairingCode.secretLength),
        expires: flags & 16 == 0 ? seconds.addingReportingOverflow(1).partialValue : bytes.number(),
        addresses: flags & 32 == 0 ? hosts : [])
      wish.code = try? PairingCode(code.text)
    }
    return wish
  }

  private func connected(_ bytes: inout Bytes) -> PairingEvent {
    let flags = bytes.byte()
    connections += 1
    let role: PairingRole = flags & 1 == 0 ? .dialler : .other
    // Between two keys of others, so that each may win where both have dialled.
    let key = [UInt8](repeating: 5, count: 32)
    let otherKey = [UInt8](repeating: flags & 2 == 0 ? 3 : 7, count: 32)
    let knowsSecret = flags & 4 == 0
    let crypto = others[flags & 8 == 0 ? 0 : 1]
    let name = bytes.one(of: names)
    let start = PairingSession.Start(
      role: role == .dialler ? .other : .dialler, key: otherKey, otherKey: key, name: name, addresses: hosts,
      secret: knowsSecret ? secret : flags & 16 == 0 ? nil : [1, 2, 3])
    let (session, effects) = PairingSession.begin(start, crypto)
    peers[connections] = Peer(session: session, crypto: crypto, name: name, knowsSecret: knowsSecret && secret != nil)
    hear(effects, connections)
    return .link(.connected(connections, role, key: key, otherKey: otherKey))
  }

  private func received(_ bytes: inout Bytes) -> PairingEvent? {
    guard let connection = bytes.any(of: peers.keys.sorted()) else { return nil }
    let kind = bytes.below(8)
    guard kind < 6 else {
      return .link(.received(connection, kind == 6 ? bytes.bytes() : (try? message(&bytes).encode()) ?? []))
    }
    guard var said = peers[connection]?.says.first else { return nil }
    // A message that arrives twice, or is changed on its way.
    if kind != 4 { peers[connection]?.says.removeFirst() }
    if kind == 5 { said[Int(bytes.byte()) % said.count] ^= bytes.byte() }
    return .link(.received(connection, said))
  }

  private func message(_ bytes: inout Bytes) -> PairingMessage {
    let hash = [UInt8](repeating: bytes.byte(), count: PairingMessage.hashLength)
    let proof = bytes.bool() ? hash : nil
    let identity = PairingIdentity(key: others[0].key, signature: hash, addresses: hosts)
    return bytes.one(of: [
      .begin(commitment: hash, name: "other"), .nonce(hash, name: "other"), .reveal(hash, proof: proof),
      .accept(identity, proof: proof), .confirm(identity), .done, .refused(bytes.one(of: SegueError.Code.all)),
    ])
  }

  /// The other device's user types the digits that are shown here, or something else; confirms; or gives up.
  private func otherUser(_ bytes: inout Bytes) {
    guard let connection = bytes.any(of: peers.keys.sorted()) else { return }
    let event: PairingSession.Event
    switch bytes.below(8) {
    case 0...2:
      guard case .showing(let digits, _) = state else { return }
      event = .typed(digits)
    case 3...5: event = .confirmed(true)
    case 6: event = bytes.bool() ? .typed("no digits") : .confirmed(false)
    default: event = .ended(SegueError(.userCancelled, "No more."))
    }
    hear(peers[connection]?.session.handle(event) ?? [], connection)
  }

  private func answer(_ bytes: inout Bytes) -> Event.PairingCall {
    switch bytes.below(8) {
    case 0...3:
      let digits = peers.values.first?.digits
      if case .typing = state, digits != nil { hasAgreed = true }
      return .type(digits.map { bytes.bool() ? $0 : "\($0.prefix(3)) - \($0.suffix(3))" } ?? "none")
    case 4...6:
      if case .asking = state { hasAgreed = true }
      return .confirm(true)
    default: return bytes.bool() ? .confirm(false) : .type(bytes.one(of: ["", "12345", "\u{FF11}23456"]))
    }
  }

  /// The disk answers, if it was asked.
  func remembered(_ error: SegueError?) -> Event? {
    guard let peer = writing else { return nil }
    writing = nil
    if error == nil { written.insert(peer.device) }
    return .pairing(.remembered(error))
  }

  /// Carries out the effects of the peer's session.
  private func hear(_ effects: [PairingSession.Effect], _ connection: PairingConnection) {
    for effect in effects {
      switch effect {
      case .send(let message): if let bytes = try? message.encode() { peers[connection]?.says.append(bytes) }
      case .show(let digits, _): peers[connection]?.digits = digits
      case .remember: hear(peers[connection]?.session.handle(.remembered(nil)) ?? [], connection)
      case .askDigits, .askConfirmation, .forget, .finished: break
      }
    }
  }

  // MARK: The engine's effects

  func perform(_ effect: PairingEffect) {
    switch effect {
    case .open(let isOpen):
      check(!(isOpen && self.isOpen), "a second window is opened")
      self.isOpen = isOpen
      guard isOpen else { return }
      isSecret = wish.showsCode || wish.code != nil
      secret = wish.code?.secret
      expected = wish.code?.device
    case .dial(let addresses): check(isOpen && !addresses.isEmpty, "somebody is dialled while nobody pairs")
    case .send(let connection, let bytes):
      check(connection <= connections && !closed.contains(connection), "something is sent where nobody is")
      do throws(SegueError) {
        let message = try PairingMessage.decode(bytes)
        hear(peers[connection]?.session.handle(.received(message)) ?? [], connection)
      } catch {
        fatalError("what is sent cannot be read: \(error.message)")
      }
    case .close(let connection):
      check(closed.insert(connection).inserted, "a connection is closed twice")
      peers[connection] = nil
    case .remember(let peer):
      check(isOpen, "a device is remembered while nobody pairs")
      check(writing == nil, "a second device is remembered")
      guard peers.count == 1, let other = peers.values.first else { fatalError("nobody is there to remember") }
      check(peer.device == other.crypto.device && peer.name == other.name, "another device is remembered")
      check(isSecret ? other.knowsSecret : hasAgreed, "a device is remembered that nobody has agreed to")
      check(expected == nil || expected == peer.device, "another device is remembered than the code's")
      writing = peer
    case .forget(let device): check(written.remove(device) != nil, "a device is forgotten that was not remembered")
    }
  }

  /// Checks the state that user interfaces show.
  func look(_ state: PairingState) {
    // One device may come on several connections, until a message arrives on one of them.
    var most = 1
    let isGoingOn: Bool
    switch state {
    case .open(let code):
      if let code { secret = code.secret }
      most = Limits.pairingConnections
      isGoingOn = true
    case .reaching:
      most = Limits.pairingConnections
      isGoingOn = true
    case .showing(let digits, let name):
      check(digits.utf8.count == 6 && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 }, "the digits are \(digits)")
      checkShown(name)
      isGoingOn = true
    case .typing(let name), .asking(let name):
      if self.state != state { hasAgreed = false }
      checkShown(name)
      isGoingOn = true
    case .ending: isGoingOn = isOpen
    case .failed(let error, _):
      checkShown(error)
      isGoingOn = false
    case .closed, .paired: isGoingOn = false
    }
    check(peers.count <= most, "\(peers.count) connections of one pairing")
    check(isGoingOn == isOpen, "what is shown is not so: \(state)")
    self.state = state
  }

  /// The daemon is killed.
  func restart() {
    (peers, isOpen, state, writing) = ([:], false, .closed, nil)
    if connections > 0 { closed.formUnion(1...connections) }
    (isSecret, secret, expected, hasAgreed) = (false, nil, nil, false)
  }

  /// Time has passed, and the disk has answered.
  func end() { check(peers.isEmpty && !isOpen && writing == nil, "a pairing has no end: \(state)") }
}
