import CLinux
import SegueBus
import SegueCore

// Expiration dates (semantics C7). A date is turned into a moment of a clock that nobody can set, once, when it is
// given: whoever sets the machine's time afterwards neither ends an offer by that nor keeps it alive.

/// Milliseconds of a clock that goes on while the machine sleeps, since an expiration date does.
func bootMilliseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_BOOTTIME, &now)
  return UInt64(truncatingIfNeeded: now.tv_sec) &* 1000 &+ UInt64(truncatingIfNeeded: now.tv_nsec) / 1_000_000
}

/// The moment of that clock at which a date comes, rounded up; now where it has passed.
func bootMilliseconds(at date: Double) -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  let left = (date - Double(now.tv_sec)) * 1000 - Double(now.tv_nsec) / 1_000_000
  guard left > 0 else { return bootMilliseconds() }
  guard left < Double(Limits.lifeTime) else { return bootMilliseconds() &+ Limits.lifeTime }
  return bootMilliseconds() &+ UInt64(left.rounded(.up))
}

/// Calls at a moment of that clock; a loop's own timers stand still while the machine sleeps.
final class ExpiryTimer {
  private let descriptor: FileDescriptor
  private var watch: LoopWatch?
  private var deadline: UInt64?

  /// Throws `.system` where the process has no descriptor left.
  init(on loop: EventLoop, _ body: @escaping () -> Void) throws(SegueError) {
    descriptor = FileDescriptor(
      owning: timerfd_create(CLOCK_BOOTTIME, Int32(truncatingIfNeeded: TFD_CLOEXEC | TFD_NONBLOCK)))
    guard descriptor.raw >= 0 else { throw SegueError(.system, "There is no timer left: error \(segue_errno()).") }
    watch = try loop.watch(descriptor.raw, .readable) { [descriptor] _ in
      var count: UInt64 = 0
      _ = read(descriptor.raw, &count, 8)
      body()
    }
  }

  /// Nil: not at all.
  func set(_ deadline: UInt64?) {
    guard deadline != self.deadline else { return }
    self.deadline = deadline
    var time = itimerspec()
    if let deadline {
      time.it_value.tv_sec = Int(truncatingIfNeeded: deadline / 1000)
      // All zero would disarm.
      time.it_value.tv_nsec = max(1, Int(truncatingIfNeeded: deadline % 1000) &* 1_000_000)
    }
    timerfd_settime(descriptor.raw, Int32(truncatingIfNeeded: TFD_TIMER_ABSTIME), &time, nil)
  }

  func cancel() {
    watch?.cancel()
    watch = nil
  }
}

extension Activity {
  /// Ends the offer at `date`, in seconds since 1970; nil: never. A date that has passed ends it at once. Any thread.
  public func setExpirationDate(_ date: Double?) throws(SegueError) {
    try changeContent { content throws(SegueError) in
      content.attributes.expirationDate = date
      content.deadline = date.map { bootMilliseconds(at: $0) }
    }
    application.offerMayHaveChanged()
  }
}
