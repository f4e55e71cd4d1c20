import CLinux

/// The events for which a descriptor is watched, and those that have happened to it.
public struct Events: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There are bytes to read, or the end of the file.
  public static let readable = Events(rawValue: 1)
  /// There is room to write.
  public static let writable = Events(rawValue: 2)
  /// Reported only: there is an error on the descriptor.
  public static let failed = Events(rawValue: 4)
  /// Reported only: the other end is gone.
  public static let hangup = Events(rawValue: 8)

  /// The events as epoll's flags.
  var epoll: UInt32 {
    (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
  }

  init(epoll: UInt32) {
    var events: Events = []
    if epoll & EPOLLIN.rawValue != 0 { events.insert(.readable) }
    if epoll & EPOLLOUT.rawValue != 0 { events.insert(.writable) }
    if epoll & EPOLLERR.rawValue != 0 { events.insert(.failed) }
    if epoll & EPOLLHUP.rawValue != 0 { events.insert(.hangup) }
    self = events
  }
}

/// An event loop's watch on one descriptor. Several watches may share a descriptor. Cancel it before the descriptor is
/// closed: the loop knows descriptors by number.
public final class LoopWatch {
  private var source: LoopSource?
  private var loop: EventLoop?
  private var body: ((Events) -> Void)?
  /// The events that it watches for; if empty, the descriptor is not watched at all, not even for a hangup.
  public private(set) var events: Events

  init(source: LoopSource, loop: EventLoop, events: Events, body: @escaping (Events) -> Void) {
    self.source = source
    self.loop = loop
    self.events = events
    self.body = body
  }

  /// Whether it was not cancelled. Loop thread.
  public var isActive: Bool { body != nil }

  /// Watches for other events from now on. Loop thread. False if the system refused.
  @discardableResult public func setEvents(_ events: Events) -> Bool {
    guard let source, let loop else { return false }
    self.events = events
    return loop.update(source)
  }

  /// Ends the watch: its handler is not called (any more). Loop thread; harmless when repeated.
  public func cancel() {
    let source = source
    let loop = loop
    retire()
    guard let source, let loop else { return }
    source.watches.removeAll { $0 === self }
    loop.update(source)
  }

  func retire() {
    body = nil
    source = nil
    loop = nil
  }

  /// Calls the handler if one of these events concerns it; returns whether it did.
  func deliver(_ happened: Events) -> Bool {
    guard let body, !events.isEmpty else { return false }
    let concerning = happened.intersection(events.union([.failed, .hangup]))
    guard !concerning.isEmpty else { return false }
    body(concerning)
    return true
  }
}

/// One descriptor in epoll, with all watches on it.
final class LoopSource {
  let descriptor: Int32
  /// Tells an event of this source from one of an earlier source with the same number.
  let generation: UInt32
  var watches: [LoopWatch] = []
  /// The events that epoll was given; nil where the descriptor is not in it.
  var registered: Events?

  init(descriptor: Int32, generation: UInt32) {
    self.descriptor = descriptor
    self.generation = generation
  }

  var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

  var wanted: Events {
    var all: Events = []
    for watch in watches { all.formUnion(watch.events) }
    return all
  }
}
