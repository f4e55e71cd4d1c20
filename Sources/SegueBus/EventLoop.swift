import CLinux
import SegueCore

/// An event loop that any other loop can contain: one descriptor to poll, one function to call when it is readable.
///
/// It is an epoll over the watched descriptors, one timerfd for the earliest timer and one eventfd for the queue. It
/// has no thread of its own. It is confined to the thread that made it, except for `post` and `wake`: debug builds end
/// at a call from another.
/// Handlers may call anything, also cancel each other, `dispatch` again, or close the loop.
public final class EventLoop: @unchecked Sendable {
  private let epoll: Int32
  private let clock: Int32
  private let event: Int32
  private var isOpen = true
  #if DEBUG
    private var thread = pthread_self()
  #endif

  private var sources: [Int32: LoopSource] = [:]
  private var generation: UInt32 = 0

  private var timers = TimerHeap()
  private var timerSequence: UInt64 = 0
  /// The deadline that the timerfd was set to.
  private var armed: Instant?
  private var depth = 0
  /// The bodies that run at the end of the dispatch under way.
  private var last: [() -> Void] = []
  private var isEnding = false

  /// Whether watches are told of their events. Bodies that they queue run in the same dispatch, without a system call.
  private var isTelling = false

  /// Whether the eventfd was read in this dispatch.
  private var eventWasRead = false
  /// No watch's token: its descriptor would be negative.
  private static let eventToken = UInt64.max &- 1

  private let lock = Lock()
  /// The lock protects these four.
  private var queue: [() -> Void] = []
  private var isSignalled = false
  private var isAccepting = true
  /// The number of threads that have decided to write to the eventfd and have not finished; it stays open until then.
  private var signallers = 0

