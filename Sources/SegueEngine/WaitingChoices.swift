import SegueCore

/// Choices, and requests for a list, that wait after the daemon's start until the other devices have said what they
/// have on offer (semantics X9). The limits on calls bound how many there are.
struct WaitingChoices {
  struct Waiting {
    let number: Int
    let choice: Choice
    /// The choice is made at this moment at the latest.
    let until: Instant
    /// The choice waits for a device that may have had the offer before the start. The device's first list does not end
    /// the wait: the device may have been restarted too, and its applications need a moment to come back.
    var isForDevice = false
  }

  private(set) var choices: [Waiting] = []
  private var lists: [RequestID] = []
  /// When the requests for a list wait no longer, even if devices are still missing; nil if none waits.
  private(set) var listsUntil: Instant?
  private var count = 0

  mutating func add(_ choice: Choice, until: Instant) -> Int {
    count += 1
    choices.append(Waiting(number: count, choice: choice, until: until))
    return count
  }

  /// Every choice that waits now waits for a device.
  mutating func waitForDevices() {
    for index in choices.indices { choices[index].isForDevice = true }
  }

  mutating func remove(_ number: Int) { choices.removeAll { $0.number == number } }

  mutating func addList(_ request: RequestID, until: Instant) {
    lists.append(request)
    listsUntil = listsUntil ?? until
  }

  mutating func takeLists() -> [RequestID] {
    defer { (lists, listsUntil) = ([], nil) }
    return lists
  }
}
