import SegueCore

/// A call that an event loop makes once, at its deadline. The loop keeps it until then; the handle is for `cancel()`
/// only.
public final class LoopTimer {
  /// When it is due.
  public let deadline: Instant
  let sequence: UInt64
  var body: (() -> Void)?
  /// Its place in the heap, for a removal without a search; -1 outside.
  fileprivate(set) var index = -1
  private var loop: EventLoop?

  init(deadline: Instant, sequence: UInt64, loop: EventLoop, body: @escaping () -> Void) {
    self.deadline = deadline
    self.sequence = sequence
    self.loop = loop
    self.body = body
  }

  /// Whether it is still to fire. Loop thread.
  public var isActive: Bool { body != nil }

  /// Keeps it from firing. Loop thread; harmless after it fired, and after the loop was closed.
  public func cancel() {
    guard body != nil else { return }
    loop?.remove(self)
    retire()
  }

  /// Returns the body that it was to call, once, and releases the loop.
  @discardableResult func retire() -> (() -> Void)? {
    let body = body
    self.body = nil
    loop = nil
    return body
  }

  fileprivate func isBefore(_ other: LoopTimer) -> Bool {
    deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
  }
}

/// Timers by deadline, and by age where deadlines are equal: a binary heap whose elements know their place, since
/// nearly every timer is the bound of a call and is cancelled long before it is due.
struct TimerHeap {
  private var timers: [LoopTimer] = []

  var first: LoopTimer? { timers.first }

  mutating func insert(_ timer: LoopTimer) {
    timer.index = timers.count
    timers.append(timer)
    rise(timer.index)
  }

  mutating func remove(_ timer: LoopTimer) {
    let index = timer.index
    guard index >= 0, index < timers.count, timers[index] === timer else { return }
    timer.index = -1
    let last = timers.removeLast()
    guard last !== timer else { return }
    timers[index] = last
    last.index = index
    rise(index)
    sink(last.index)
  }

  /// Takes all of them out.
  mutating func removeAll() -> [LoopTimer] {
    let all = timers
    timers = []
    for timer in all { timer.index = -1 }
    return all
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index &- 1) / 2
      guard timers[index].isBefore(timers[parent]) else { return }
      swap(index, parent)
      index = parent
    }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var smallest = index
      for child in [2 &* index &+ 1, 2 &* index &+ 2]
      where child < timers.count && timers[child].isBefore(timers[smallest]) {
        smallest = child
      }
      guard smallest != index else { return }
      swap(index, smallest)
      index = smallest
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    timers.swapAt(a, b)
    timers[a].index = a
    timers[b].index = b
  }
}