  /// Opens three descriptors for the loop. Throws `.system` where the process has none left.
  public init() throws(SegueError) {
    epoll = epoll_create1(Int32(truncatingIfNeeded: EPOLL_CLOEXEC))
    clock = timerfd_create(CLOCK_BOOTTIME, Int32(truncatingIfNeeded: TFD_CLOEXEC | TFD_NONBLOCK))
    event = eventfd(0, Int32(truncatingIfNeeded: EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, clock >= 0, event >= 0, control(EPOLL_CTL_ADD, clock, EPOLLIN.rawValue, .max),
      control(EPOLL_CTL_ADD, event, EPOLLIN.rawValue, Self.eventToken)
    else {
      // deinit closes the descriptors that were opened.
      let number = segue_errno()
      throw SegueError(.system, "The event loop could not be made: error \(number).")
    }
  }

  deinit { if isOpen { closeDescriptors() } }

  /// Ends a debug build if an open loop, or an object that belongs to one, is used on another thread than its own: that
  /// is an error of Segue's, since the C ABI refuses such calls of an application. Other builds do not check. Any
  /// thread.
  @inline(__always) public func checkThread() {
    #if DEBUG
      precondition(pthread_equal(thread, pthread_self()) != 0 || !isOpen, "The loop belongs to another thread.")
    #endif
  }

  /// Makes the calling thread the loop's own. No other one may be in a call of the loop, or of an object that belongs to it.
  public func adoptThread() {
    #if DEBUG
      thread = pthread_self()
    #endif
  }

  /// The descriptor to poll for readability: it is readable while `dispatch` has work, and only then. It belongs to the
  /// loop, and stays the same until `close()`.
  public var descriptor: Int32 { epoll }

  /// Runs the handlers of everything that is ready now, and never blocks. Bodies that handlers queue run at the next
  /// dispatch. Returns how many ran; 0 after `close()`. Loop thread.
  @discardableResult public func dispatch() -> Int { wait(milliseconds: 0) }

  /// Blocks until there is work, at most so long (-1: without bound), and dispatches. A signal ends it with 0.
  /// Loop thread.
  @discardableResult public func wait(milliseconds: Int32) -> Int {
    checkThread()
    // A watch may call this, though what it has queued has made nothing readable.
    if isTelling { wake() }
    isTelling = false
    guard isOpen, let ready = ready(within: milliseconds) else { return 0 }
    depth &+= 1
    isTelling = true
    var count = dispatch(ready)
    isTelling = false
    count &+= dispatchTimers()
    count &+= dispatchQueue()
    count &+= dispatchLast()
    depth &-= 1
    arm()
    return count
  }

  /// Ends the loop: bodies of `later`, `soon` and `post` still run, so that no reply is lost; it drops timers and
  /// watches and closes the descriptors. Loop thread; in a handler too; harmless when repeated.
  public func close() {
    checkThread()
    guard isOpen else { return }
    dispatchQueue()
    dispatchLast()
    guard isOpen else { return }
    isOpen = false
    // Bodies that another thread queued until this moment run too, outside of the lock: one may hold the last reference
    // to something whose end calls back.
    let (isFree, rest) = lock.withLock {
      isAccepting = false
      defer { queue = [] }
      return (signallers == 0, queue)
    }
    for body in rest { body() }
    closeDescriptors(isEventFree: isFree)
    let dropped = sources
    sources = [:]
    for (_, source) in dropped {
      for watch in source.watches { watch.retire() }
      source.watches = []
    }
    for timer in timers.removeAll() { timer.retire() }
  }

  // MARK: Timers

  /// Calls `body` once, at the first dispatch at or after `deadline`; soon after the machine wakes where it slept over
  /// that. Timers fire in the order of their deadlines, then of their making. Loop thread.
  @discardableResult public func timer(at deadline: Instant, _ body: @escaping () -> Void) -> LoopTimer {
    checkThread()
    timerSequence &+= 1
    let timer = LoopTimer(deadline: deadline, sequence: timerSequence, loop: self, body: body)
    guard isOpen else {
      timer.retire()
      return timer
    }
    timers.insert(timer)
    arm()
    return timer
  }

  /// Calls `body` once, so many milliseconds from now. Loop thread.
  @discardableResult public func timer(after milliseconds: UInt64, _ body: @escaping () -> Void) -> LoopTimer {
    timer(at: .now + milliseconds, body)
  }

  func remove(_ timer: LoopTimer) {
    checkThread()
    timers.remove(timer)
    // A dispatch does this once at its end for all removed timers.
    if depth == 0 { arm() }
  }

  private func dispatchTimers() -> Int {
    let now = Instant.now
    let newest = timerSequence
    var count = 0
    while isOpen, let timer = timers.first, timer.deadline <= now, timer.sequence <= newest {
      timers.remove(timer)
      if let body = timer.retire() {
        count &+= 1
        body()
      }
    }
    return count
  }

  /// Sets the timerfd to the earliest deadline. Setting it also takes back the readability of an expiry.
  private func arm() {
    guard isOpen else { return }
    let earliest = timers.first?.deadline
    if earliest == armed {
      guard let armed, armed <= .now else { return }
    }
    armed = earliest
    var setting = itimerspec()
    if let earliest {
      setting.it_value.tv_sec = Int(truncatingIfNeeded: earliest.milliseconds / 1000)
      // A deadline of zero would disarm the timerfd.
      setting.it_value.tv_nsec = max(1, Int(truncatingIfNeeded: earliest.milliseconds % 1000) &* 1_000_000)
    }
    timerfd_settime(clock, Int32(truncatingIfNeeded: TFD_TIMER_ABSTIME), &setting, nil)
  }

  // MARK: Descriptors

  /// Calls `body` at every dispatch in which any of `events` is true of `fd`, and, unless `events` is empty, when `fd`
  /// fails or hangs up. `fd` stays the caller's. Throws `.system` for one that cannot be watched, such as a plain file,
  /// or after `close()`. Loop thread.
  public func watch(_ fd: Int32, _ events: Events, _ body: @escaping (Events) -> Void) throws(SegueError) -> LoopWatch {
    checkThread()
    guard isOpen, fd >= 0 else { throw SegueError(.system, "The descriptor or the loop is closed.") }
    let source: LoopSource
    if let known = sources[fd] {
      source = known
    } else {
      generation &+= 1
      source = LoopSource(descriptor: fd, generation: generation)
      sources[fd] = source
    }
    let watch = LoopWatch(source: source, loop: self, events: events, body: body)
    source.watches.append(watch)
    guard update(source) else {
      let number = segue_errno()
      watch.cancel()
      throw SegueError(.system, "The descriptor cannot be watched: error \(number).")
    }
    return watch
  }

  /// Tells epoll what the watches of a source want together. A source that wants nothing is taken out, since epoll
  /// reports a hangup of every descriptor that it holds, and the loop would spin.
  @discardableResult func update(_ source: LoopSource) -> Bool {
    checkThread()
    guard isOpen else { return false }
    let wanted = source.wanted
    var succeeded = true
    if wanted.isEmpty {
      if source.registered != nil { control(EPOLL_CTL_DEL, source.descriptor, 0, 0) }
      source.registered = nil
    } else if wanted != source.registered {
      let first = source.registered == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      let second = source.registered == nil ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
      // The second operation is for a descriptor that was closed and opened again under the same number.
      succeeded =
        control(first, source.descriptor, wanted.epoll, source.token)
        || [EEXIST, ENOENT].contains(segue_errno())
          && control(second, source.descriptor, wanted.epoll, source.token)
      source.registered = succeeded ? wanted : nil
    }
    if source.watches.isEmpty, sources[source.descriptor] === source { sources[source.descriptor] = nil }
    return succeeded
  }

  /// The events that are ready now, or will be within that time; nil where a signal came first.
  private func ready(within milliseconds: Int32) -> [(token: UInt64, events: Events)]? {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Limits.descriptorsPerTurn) { buffer in
      let count = epoll_wait(
        epoll, buffer.baseAddress, Int32(truncatingIfNeeded: Limits.descriptorsPerTurn), milliseconds)
      if count < 0, segue_errno() == EINTR { return nil }
      var ready: [(token: UInt64, events: Events)] = []
      for index in 0..<max(0, min(Int(count), Limits.descriptorsPerTurn)) {
        ready.append((buffer[index].data.u64, Events(epoll: buffer[index].events)))
      }
      return ready
    }
  }

  private func dispatch(_ ready: [(token: UInt64, events: Events)]) -> Int {
    var count = 0
    // A handler that closes the loop ends this: the descriptors' numbers may belong to other files by then.
    for (token, events) in ready where isOpen {
      if token == Self.eventToken {
        readEvent()
        eventWasRead = true
        continue
      }
      let fd = Int32(bitPattern: UInt32(truncatingIfNeeded: token))
      guard let source = sources[fd], source.token == token else { continue }
      for watch in source.watches where watch.deliver(events) { count &+= 1 }
    }
    return count
  }

  @discardableResult private func control(_ operation: Int32, _ fd: Int32, _ events: UInt32, _ token: UInt64) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.u64 = token
    return epoll_ctl(epoll, operation, fd, &event) == 0
  }

