import SegueCore

/// Virtual time: events in their order, without any real waiting.
public struct VirtualClock<Event> {
  public private(set) var now: Instant = 0
  /// A binary heap: the next event comes first.
  private var waiting: [(time: Instant, number: Int, event: Event)] = []
  private var cancelled: Set<Int> = []
  private var count = 0

  public init() {}

  /// Schedules an event. Events of one time happen in the order of scheduling. The number that is returned is for
  /// `cancel`.
  @discardableResult
  public mutating func schedule(_ event: Event, at time: Instant) -> Int {
    count += 1
    waiting.append((max(time, now), count, event))
    var child = waiting.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      waiting.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
    return count
  }

  /// Cancels an event, which must neither have happened nor have been cancelled.
  public mutating func cancel(_ number: Int) { cancelled.insert(number) }

  /// The time of the next event; nil: there is none.
  public mutating func nextTime() -> Instant? {
    while let first = waiting.first {
      if cancelled.remove(first.number) == nil { return first.time }
      _ = pop()
    }
    return nil
  }

  public mutating func next() -> (number: Int, event: Event)? {
    while let first = pop() {
      if cancelled.remove(first.number) != nil { continue }
      now = first.time
      return (first.number, first.event)
    }
    return nil
  }

  private mutating func pop() -> (time: Instant, number: Int, event: Event)? {
    guard let first = waiting.first else { return nil }
    let last = waiting.removeLast()
    guard !waiting.isEmpty else { return first }
    waiting[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < waiting.count && isBefore(child, least) {
        least = child
      }
      guard least != parent else { return first }
      waiting.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (waiting[one].time, waiting[one].number) < (waiting[other].time, waiting[other].number)
  }
}

/// A generator that gives the same numbers for the same seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns true once in so many times; never for 0.
  public mutating func oneIn(_ count: UInt64) -> Bool { count > 0 && next() % count == 0 }

  public mutating func below(_ bound: UInt64) -> UInt64 { next() % max(bound, 1) }
}
