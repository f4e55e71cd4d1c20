import SegueCore

/// Choices and lists that wait after the daemon's start, until it is known what there is (semantics X9). The callers'
/// limits bound how many there are.
struct WaitingChoices {
  struct Waiting {
    let number: Int
    let choice: Choice
    /// When it waits no longer.
    let until: Instant
    /// It is waited for a device that may have had it on offer before the start, whatever that says first: it may have
    /// been restarted too, and its applications need a moment more.
    var isForDevice = false
  }

  private(set) var choices: [Waiting] = []
  private var lists: [RequestID] = []
  private var count = 0

  mutating func add(_ choice: Choice, until: Instant) -> Int {
    count += 1
    choices.append(Waiting(number: count, choice: choice, until: until))
    return count
  }

  /// What waits now waits for a device.
  mutating func waitForDevices() {
    for index in choices.indices { choices[index].isForDevice = true }
  }

  mutating func remove(_ number: Int) { choices.removeAll { $0.number == number } }

  mutating func addList(_ request: RequestID) { lists.append(request) }

  mutating func takeLists() -> [RequestID] {
    defer { lists = [] }
    return lists
  }
}
