import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import Testing

@testable import SegueDaemon

@Suite(.serialized) struct LinkServiceTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func request(_ continuation: Identifier = .random()) throws -> FetchRequest {
    FetchRequest(continuation: continuation, activity: .random(), appID: try #require(AppID("org.example.Reader")))
  }

  private func snapshot(_ request: FetchRequest) throws -> FetchAnswer {
    .snapshot(
      Snapshot(
        id: request.activity, revision: 1, type: try #require(ActivityType("org.example.page")),
        userInfo: try CBOR.encode(.dictionary(["page": 7]))))
  }

  /// Two that are linked.
  private func pair() throws -> (LinkServiceNode, LinkServiceNode) {
    let (a, b) = (try LinkServiceNode(loop, "a"), try LinkServiceNode(loop, "b"))
    try b.add(a.id)
    try a.add(b.id, [try b.address()])
    try a.wait(for: .up(b.id, name: "b"))
    try b.wait(for: .up(a.id, name: "a"))
    return (a, b)
  }

  @Test func whatIsSaidAndFetchedArrives() throws {
    let (a, b) = try pair()
    #expect(a.service.online == [b.id: "b"])
    #expect(a.service.name(of: b.id) == "b")
    let message = LinkMessage.acknowledged(continuation: .random())
    a.service.send(message, to: b.id)
    try b.wait(for: .message(a.id, message))
    let wanted = try request()
    a.fetches.fetch(1, wanted, from: b.id)
    let asked = try b.waitAsked()
    #expect(asked.request == wanted)
    let answer = try snapshot(wanted)
    b.fetches.answer(answer, on: asked.channel)
    try a.wait(for: .fetchAnswered(1, answer))
    try b.wait(for: .channelClosed(asked.channel))
  }

  @Test func aChannelOfAnUnknownKindIsResetAndNothingElse() throws {
    let node = try LinkServiceNode(loop, "node")
    let peer = try BarePeer(node)
    defer { peer.stop() }
    let strange: [[UInt8]] = [
      [], [0xff], try CBOR.encode(.dictionary(["kind": "stream of tomorrow"])), try CBOR.encode(.dictionary([:])),
      try CBOR.encode(.dictionary(["kind": 1])), try CBOR.encode(.array(["fetch"])),
    ]
    for first in strange {
      let channel = try peer.open(to: node.id, first: first)
      #expect(try peer.end(of: channel) == .protocolViolation)
    }
    // The link is as it was, and what is of a known kind is answered though it is malformed.
    let channel = try peer.open(to: node.id, first: try CBOR.encode(.dictionary(["kind": "fetch"])))
    let answer = try peer.wait(on: channel) { if case .data(let bytes) = $0 { bytes } else { nil } }
    guard case .failure(let error) = try FetchAnswer.decode(answer) else { throw SegueError(.system, "no failure") }
    #expect(error.code == .protocolViolation)
    #expect(node.events.isEmpty)
  }

  @Test func attack35_whatOneDeviceSaysLeavesRoomForTheLinesOfAnother() throws {
    let lines = Lines()
    let node = try LinkServiceNode(loop, "node", logger: lines.logger)
    let (loud, other) = (try BarePeer(node), try BarePeer(node))
    defer {
      loud.stop()
      other.stop()
    }
    func say(_ peer: BarePeer, times: Int) throws {
      for _ in 0..<times {
        peer.link?.sendControl([0xff], to: node.id)
        let channel = try peer.open(to: node.id, first: [0xff])
        #expect(try peer.end(of: channel) != nil)
      }
    }
    try say(loud, times: Limits.logLinesPerMinute + 1)
    let before = lines.lines.count
    #expect(before == 2 * (Limits.logLinesPerMinute + 1))
    try say(other, times: 1)
    #expect(lines.lines.count == before + 2)
  }

  /// A device is removed while its messages are on their way.
  @Test func thePinsAreAskedAtEachMessageAndEachFetch() throws {
    let node = try LinkServiceNode(loop, "node")
    let peer = try BarePeer(node)
    defer { peer.stop() }
    let link = try #require(peer.link)
    let before = try peer.open(to: node.id, first: try request().encode())
    let asked = try node.waitAsked()
    // The link does not know it yet.
    let id = peer.identity.id
    try node.change { store throws(SegueError) in try store.remove(id) }
    link.sendControl(try LinkMessage.acknowledged(continuation: .random()).encode(), to: node.id)
    let after = try peer.open(to: node.id, first: try request().encode())
    #expect(try peer.end(of: after) == .accessDenied)
    node.fetches.answer(try snapshot(asked.request), on: asked.channel)
    #expect(try peer.end(of: before) == .accessDenied)
    try node.wait(for: .channelClosed(asked.channel))
    #expect(node.events.isEmpty)
  }

