import Glibc
import Logging
import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import SegueState
import Testing

@testable import SegueDaemon

/// One side of a link, on a loop that several share: what a device has for it, and what it was told.
final class LinkServiceNode {
  let loop: EventLoop
  let folder: RegistryFolder
  let identity: Identity
  let pins: Written<PinStore>
  let service: LinkService
  let fetches: FetchService
  private(set) var events: [Event.LinkEvent] = []

  init(_ loop: EventLoop, _ name: String, logger: Logger? = nil) throws {
    self.loop = loop
    folder = try RegistryFolder()
    let state = try StateFolder(folder.path + "/state")
    identity = try Identity.loadOrCreate(in: state)
    pins = Written(try PinStore(folder: state), DiskWriter(loop))
    var silent = Logger(label: "test")
    silent.logLevel = .critical
    let log = Log(logger ?? silent)
    service = LinkService(identity: identity, name: name, folder: state, pins: pins, loop: loop, log: log)
    var take: (Event.LinkEvent) -> Void = { _ in }
    fetches = FetchService(link: service, loop: loop, log: log) { take($0) }
    take = { [unowned self] event in
      switch event {
      // Left out: events of a device that is only awaited, as most are here, and those that say which side has dialled.
      case .unreached, .unpairedThere, .reached, .reachedBy: break
      default: events.append(event)
      }
    }
    try service.start(listenOn: [LinkAddress(host: "127.0.0.1", port: 0)]) { take($0) }
  }

  deinit { service.stop() }

  var id: DeviceID { identity.id }

  func address() throws -> LinkAddress {
    LinkAddress(host: "127.0.0.1", port: try #require(service.listening.first).port)
  }

  func add(_ id: DeviceID, _ addresses: [LinkAddress] = []) throws {
    let device = PairedDevice(id: id, name: "", addresses: addresses, added: 0)
    try change { store throws(SegueError) in try store.add(device) }
    service.setPeers()
  }

  /// Changes the pins, and runs the loop until that is on the disk.
  func change(_ change: @escaping @Sendable (inout PinStore) throws(SegueError) -> Void) throws {
    var result: Result<Void, SegueError>?
    pins.change(change) { result = $0 }
    let end = Instant.now + 60_000
    while result == nil, Instant.now < end { _ = loop.wait(milliseconds: 100) }
    try #require(result).get()
  }

  /// Runs the loop until it was told what `found` looks for.
  func wait<Found>(_ found: (Event.LinkEvent) -> Found?) throws -> Found {
    let end = Instant.now + 60_000
    while Instant.now < end {
      if let index = events.firstIndex(where: { found($0) != nil }), let found = found(events[index]) {
        events.remove(at: index)
        return found
      }
      _ = loop.wait(milliseconds: 100)
    }
    throw SegueError(.system, "It was not told.")
  }

  func wait(for event: Event.LinkEvent) throws {
    _ = try wait { $0 == event ? true : nil }
  }

  func waitAsked() throws -> (channel: ChannelID, request: FetchRequest) {
    try wait { if case .fetchAsked(let channel, _, let request) = $0 { (channel, request) } else { nil } }
  }
}

/// Keeps the lines of a log, on one thread.
final class Lines: LogHandler, @unchecked Sendable {
  private(set) var lines: [String] = []
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .notice

  var logger: Logger { Logger(label: "test") { _ in self } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.append("\(event.message)") }
}

/// A paired device that does as a test wants: the bare link.
final class BarePeer {
  private let loop: EventLoop
  let identity: Identity
  private(set) var link: Link?
  private var events: [LinkEvent] = []
  private var happened: [(channel: LinkChannel, event: LinkChannel.Event)] = []

  /// Dials the node, and is let in.
  init(_ node: LinkServiceNode) throws {
    loop = node.loop
    identity = try Identity.temporary()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let link = Link(identity: identity, name: "bare", on: loop, logger: logger) { [unowned self] event in
      if case .channelOpened(let channel, _) = event { watch(channel) }
      events.append(event)
    }
    self.link = link
    try node.add(identity.id)
    link.setPeers([LinkPeer(id: node.id, addresses: [try node.address()])])
    _ = try wait { if case .up = $0 { true } else { nil } }
    try node.wait(for: .up(identity.id, name: "bare"))
  }

  func stop() {
    link?.stop()
    link = nil
  }

  func open(to device: DeviceID, first: [UInt8]) throws -> LinkChannel {
    let channel = try #require(link).openChannel(to: device, first: first)
    watch(channel)
    return channel
  }

  private func watch(_ channel: LinkChannel) {
    channel.take = { [unowned self] in happened.append(($0, $1)) }
  }

  /// Runs the loop until the link has told what `found` looks for.
  func wait<Found>(_ found: (LinkEvent) -> Found?) throws -> Found {
    let end = Instant.now + 60_000
    while Instant.now < end {
      if let index = events.firstIndex(where: { found($0) != nil }), let found = found(events[index]) {
        events.remove(at: index)
        return found
      }
      _ = loop.wait(milliseconds: 100)
    }
    throw SegueError(.system, "The link did not tell it.")
  }

  /// The same, of what happens on a channel.
  func wait<Found>(on channel: LinkChannel, _ found: (LinkChannel.Event) -> Found?) throws -> Found {
    let end = Instant.now + 60_000
    while Instant.now < end {
      for (other, event) in happened where other == channel { if let found = found(event) { return found } }
      _ = loop.wait(milliseconds: 100)
    }
    throw SegueError(.system, "The channel did not tell it.")
  }

  /// The code with which the channel ends; nil where both sides finished.
  func end(of channel: LinkChannel) throws -> SegueError.Code? {
    try wait(on: channel) { if case .closed(let error) = $0 { .some(error?.code) } else { nil } }
  }

  /// The next channel that the node opens.
  func opened() throws -> LinkChannel {
    try wait { if case .channelOpened(let channel, _) = $0 { channel } else { nil } }
  }
}
