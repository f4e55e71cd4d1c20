import SegueCore

/// The work that a deadline is for.
enum Deadline: Hashable {
  case continuation(Identifier, ContinuationMachine.Timer)
  case save(SaveID)
  /// A stream is not answered, not taken, or not used.
  case stream(StreamID)
  /// A file makes no progress, or may be tried again.
  case file(FileID)
  case announcement
  case signal(Effect.Signal)
  /// An offer of this device, or of another one, expires.
  case offersHere
  case offersThere
  case snapshots
  case keeping(DeviceID)
  case storedCopies
  /// The journal entries that the device has changed are written down.
  case record(DeviceID)
  /// The addresses at which the device can be dialled are written down.
  case addresses(DeviceID)
  /// An introduction is forgotten.
  case introductions
  /// A proposal is not waited for any longer, and a received text is forgotten.
  case proposals
  case texts
  /// A domain's association file is to be fetched.
  case associations
  /// The window in which this device can be paired closes.
  case pairing
  /// This device gets another name in its networks, or a found service is dialled.
  case discovery
  /// The engine no longer waits for the first dials.
  case dials
  /// Waiting requests for a list are answered now, even if devices are still missing.
  case lists
  /// A waiting choice is made now, even if devices are still missing.
  case choice(Int)
  /// After the start, the engine no longer waits for applications to come back.
  case returns
  /// The time for which the user has paused is over.
  case pause
}

/// The moments at which the engine has work to do. A single timer outside serves all of them.
struct Deadlines {
  private var times: [Deadline: (time: Instant, number: Int)] = [:]
  private var count = 0

  /// Sets a deadline's moment, in place of its former one; nil removes the deadline.
  mutating func set(_ deadline: Deadline, at time: Instant?) {
    count += 1
    times[deadline] = time.map { ($0, count) }
  }

  mutating func cancel(_ deadline: Deadline) { times[deadline] = nil }

  func isSet(_ deadline: Deadline) -> Bool { times[deadline] != nil }

  var next: Instant? { times.values.map { $0.time }.min() }

  /// Removes and returns the deadline that has been due for longest, and since when; among equals, the one that was set
  /// first.
  mutating func takeDue(at now: Instant) -> (deadline: Deadline, time: Instant)? {
    let due = times.filter { $0.value.time <= now }
    let first = due.min { ($0.value.time, $0.value.number) < ($1.value.time, $1.value.number) }
    guard let first else { return nil }
    times[first.key] = nil
    return (first.key, first.value.time)
  }
}