  @Test func anAnswerThatIsTooLargeIsNotTaken() throws {
    let node = try LinkServiceNode(loop, "node")
    let peer = try BarePeer(node)
    defer { peer.stop() }
    let wanted = try request()
    node.fetches.fetch(1, wanted, from: peer.identity.id)
    let channel = try peer.opened()
    channel.send([UInt8](repeating: 0, count: FetchAnswer.maximum))
    channel.send([0])
    let code = try node.wait { event -> SegueError.Code? in
      if case .fetchAnswered(1, .failure(let error)) = event { error.code } else { nil }
    }
    #expect(code == .handoffUserInfoTooLarge)
    #expect(try peer.end(of: channel) == .handoffUserInfoTooLarge)
    #expect(node.events.isEmpty)
  }

  /// Only here is hashed, so only here it is seen whether an id is one.
  @Test func anIntroductionOfAnIdThatIsNoneIsRefused() throws {
    let node = try LinkServiceNode(loop, "node")
    let peer = try BarePeer(node)
    defer { peer.stop() }
    let right = peer.identity.id
    let wrong = DeviceID(hash: right.bytes, check: right.check.map { $0 ^ 1 })
    for device in [wrong, right] {
      let message = LinkMessage.introduce(Introduction(device: device, name: "lap", addresses: []))
      peer.link?.sendControl(try message.encode(), to: node.identity.id)
    }
    let heard = try node.wait { event -> DeviceID? in
      if case .message(_, .introduce(let introduction)) = event { introduction.device } else { nil }
    }
    #expect(heard == right && heard.check == right.check)
  }

  @Test func aFetchIsLostWithTheLinkUntilTheNext() throws {
    let node = try LinkServiceNode(loop, "node")
    let peer = try BarePeer(node)
    defer { peer.stop() }
    let wanted = try request()
    node.fetches.fetch(1, wanted, from: peer.identity.id)
    try peer.opened().reset(.system)
    try node.wait(for: .fetchLost(1, withLink: false))
    node.fetches.fetch(2, wanted, from: peer.identity.id)
    _ = try peer.opened()
    peer.stop()
    try node.wait(for: .fetchLost(2, withLink: true))
    try node.wait(for: .down(peer.identity.id))
    #expect(node.service.online.isEmpty)
    // Without a link it is so at once, though not inside the call.
    node.fetches.fetch(2, wanted, from: peer.identity.id)
    #expect(node.events.isEmpty)
    try node.wait(for: .fetchLost(2, withLink: true))
  }

  @Test func nobodyHearsOfAFetchThatWasCancelled() throws {
    let (a, b) = try pair()
    let wanted = try request()
    a.fetches.fetch(1, wanted, from: b.id)
    let asked = try b.waitAsked()
    a.fetches.cancel(1)
    try b.wait(for: .channelClosed(asked.channel))
    b.fetches.answer(try snapshot(wanted), on: asked.channel)
    // What comes after it has come: so would have the answer.
    let message = LinkMessage.acknowledged(continuation: .random())
    b.service.send(message, to: a.id)
    try a.wait(for: .message(b.id, message))
    #expect(a.events.isEmpty)
  }

  @Test func nothingIsToldAfterTheEnd() throws {
    let (a, b) = try pair()
    a.service.send(.acknowledged(continuation: .random()), to: b.id)
    b.service.stop()
    try a.wait(for: .down(b.id))
    #expect(b.events.isEmpty)
    #expect(b.service.online.isEmpty)
  }

  @Test func whatIsNoAddressIsNotListenedOn() throws {
    let node = try LinkServiceNode(loop, "node")
    node.service.stop()
    let error = #expect(throws: SegueError.self) {
      try node.service.start(listenOn: [LinkAddress(host: "fe80::1%nowhere", port: 1)]) { _ in }
    }
    #expect(error?.code == .connectionUnavailable && error?.message.contains("no such name or interface") == true)
    // An address that this machine may get later is waited for.
    let later = LinkAddress(host: "192.0.2.1", port: 19_799)
    try node.service.start(listenOn: [later]) { _ in }
    #expect(node.service.listening == [later] && Interfaces.absent(node.service.listening) == [later])
  }
}
