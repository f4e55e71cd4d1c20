import CLinux
import SegueBus
import SegueCore

// Expiration dates (semantics C7). A date is converted, once, when it is given, to a moment of a clock that cannot be
// set: a later change of the machine's time neither ends an offer nor keeps it alive.

extension Instant {
  /// The moment at which a date comes, rounded up; now where it has passed.
  fileprivate init(of date: Double) {
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    let left = (date - Double(wall.tv_sec)) * 1000 - Double(wall.tv_nsec) / 1_000_000
    guard left > 0 else {
      self = .now
      return
    }
    self = .now + (left < Double(Limits.lifeTime) ? UInt64(left.rounded(.up)) : Limits.lifeTime)
  }
}

extension Activity {
  /// Ends the offer at `date`, in seconds since 1970; nil: never. A date that has passed ends it at once. Any thread.
  public func setExpirationDate(_ date: Double?) throws(SegueError) {
    try changeContent { content throws(SegueError) in
      content.attributes.expirationDate = date
      content.deadline = date.map { Instant(of: $0) }
    }
    application.offering.mayHaveChanged()
    let (application, id) = (application, id)
    application.later { application.offering.expiryChanged(id) }
  }
}

extension Activity.Content {
  /// Sets the expiration date to so many milliseconds from now.
  mutating func expire(in timeLeft: UInt64) {
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    let now = Double(wall.tv_sec) + Double(wall.tv_nsec) / 1_000_000_000
    attributes.expirationDate = now + Double(timeLeft) / 1000
    deadline = .now + timeLeft
  }

  /// Milliseconds until it expires; nil: never.
  var timeLeft: UInt64? { deadline.map { Instant.now.time(until: $0) } }
}
