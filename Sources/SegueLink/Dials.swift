import NIOCore
import SegueCore

/// The dials that are under way: each from its first SYN until its link is up, or until
/// nothing can come of it any more.
///
/// A dial has up to two connections, one after the other: a device that does not accept the first one's proof, or gets
/// none since no nonce of it is known, gives out a nonce, and the second has a proof with that.
final class Dials: @unchecked Sendable {
  enum Goal {
    case peer(DeviceID)
    /// What discovery has found under this number: one of these devices, or none of them.
    case found(UInt64, Set<DeviceID>)
  }

  private struct Dial {
    let goal: Goal
    let address: LinkAddress
    /// The address is dialled for the first time since a start.
    let isFirst: Bool
    /// What the other side has given out, as far as that is known here.
    var nonce: [UInt8]?
    /// What a throw-away certificate has carried, and where it was shown.
    var learned: [UInt8]?
    var socket: SocketAddress?
    var isSecond = false
    /// Who answered was told.
    var isTold = false
  }

  private unowned let core: LinkCore
  private let connector: Connector
  private var dials: [UInt64: Dial] = [:]
  private var lastNumber: UInt64 = 0

  init(core: LinkCore, connector: Connector) {
    self.core = core
    self.connector = connector
  }

  /// Those that may lead to the peer, found ones left out.
  func count(of peer: DeviceID) -> Int {
    dials.values.count { if case .peer(peer) = $0.goal { true } else { false } }
  }

  /// The first ones to the peer's addresses. Where nothing answers, the next ones begin before these have ended.
  func firstCount(of peer: DeviceID) -> Int {
    dials.values.count { dial in if dial.isFirst, case .peer(peer) = dial.goal { true } else { false } }
  }

  func begin(_ goal: Goal, at address: LinkAddress, nonce: [UInt8]?, isFirst: Bool = false) {
    lastNumber += 1
    dials[lastNumber] = Dial(goal: goal, address: address, isFirst: isFirst, nonce: nonce)
    connect(lastNumber)
  }

  /// Nobody is dialled any more.
  func end() { dials = [:] }

  /// The peer is linked, or removed: its dials go to no further address.
  func end(of peer: DeviceID) {
    dials = dials.filter { if case .peer(peer) = $0.value.goal { false } else { true } }
  }

  /// The dial has led to the device: TLS has proved it. The nonce that it accepted a proof with.
  func proved(_ device: DeviceID, by connection: PeerConnection) -> [UInt8]? {
    guard let number = connection.dial else { return nil }
    tell(number, device)
    return dials[number]?.nonce
  }

  /// The other side has shown a throw-away certificate with this nonce. That connection ends by it.
  func learned(_ nonce: [UInt8], by number: UInt64) { dials[number]?.learned = nonce }

  /// Whether the dial goes on when the connection is over: with the nonce that was learned.
  func goesOn(_ connection: PeerConnection) -> Bool {
    guard connection.peer == nil, let dial = connection.dial.flatMap({ dials[$0] }), case .peer = dial.goal else {
      return false
    }
    return dial.learned != nil && !dial.isSecond
  }

  /// Whether a throw-away certificate was shown, which is what a device does to whom it does not know.
  func hasLearned(_ connection: PeerConnection) -> Bool {
    connection.dial.flatMap { dials[$0]?.learned } != nil
  }

  /// The connection is over. The dial is too, unless it goes on, or is elsewhere under way.
  func ended(_ connection: PeerConnection, isLast: Bool) {
    guard let number = connection.dial else { return }
    if goesOn(connection), var dial = dials[number] {
      dial.nonce = dial.learned
      dial.isSecond = true
      dials[number] = dial
      connect(number)
    } else if isLast {
      end(number)
    }
  }

  private func connect(_ number: UInt64) {
    guard let dial = dials[number] else { return }
    connector.connect(to: dial.address, at: dial.socket) { [unowned self] channel in
      // A dial that was ended goes to no further address.
      guard let dial = dials[number] else {
        throw SegueError(.connectionUnavailable, "The device is not dialled any more.")
      }
      let own = core.identity.id
      switch dial.goal {
      case .peer(let id):
        let proof = dial.nonce.map { Proof(of: own, to: id, server: $0) }
        try core.dialled(channel, .dialled(id, dial.address), number, name: proof?.name)
      case .found(_, let ids):
        let proof = dial.nonce.map { Proof(of: own, toAnyOf: ids, server: $0) }
        try core.dialled(channel, .probed(ids, dial.address), number, name: proof?.name)
      }
    } done: { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let channel):
        dials[number]?.socket = channel.remoteAddress
        if case .peer(let id) = dial.goal { core.answered(id) }
      case .failure(let error):
        guard let dial = dials[number] else { return }
        core.logger.debug("Could not reach \(dial.address): \(error)")
        end(number)
        if case .peer(let id) = dial.goal { core.tellUnreached(id) }
      }
    }
  }

  private func end(_ number: UInt64) {
    tell(number, nil)
    dials[number] = nil
  }

  /// Says once what was found.
  private func tell(_ number: UInt64, _ device: DeviceID?) {
    guard let dial = dials[number], case .found(let found, _) = dial.goal, !dial.isTold else { return }
    dials[number]?.isTold = true
    core.events.append(.probed(found, device))
  }
}
