import Foundation
import Logging
import SegueCore
import Testing

@testable import SegueLink

/// A `Link` on a loop of its own, with what it said, for tests that wait for events instead of sleeping.
final class Node: @unchecked Sendable {
  let identity: Identity
  let settings: LinkSettings
  let link: NodeLink
  private(set) var port: UInt16 = 0
  private let condition = NSCondition()
  private var events: [Told] = []
  private var seen = 0
  /// Called for each event on the loop's thread.
  var onEvent: (@Sendable (LinkEvent, Link) -> Void)?
  private let box: Box

  /// An event that it was told: by the link, a channel, or the pairing port.
  enum Told: Equatable {
    case link(LinkEvent)
    case channel(LinkChannel, LinkChannel.Event)
    case pairing(PairingLinkEvent)

    var link: LinkEvent? { if case .link(let event) = self { event } else { nil } }
    var pairing: PairingLinkEvent? { if case .pairing(let event) = self { event } else { nil } }
  }

  final class Box: @unchecked Sendable { weak var node: Node? }

  var id: DeviceID { identity.id }
  var address: LinkAddress { LinkAddress(host: "127.0.0.1", port: port) }

  init(
    identity: Identity? = nil, settings: LinkSettings = .quick, port: UInt16 = 0,
    resolver: (any NameResolver)? = nil, onEvent: (@Sendable (LinkEvent, Link) -> Void)? = nil
  ) throws {
    self.identity = try identity ?? Identity.temporary()
    self.settings = settings
    self.onEvent = onEvent
    let box = Box()
    self.box = box
    var logger = Logger(label: "test")
    logger.logLevel = ProcessInfo.processInfo.environment["LINK_LOG"] == nil ? .critical : .debug
    let own = self.identity
    link = try NodeLink(LoopThread()) { loop in
      let link = Link(
        identity: own, name: "node", settings: settings, on: loop, logger: logger,
        resolver: resolver ?? SystemResolver(loop)
      ) { box.node?.took($0) }
      link.pairing.take = { box.node?.note(.pairing($0)) }
      return link
    }
    box.node = self
    link.take = { box.node?.took($0, $1) }
    self.port = try listen(on: port)
  }

  /// A port of one that has stopped may be taken for a moment yet, by a process that another test starts.
  private func listen(on port: UInt16) throws -> UInt16 {
    let end = Date(timeIntervalSinceNow: 60)
    while true {
      do { return try link.start(listenOn: [LinkAddress(host: "127.0.0.1", port: port)])[0] } catch {
        guard port != 0, Date() < end else { throw error }
        sched_yield()
      }
    }
  }

  func stop() { link.stop() }

  private func took(_ event: LinkEvent) {
    let link = link.link
    switch event {
    case .control(let id, let bytes): link.consumed(bytes.count, from: id)
    case .channelOpened(let channel, let first):
      link.consumed(first.count, from: channel.device)
      channel.take = self.link.take
    default: break
    }
    onEvent?(event, link)
    note(.link(event))
  }

  private func took(_ channel: LinkChannel, _ event: LinkChannel.Event) {
    if case .data(let bytes) = event { channel.consumed(bytes.count) }
    note(.channel(channel, event))
  }

  private func note(_ event: Told) {
    condition.lock()
    events.append(event)
    condition.broadcast()
    condition.unlock()
  }

  /// The link's own events.
  var all: [LinkEvent] { told.compactMap { $0.link } }

  /// All events, in one order.
  var told: [Told] {
    condition.lock()
    defer { condition.unlock() }
    return events
  }

  /// The events of peers that were reached.
  var reached: [LinkEvent] {
    all.filter { event in
      switch event {
      case .unreached, .unknownThere: false
      default: true
      }
    }
  }

  /// The first event after the last one waited for that `matches`; nil after `seconds`.
  func wait(_ seconds: Double = 60, _ matches: (LinkEvent) -> Bool) -> LinkEvent? {
    waitTold(seconds) { $0.link.map(matches) == true }?.link
  }

  /// The same, of what the pairing port tells.
  func waitPairing(_ matches: (PairingLinkEvent) -> Bool) -> PairingLinkEvent? {
    waitTold { $0.pairing.map(matches) == true }?.pairing
  }

  func waitTold(_ seconds: Double = 60, _ matches: (Told) -> Bool) -> Told? {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while true {
      while seen < events.count {
        seen += 1
        if matches(events[seen - 1]) { return events[seen - 1] }
      }
      if !condition.wait(until: end) { return nil }
    }
  }

  func waitUp(_ seconds: Double = 60) -> Bool { wait(seconds) { if case .up = $0 { true } else { false } } != nil }
  func waitDown(_ seconds: Double = 60) -> SegueError? {
    guard case .down(_, let error)? = wait(seconds, { if case .down = $0 { true } else { false } }) else { return nil }
    return error
  }
  /// The next channel that the peer opens.
  func waitOpened(_ seconds: Double = 60) -> LinkChannel? {
    guard case .channelOpened(let channel, _)? = wait(seconds, { if case .channelOpened = $0 { true } else { false } })
    else { return nil }
    return channel
  }
  /// The end of a channel; `.some(nil)` for a regular one.
  func waitClosed(_ channel: LinkChannel, _ seconds: Double = 60) -> SegueError?? {
    let isEnd: (Told) -> Bool = { if case .channel(channel, .closed) = $0 { true } else { false } }
    guard case .channel(_, .closed(let error))? = waitTold(seconds, isEnd) else { return nil }
    return .some(error)
  }
}

extension LinkSettings {
  static var quick: LinkSettings {
    var settings = LinkSettings()
    settings.dialTime = 100
    // A busy machine may take its time.
    settings.connectTime = 10_000
    settings.handshakeTime = 10_000
    return settings
  }
}

/// Two nodes that know each other; only the first dials.
func pair(settings: LinkSettings = .quick, serve: (@Sendable (LinkEvent, Link) -> Void)? = nil) throws -> (Node, Node) {
  let a = try Node(settings: settings)
  let b = try Node(settings: settings, onEvent: serve)
  b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
  a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
  try #require(a.waitUp())
  try #require(b.waitUp())
  return (a, b)
}