  // MARK: The queue

  /// Runs `body` at the next dispatch, or in `close()`. False after that: it will not run. Any thread.
  @discardableResult public func post(_ body: @escaping @Sendable () -> Void) -> Bool { enqueue(body) }

  /// Runs `body` at the next dispatch, or in the present one where a watch calls this; dropped after `close()`. A watch
  /// that has called it polls `descriptor` no more before it returns. Loop thread.
  public func later(_ body: @escaping () -> Void) {
    checkThread()
    enqueue(body, wakes: !isTelling)
  }

  /// Runs `body` at the end of the dispatch under way, before the loop sleeps, without a system call. From a body that
  /// runs there, and outside of a dispatch, this is `later`. Loop thread.
  public func soon(_ body: @escaping () -> Void) {
    checkThread()
    guard isOpen, depth > 0, !isEnding else { return later(body) }
    last.append(body)
  }

  /// Makes the descriptor readable once, so that a blocking `wait` returns. Any thread.
  public func wake() { enqueue(nil) }

  /// `wakes`: makes the descriptor readable.
  @discardableResult private func enqueue(_ body: (() -> Void)?, wakes: Bool = true) -> Bool {
    let (accepted, signals) = lock.withLock {
      guard isAccepting else { return (false, false) }
      if let body { queue.append(body) }
      guard wakes, !isSignalled else { return (true, false) }
      isSignalled = true
      signallers &+= 1
      return (true, true)
    }
    guard signals else { return accepted }
    // The write is outside of the lock: the thread that it wakes takes the lock at once, and would sleep again.
    var one: UInt64 = 1
    _ = write(event, &one, 8)
    let isLast = lock.withLock {
      signallers &-= 1
      return signallers == 0 && !isAccepting
    }
    if isLast { _ = CLinux.close(event) }
    return accepted
  }

  @discardableResult private func dispatchQueue() -> Int {
    guard isOpen else { return 0 }
    let bodies = lock.withLock {
      // The queue was signalled in this dispatch, and the write is over. A write that is still to come wakes the loop
      // once without work.
      if isSignalled, !eventWasRead, signallers == 0 { readEvent() }
      isSignalled = false
      let bodies = queue
      queue = []
      return bodies
    }
    eventWasRead = false
    for body in bodies { body() }
    return bodies.count
  }

  @discardableResult private func dispatchLast() -> Int {
    guard !last.isEmpty, !isEnding else { return 0 }
    let bodies = last
    last = []
    isEnding = true
    defer { isEnding = false }
    for body in bodies { body() }
    return bodies.count
  }

  private func readEvent() {
    var ignored: UInt64 = 0
    _ = read(event, &ignored, 8)
  }

  /// `isEventFree`: no thread is about to write to the eventfd. Otherwise the last thread that writes closes it.
  private func closeDescriptors(isEventFree: Bool = true) {
    for fd in [epoll, clock] where fd >= 0 { _ = CLinux.close(fd) }
    if isEventFree, event >= 0 { _ = CLinux.close(event) }
  }
}
