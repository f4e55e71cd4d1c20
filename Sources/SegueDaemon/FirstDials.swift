import SegueBus
import SegueCore
import SegueLink

// What is asked right after the daemon's start.

extension Daemon {
  /// Runs `body` when the first dials are over, so that it finds what is there.
  func whenDialled(_ body: @escaping () -> Void) {
    wait(until: firstDials.until, for: { [self] in firstDials.isOver(now: Instant.now) }, body)
  }

  /// Runs `body` when it is known whether there is such an offer; of one that may have been there before the start, when
  /// its device is back, or the time of a fetch is over (semantics X9).
  func whenKnown(_ id: Identifier, _ body: @escaping () -> Void) {
    let until = Instant.now + settings.times.fetch
    // What is kept of a device gives way to what the device itself says.
    wait(until: firstDials.until, for: { [self] in isThere(id) || firstDials.isOver(now: Instant.now) }) { [self] in
      guard firstDials.mayHaveOffered(now: Instant.now) else { return body() }
      // The device that comes back may have been restarted too: its applications need a moment more.
      wait(until: until, for: { [self] in isThere(id) || found(id) != nil || Instant.now >= until }, body)
    }
  }

  private func isThere(_ id: Identifier) -> Bool {
    remote.entry(id) != nil || local.entries[id] != nil || continuations.values.contains { $0.offer.id == id }
  }

  private func wait(until time: Instant, for isDue: @escaping () -> Bool, _ body: @escaping () -> Void) {
    guard !isDue() else { return body() }
    waiting.append((isDue, body))
    loop.timer(at: time) { [self] in goOnWaiting() }
  }

  /// Something is known that was waited for, or a time is over.
  func goOnWaiting() {
    let all = waiting
    waiting = []
    for (isDue, body) in all {
      if isDue() { body() } else { waiting.append((isDue, body)) }
    }
  }

  /// Why there is no such offer.
  func notOnOffer(_ id: Identifier) -> SegueError {
    if let device = remote.lostOrigin(of: id) {
      return SegueError(
        .connectionUnavailable, "\(name(of: device)) had this on offer, and cannot be reached any more.",
        advice: "Check that it is on and in the same network: then it is on offer again.")
    }
    let unheard = firstDials.unheard
    guard let device = unheard.first else {
      return SegueError(
        .notFound, "There is no such offer any more.", advice: "List what there is with: segue activities")
    }
    let absent = unheard.count == 1 ? name(of: device) : "\(unheard.count) devices"
    return SegueError(
      .notFound, "No device in reach has this on offer, and \(absent) could not be reached.",
      advice: "Check what is on and in the same network, with: segue devices")
  }
}
