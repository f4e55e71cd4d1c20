import Foundation
import SegueCore
import SegueLink
import Testing

@Suite(.serialized) struct LinkTests {
  @Test func upBothWaysAndControlInOrder() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    for number in 0..<500 {
      a.link.sendControl(Array("a\(number)".utf8), to: b.id)
      b.link.sendControl(Array("b\(number)".utf8), to: a.id)
    }
    for number in 0..<500 {
      let isControl: (LinkEvent) -> Bool = { if case .control = $0 { true } else { false } }
      #expect(b.wait(60, isControl) == .control(a.id, Array("a\(number)".utf8)))
      #expect(a.wait(60, isControl) == .control(b.id, Array("b\(number)".utf8)))
    }
  }

  @Test func aDeviceThatIsNotThereIsToldOfOnce() throws {
    let (a, b) = (try Node(), try Node())
    defer { a.stop() }
    let isUnreached: (LinkEvent) -> Bool = { if case .unreached = $0 { true } else { false } }
    // Without an address it can only be waited for.
    a.link.setPeers([LinkPeer(id: b.id, addresses: [])])
    #expect(a.wait(60, isUnreached) == .unreached(b.id, isSilent: true))
    let other = LinkAddress(host: "127.0.0.1", port: 1)
    // One that is there, and refuses: it does not know this device.
    a.link.setPeers([LinkPeer(id: b.id, addresses: [other, other, b.address])])
    #expect(a.wait(60, isUnreached) == .unreached(b.id, isSilent: false))
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    #expect(a.waitUp())
    b.stop()
    #expect(a.waitDown() != nil)
    #expect(a.wait(60, isUnreached) == .unreached(b.id, isSilent: false))
    #expect(a.all.filter(isUnreached).count == 3)
  }

  @Test func D4_eachIsToldWhoDialled() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    #expect(a.wait { $0 == .reached(b.id, b.address) } != nil)
    #expect(b.wait { $0 == .reachedBy(a.id) } != nil)
    for (node, other) in [(a, b), (b, a)] {
      let said = node.all.filter { if case .reached = $0 { true } else { $0 == .reachedBy(other.id) } }
      #expect(said.count == 1)
    }
  }

  @Test func twoThatDialEachOtherReachEachOther() throws {
    for _ in 0..<30 {
      let (a, b) = (try Node(), try Node())
      defer {
        a.stop()
        b.stop()
      }
      // First so that each knows the other before it is dialled.
      a.link.setPeers([LinkPeer(id: b.id, addresses: [])])
      b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
      let isUnreached: (LinkEvent) -> Bool = { if case .unreached = $0 { true } else { false } }
      for node in [a, b] { try #require(node.wait(60, isUnreached) != nil) }
      a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address, b.address])])
      b.link.setPeers([LinkPeer(id: a.id, addresses: [a.address, a.address])])
      for node in [a, b] { try #require(node.waitUp()) }
      // A superfluous dial does not count as a failure.
      for node in [a, b] { #expect(node.all.filter(isUnreached).count == 1) }
    }
  }

  @Test func loopbackFetchTime() throws {
    let reply = [UInt8](repeating: 7, count: 1024)
    let (a, b) = try pair { event, _ in
      guard case .channelOpened(let channel, _) = event else { return }
      channel.send(reply)
      channel.finish()
    }
    defer {
      a.stop()
      b.stop()
    }
    var times: [Double] = []
    for _ in 0..<300 {
      let start = DispatchTime.now().uptimeNanoseconds
      let id = a.link.openChannel(to: b.id, first: [1, 2, 3])
      a.link.finish(id)
      let end = a.waitClosed(id)
      #expect(end == .some(nil))
      times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1000)
    }
    times.sort()
    print("fetch of 1 KiB over loopback: median \(times[150]) µs, p90 \(times[270]) µs, best \(times[0]) µs")
  }
}
