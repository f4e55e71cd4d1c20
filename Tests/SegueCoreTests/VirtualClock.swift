/// Virtual time: what will happen, in order, without anybody waiting.
struct VirtualClock<Event> {
  private(set) var now: UInt64 = 0
  private var waiting: [(time: UInt64, number: Int, event: Event)] = []
  private var count = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// What happens at one time happens in the order of scheduling. The number is for `cancel`.
  @discardableResult
  mutating func schedule(_ event: Event, at time: UInt64) -> Int {
    count += 1
    waiting.append((max(time, now), count, event))
    return count
  }

  mutating func cancel(_ number: Int) {
    waiting.removeAll { $0.number == number }
  }

  mutating func next() -> (number: Int, event: Event)? {
    guard var first = waiting.indices.first else { return nil }
    for index in waiting.indices where waiting[index].time < waiting[first].time { first = index }
    let next = waiting.remove(at: first)
    now = next.time
    return (next.number, next.event)
  }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True once in so many times.
  mutating func oneIn(_ count: UInt64) -> Bool { next() % count == 0 }

  mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }
}
