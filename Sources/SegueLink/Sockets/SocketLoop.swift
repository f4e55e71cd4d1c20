import Dispatch
import Glibc
import NIOCore
import SegueBus
import SegueCore

/// SwiftNIO's view of the loop on which all other code here runs too: so TLS and frames share a thread with D-Bus, and
/// no call waits for another thread to wake. Made on the loop's thread, and used there only.
final class SocketLoop: NIOCore.EventLoop, @unchecked Sendable {
  let loop: SegueBus.EventLoop
  private let thread = pthread_self()
  private var tasks: [() -> Void] = []
  private var isDue = false
  private(set) lazy var handshakes = HandshakeTurns(loop: self)
  /// The buffer for reads, lent to one channel after the other.
  var buffer = ByteBuffer()
  /// The channels whose sockets are open.
  private var channels: [ObjectIdentifier: StreamChannel] = [:]
  /// The tasks that SwiftNIO's handlers have scheduled, each by the closure that fails it.
  private var scheduled: [UInt64: () -> Void] = [:]
  private var lastScheduled: UInt64 = 0
  /// Whether the loop is ending, so that no channel waits for a turn any more.
  private(set) var isEnding = false

  init(_ loop: SegueBus.EventLoop) { self.loop = loop }

  func opened(_ channel: StreamChannel) { channels[ObjectIdentifier(channel)] = channel }
  func closed(_ channel: StreamChannel) { channels[ObjectIdentifier(channel)] = nil }

  /// Milliseconds of a clock that never steps, and stands still while the machine sleeps.
  var milliseconds: UInt64 { NIODeadline.now().uptimeNanoseconds / 1_000_000 }

  // MARK: Tasks

  /// Runs `task` at the end of the loop's turn, and then the tasks that it adds in the same way. Loop thread.
  func soon(_ task: @escaping () -> Void) {
    tasks.append(task)
    guard !isDue else { return }
    isDue = true
    loop.soon { [self] in run() }
  }

  private func run() {
    while !tasks.isEmpty {
      let due = tasks
      tasks = []
      for task in due { task() }
    }
    isDue = false
  }

  /// Calls `body` once after that many milliseconds, by a clock that stands still while the machine sleeps. Loop
  /// thread.
  func timer(after milliseconds: UInt64, _ body: @escaping () -> Void) -> SocketTimer {
    SocketTimer(at: .now() + .milliseconds(Int64(clamping: milliseconds)), on: loop, body)
  }

  // MARK: The end

  /// Serves only the connections, until all have ended or the time is over, and closes those that are left.
  func end(within milliseconds: UInt64) {
    let end = NIODeadline.now() + .milliseconds(Int64(clamping: milliseconds))
    isEnding = true
    for channel in Array(channels.values) where !channel.isActive { channel.close() }
    run()
    while !channels.isEmpty, case let left = end - .now(), left > .zero {
      let waiting = Array(channels.values)
      var polled = waiting.map { $0.polled }
      let time = Int32(clamping: left.nanoseconds / 1_000_000 + 1)
      guard poll(&polled, nfds_t(polled.count), time) > 0 else { continue }
      for (channel, polled) in zip(waiting, polled) where polled.revents != 0 {
        channel.serve(Events(poll: polled.revents))
      }
      run()
    }
    for channel in Array(channels.values) { channel.close() }
    run()
    let left = scheduled.values
    scheduled = [:]
    for cancel in left { cancel() }
  }

  // MARK: As SwiftNIO asks

  var inEventLoop: Bool { pthread_equal(thread, pthread_self()) != 0 }

  func execute(_ task: @escaping @Sendable () -> Void) {
    if inEventLoop { soon(task) } else { loop.post { [self] in soon(task) } }
  }

  func scheduleTask<T>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
    scheduleTask(deadline: .now() + time, task)
  }

  func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
    preconditionInEventLoop()
    let promise = makePromise(of: T.self)
    lastScheduled += 1
    let number = lastScheduled
    let timer = SocketTimer(at: deadline, on: loop) { [self] in
      scheduled[number] = nil
      promise.assumeIsolated().completeWith(Result { try task() })
    }
    scheduled[number] = {
      timer.cancel()
      promise.fail(EventLoopError.cancelled)
    }
    return Scheduled(promise: promise) { [self] in
      timer.cancel()
      scheduled[number] = nil
    }
  }

  /// It ends with the loop that it is a view of.
  func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
    queue.async { callback(EventLoopError.unsupportedOperation) }
  }
}

/// A call at a time of a clock that stands still while the machine sleeps, like the times of connections
/// (`LinkCore.now`); the loop's own timers go by a clock that does not. Loop thread.
final class SocketTimer: @unchecked Sendable {
  private let deadline: NIODeadline
  private let loop: SegueBus.EventLoop
  private var body: (() -> Void)?
  private var timer: LoopTimer?

  init(at deadline: NIODeadline, on loop: SegueBus.EventLoop, _ body: @escaping () -> Void) {
    self.deadline = deadline
    self.loop = loop
    self.body = body
    set()
  }

  func cancel() {
    body = nil
    timer?.cancel()
  }

  private func set() {
    let left = max(.zero, deadline - .now())
    // The loop counts whole milliseconds of its own clock, one of which has passed in part: it would wake too soon, and
    // again.
    let milliseconds = left == .zero ? 0 : (left.nanoseconds + 999_999) / 1_000_000 + 1
    timer = loop.timer(after: UInt64(clamping: milliseconds)) { [self] in
      guard NIODeadline.now() >= deadline else { return set() }
      let body = body
      self.body = nil
      body?()
    }
  }
}

extension Events {
  /// Converts the events of poll(2).
  fileprivate init(poll: Int16) {
    self = []
    if Int32(poll) & POLLIN != 0 { insert(.readable) }
    if Int32(poll) & POLLOUT != 0 { insert(.writable) }
    if Int32(poll) & POLLERR != 0 { insert(.failed) }
    if Int32(poll) & POLLHUP != 0 { insert(.hangup) }
  }
}
