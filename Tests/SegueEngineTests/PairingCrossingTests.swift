import SegueCore
import Testing

@testable import SegueEngine

/// Several connections between two devices that pair: both have dialled, or one has dialled two addresses. Each end may
/// see the connections come in another order, and the first may be slow.
@Suite struct PairingCrossingTests {
  /// Two devices, and the connections between them.
  private struct Crossing {
    enum News {
      case connected
      case bytes([UInt8])
      case closed
    }

    var ends: [Pairing]
    /// The device that dialled each connection.
    let diallers: [Int]
    /// The events under way to each end, by connection.
    var inboxes: [[[News]]]
    let moment = Moment(instant: 1_000, seconds: 1_800_000_000, microseconds: 0)

    /// `dialled`: the ends that were given an address, and fail if that comes to nothing.
    init(diallers: [Int], dialled: Set<Int>) throws {
      self.diallers = diallers
      inboxes = [0, 1].map { _ in diallers.map { _ in [.connected] } }
      ends = []
      for index in 0...1 {
        let crypto = TestCrypto(UInt8(index + 1))
        var end = Pairing(
          EngineSettings(device: crypto.device, deviceName: "device \(index)", boot: "boot", crypto: crypto))
        var turn = Turn(moment)
        let address = LinkAddress(host: "192.0.2.\(index)", port: 1)
        let wish = PairingWish(addresses: dialled.contains(index) ? [address] : [])
        try end.open(wish, by: nil, addresses: [], &turn)
        ends.append(end)
      }
    }

    /// A key that is the same for equal states.
    var key: String {
      let talks = ends.map { end in "\(end.state) \(end.talks.map { "\($0.connection) \($0.session.state)" })" }
      let news = inboxes.map { inbox in
        inbox.map { $0.map { news in if case .bytes(let bytes) = news { "\(bytes.count)" } else { "\(news)" } } }
      }
      return "\(talks) \(news)"
    }

    func canDeliver(_ connection: Int, to index: Int) -> Bool { !inboxes[index][connection].isEmpty }

    mutating func deliver(_ connection: Int, to index: Int) {
      var turn = Turn(moment)
      let number = PairingConnection(connection)
      switch inboxes[index][connection].removeFirst() {
      case .connected:
        let role: PairingRole = diallers[connection] == index ? .dialler : .other
        let (key, otherKey): ([UInt8], [UInt8]) = index == 0 ? ([1], [2]) : ([2], [1])
        ends[index].handle(.link(.connected(number, role, key: key, otherKey: otherKey)), &turn)
      case .bytes(let bytes): ends[index].handle(.link(.received(number, bytes)), &turn)
      case .closed: ends[index].handle(.link(.closed(number)), &turn)
      }
      perform(turn, of: index)
    }

    private mutating func perform(_ turn: Turn, of index: Int) {
      for case .pairing(let effect) in turn.effects {
        switch effect {
        case .send(let number, let bytes): inboxes[1 - index][Int(number)].append(.bytes(bytes))
        case .close(let number):
          inboxes[1 - index][Int(number)].append(.closed)
          inboxes[index][Int(number)] = [.closed]
        case .open, .dial, .remember, .forget: break
        }
      }
    }

    mutating func settle() {
      while let (index, connection) = waiting.first { deliver(connection, to: index) }
    }

    var waiting: [(Int, Int)] {
      [0, 1].flatMap { index in diallers.indices.filter { canDeliver($0, to: index) }.map { (index, $0) } }
    }

    /// The digits that one end shows are typed on the other end, and confirmed on the first.
    mutating func type() throws -> Bool {
      for index in 0...1 {
        guard case .showing(let digits, _) = ends[index].state, case .typing = ends[1 - index].state else { continue }
        var turn = Turn(moment)
        try ends[1 - index].type(digits, &turn)
        perform(turn, of: 1 - index)
        settle()
        if case .asking = ends[index].state { return true }
      }
      return false
    }
  }

  /// The diallers by connection, and the ends that were given an address. The first device has the smaller key.
  private static let cases: [(diallers: [Int], dialled: Set<Int>)] =
    [[0, 1], [0, 0], [1, 1]].flatMap { diallers in [[], [0], [1], [0, 1]].map { (diallers, $0) } }
    + [[0, 1, 1], [1, 0, 0]].map { ($0, [0, 1]) }

  @Test(arguments: cases)
  func noOrderEndsBoth(diallers: [Int], dialled: Set<Int>) throws {
    var seen: Set<String> = []
    var open = [try Crossing(diallers: diallers, dialled: dialled)]
    var ends = 0
    while let crossing = open.popLast() {
      guard seen.insert(crossing.key).inserted else { continue }
      let waiting = crossing.waiting
      for (index, connection) in waiting {
        var next = crossing
        next.deliver(connection, to: index)
        open.append(next)
      }
      guard waiting.isEmpty else { continue }
      ends += 1
      var last = crossing
      #expect(try last.type(), "\(crossing.ends.map { $0.state })")
    }
    #expect(ends > 0 && seen.count > 20, "\(seen.count)")
  }
}
