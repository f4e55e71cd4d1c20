import Foundation
import SegueBus
import SegueCore

@testable import SegueLink

/// A loop that runs on a thread of its own, as a daemon's does.
final class LoopThread: @unchecked Sendable {
  // Used on the thread alone, but for what any thread may do.
  private(set) var loop: SegueBus.EventLoop?
  private var isOver = false
  private var thread: pthread_t?
  private let began = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  init() {
    let thread = Thread { [self] in
      loop = try? SegueBus.EventLoop()
      self.thread = pthread_self()
      began.signal()
      while !isOver, let loop { loop.wait(milliseconds: -1) }
      loop?.close()
      ended.signal()
    }
    thread.start()
    began.wait()
  }

  private var isHere: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  /// Runs `body` on the thread, after all that was asked before.
  func post(_ body: @escaping () -> Void) {
    nonisolated(unsafe) let body = body
    if isHere { body() } else { loop?.post { body() } }
  }

  /// The same, and waits for it.
  func run<Result>(_ body: @escaping () throws -> Result) throws -> Result {
    if isHere { return try body() }
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result = Swift.Result<Result, any Error>.failure(SegueError(.system, "It has ended."))
    nonisolated(unsafe) let body = body
    let isAsked = loop?.post {
      result = Swift.Result { try body() }
      done.signal()
    }
    if isAsked == true { done.wait() }
    return try result.get()
  }

  /// Ends the loop and its thread, after `body`.
  func end(_ body: @escaping () -> Void) {
    post { [self] in
      guard !isOver else { return }
      body()
      isOver = true
    }
    ended.wait()
    ended.signal()
  }
}

/// A `Link` that may be called from any thread.
final class NodeLink: @unchecked Sendable {
  private let thread: LoopThread
  // Used on the thread alone.
  let link: Link
  /// Is called with what happens on the channels that are opened here.
  var take: ((LinkChannel, LinkChannel.Event) -> Void)?

  init(_ thread: LoopThread, _ make: @escaping (SegueBus.EventLoop) -> Link) throws {
    self.thread = thread
    link = try thread.run {
      guard let loop = thread.loop else { throw SegueError(.system, "There is no loop.") }
      return make(loop)
    }
  }

  func start(listenOn addresses: [LinkAddress]) throws -> [UInt16] {
    try thread.run { [link] in try link.start(listenOn: addresses) }
  }
  /// Returns when the loop has done what was asked of it before.
  func isHere() throws { try thread.run {} }
  func stop() { thread.end { [link] in link.stop() } }

  /// Asks something of the link with a device, which is up.
  func traffic<Answer>(with device: DeviceID, _ ask: @escaping (Traffic) -> Answer) throws -> Answer {
    try thread.run { [link] in
      guard let traffic = link.core.traffic(with: device) else { throw SegueError(.system, "There is no link.") }
      return ask(traffic)
    }
  }
  func playsFormerVersion() throws { try thread.run { [link] in link.core.isDistinct = false } }
  func setPeers(_ peers: [LinkPeer]) { thread.post { [link] in link.setPeers(peers) } }
  func sendControl(_ bytes: [UInt8], to device: DeviceID) {
    thread.post { [link] in link.sendControl(bytes, to: device) }
  }
  func openChannel(to device: DeviceID, first: [UInt8]) -> LinkChannel {
    let opened = try? thread.run { [self] in
      let channel = link.openChannel(to: device, first: first)
      channel.take = take
      return channel
    }
    return opened ?? LinkChannel(ChannelID(value: 0), with: device)
  }
  func send(_ bytes: [UInt8], on channel: LinkChannel) { thread.post { channel.send(bytes) } }
  func finish(_ channel: LinkChannel) { thread.post { channel.finish() } }
  func reset(_ channel: LinkChannel, _ code: SegueError.Code) { thread.post { channel.reset(code) } }
  func consumed(_ count: Int, from device: DeviceID) {
    thread.post { [link] in link.consumed(count, from: device) }
  }
  func openPairing(_ isOpen: Bool) { thread.post { [link] in link.pairing.open(isOpen) } }
  func dialPairing(_ addresses: [LinkAddress]) { thread.post { [link] in link.pairing.dial(addresses) } }
  func sendPairing(_ bytes: [UInt8], on connection: UInt64) {
    thread.post { [link] in link.pairing.send(bytes, on: connection) }
  }
  func closePairing(_ connection: UInt64) { thread.post { [link] in link.pairing.close(connection) } }
  func publish(nonce: [UInt8]) { thread.post { [link] in link.publish(nonce: nonce) } }
  func probe(_ number: UInt64, at address: LinkAddress, nonce: [UInt8]) {
    thread.post { [link] in link.probe(number, at: address, nonce: nonce) }
  }
  func redial() { thread.post { [link] in link.redial() } }
}
