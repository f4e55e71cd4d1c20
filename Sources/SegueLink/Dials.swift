import NIOCore
import SegueCore

/// The dials that are under way: each from its first SYN until its link is up, or until it cannot lead to a link any
/// more.
///
/// A dial has up to two connections, one after the other: a device that does not accept the first one's proof, or gets
/// none since no nonce of it is known, gives out a nonce, and the second has a proof with that.
final class Dials: @unchecked Sendable {
  enum Goal {
    case peer(DeviceID)
    /// The device that discovery has found under this number: one of these, or none of them.
    case found(UInt64, Set<DeviceID>)
  }

  private struct Dial {
    let goal: Goal
    let address: LinkAddress
    /// Whether the address is dialled for the first time since a start.
    let isFirst: Bool
    /// The nonce that the other side has given out, if this side knows it.
    var nonce: [UInt8]?
    /// The nonce that an ephemeral certificate has carried, and the address where it was shown.
    var learned: [UInt8]?
    var socket: SocketAddress?
    var isSecond = false
    /// Whether the outcome of the probe was reported.
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

  /// The number of dials of the peer; probes of found devices are left out.
  func count(of peer: DeviceID) -> Int {
    dials.values.count { if case .peer(peer) = $0.goal { true } else { false } }
  }

  /// The number of first dials to the peer's addresses. If no address answers, the next dials begin before these have
  /// ended.
  func firstCount(of peer: DeviceID) -> Int {
    dials.values.count { dial in if dial.isFirst, case .peer(peer) = dial.goal { true } else { false } }
  }

  func begin(_ goal: Goal, at address: LinkAddress, nonce: [UInt8]?, isFirst: Bool = false) {
    lastNumber += 1
    dials[lastNumber] = Dial(goal: goal, address: address, isFirst: isFirst, nonce: nonce)
    connect(lastNumber)
  }

  /// Ends all dials.
  func end() { dials = [:] }

  /// Ends the dials of a peer that is linked or removed: they go to no further address.
  func end(of peer: DeviceID) {
    dials = dials.filter { if case .peer(peer) = $0.value.goal { false } else { true } }
  }

  /// Notes that TLS has proved the dialled device. Returns the nonce with which it accepted a proof.
  func proved(_ device: DeviceID, by connection: PeerConnection) -> [UInt8]? {
    guard let number = connection.dial else { return nil }
    tell(number, device)
    return dials[number]?.nonce
  }

  /// Notes the nonce of an ephemeral certificate that the other side has shown, which ends that connection.
  func learned(_ nonce: [UInt8], by number: UInt64) { dials[number]?.learned = nonce }

  /// Whether the dial continues, with the nonce that was learned, when the connection is over.
  func goesOn(_ connection: PeerConnection) -> Bool {
    guard connection.peer == nil, let dial = connection.dial.flatMap({ dials[$0] }), case .peer = dial.goal else {
      return false
    }
    return dial.learned != nil && !dial.isSecond
  }

  /// Whether the other side has shown an ephemeral certificate, as a device does to a peer that it does not know.
  func hasLearned(_ connection: PeerConnection) -> Bool {
    connection.dial.flatMap { dials[$0]?.learned } != nil
  }

  /// Notes the end of a connection. It ends the dial too, unless that continues, or has another connection under way.
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
        throw SegueError(.connectionUnavailable, "The device is no longer dialled.")
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

  /// Reports once which device the probe has found.
  private func tell(_ number: UInt64, _ device: DeviceID?) {
    guard let dial = dials[number], case .found(let found, _) = dial.goal, !dial.isTold else { return }
    dials[number]?.isTold = true
    core.events.append(.probed(found, device))
  }
}
