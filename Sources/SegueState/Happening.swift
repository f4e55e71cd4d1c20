/// Something that happens once, for which threads wait.
public final class Happening: @unchecked Sendable {
  private let condition = Condition()
  private var hasHappened = false

  public init() {}

  /// It happens. Any thread; a second call changes nothing.
  public func happen() {
    condition.withLock {
      hasHappened = true
      condition.signal()
    }
  }

  /// Blocks until it happens, and returns true; after `milliseconds` without it, false.
  public func wait(milliseconds: UInt64 = .max) -> Bool {
    condition.withLock { condition.wait(milliseconds: milliseconds) { hasHappened } }
  }
}
