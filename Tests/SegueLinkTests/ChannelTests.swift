import Foundation
import SegueCore
import Testing

@testable import SegueLink

@Suite(.serialized) struct ChannelTests {
  /// Sends a payload without ever having more under way than the link's queue holds, as an owner must.
  final class Sender: @unchecked Sendable {
    private let payload: [UInt8]
    private var sent = 0
    private var allowance = LinkSettings().queue

    init(_ payload: [UInt8]) { self.payload = payload }

    func take(_ event: LinkEvent) {
      guard case .channelOpened(let channel, _) = event else { return }
      channel.take = { [self] channel, event in
        guard case .writable(let count) = event else { return }
        allowance += count
        send(on: channel)
      }
      send(on: channel)
    }

    private func send(on channel: LinkChannel) {
      guard sent < payload.count || payload.isEmpty else { return }
      while allowance > 0, sent < payload.count {
        let count = min(allowance, payload.count - sent, 100_000)
        channel.send(Array(payload[sent..<(sent + count)]))
        sent += count
        allowance -= count
      }
      if sent == payload.count { channel.finish() }
    }
  }

  /// A control message may not be lost silently, so the link ends instead. Both the peer's window and the queue are
  /// full before the peer can take anything.
  @Test func attack33_whoTakesNoControlMessagesIsLetGo() throws {
    let most = (Limits.channelWindow + Limits.queuedBytes) / Limits.frameLength
    let b = try Node()
    let a = try Node { event, link in
      guard case .up(let peer, _, _) = event else { return }
      for _ in 0...most { link.sendControl([UInt8](repeating: 1, count: Limits.frameLength), to: peer) }
    }
    defer {
      a.stop()
      b.stop()
    }
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
    #expect(a.waitDown()?.code == .limitExceeded)
    #expect(b.waitDown() == Goodbye.overload.error)
  }

  @Test(arguments: [0, 1, 1024, 100 * 1024, 10 * 1024 * 1024])
  func fetch(_ size: Int) throws {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let sender = Sender(payload)
    let (a, b) = try pair(serve: { event, _ in sender.take(event) })
    defer {
      a.stop()
      b.stop()
    }
    let id = a.link.openChannel(to: b.id, first: Array("please".utf8))
    a.link.finish(id)
    #expect(a.waitClosed(id, 60) == .some(nil))
    var got: [UInt8] = []
    for case .channel(id, .data(let bytes)) in a.told { got += bytes }
    #expect(got == payload)
    let please = Array("please".utf8)
    let opened = b.wait { event in
      if case .channelOpened(let channel, first: please) = event { channel.device == a.id } else { false }
    }
    #expect(opened != nil)
  }

  @Test func halfCloseLeavesTheOtherWayOpen() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    let id = a.link.openChannel(to: b.id, first: [])
    let there = try #require(b.waitOpened())
    b.link.finish(there)
    #expect(a.waitTold { $0 == .channel(id, .finished) } != nil)
    a.link.send([1, 2], on: id)
    #expect(b.waitTold { $0 == .channel(there, .data([1, 2])) } != nil)
    a.link.finish(id)
    #expect(b.waitClosed(there) == .some(nil))
    #expect(a.waitClosed(id) == .some(nil))
  }

  @Test func resetTellsTheCode() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    let id = a.link.openChannel(to: b.id, first: [])
    let there = try #require(b.waitOpened())
    b.link.reset(there, .userCancelled)
    #expect(a.waitClosed(id)??.code == .userCancelled)
    #expect(b.waitClosed(there)??.code == .userCancelled)
    // The link goes on.
    b.link.sendControl([1], to: a.id)
    #expect(a.wait { $0 == .control(b.id, [1]) } != nil)
  }

  @Test func thirtyThirdChannelIsRefused() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    let ids = (0..<33).map { _ in a.link.openChannel(to: b.id, first: []) }
    #expect(a.waitClosed(ids[32])??.code == .limitExceeded)
    for _ in 0..<32 { #expect(b.wait { if case .channelOpened = $0 { true } else { false } } != nil) }
    a.link.reset(ids[0], .userCancelled)
    let next = a.link.openChannel(to: b.id, first: [9])
    #expect(b.wait { if case .channelOpened(_, first: [9]) = $0 { true } else { false } } != nil)
    a.link.reset(next, .userCancelled)
  }

  @Test func channelToNobodyIsClosed() throws {
    let a = try Node()
    defer { a.stop() }
    let id = a.link.openChannel(to: try Identity.temporary().id, first: [])
    #expect(a.waitClosed(id)??.code == .connectionUnavailable)
  }

  @Test func tooMuchAtOnceResetsTheChannelOnly() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    let id = a.link.openChannel(to: b.id, first: [])
    a.link.send([UInt8](repeating: 0, count: 3 << 20), on: id)
    #expect(a.waitClosed(id)??.code == .limitExceeded)
    a.link.sendControl([1], to: b.id)
    #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
  }
}
