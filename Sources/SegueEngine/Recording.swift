import SegueCore

/// When the journal is written down: what this device does itself, in the turn in which it happens; what another device
/// causes, too, but past a burst only each `recordInterval`. So a device that causes many changes does not hold up the
/// others by the disk.
struct Recording {
  private var recorded: ContinuationJournal
  private var announcers: [DeviceID: Announcer] = [:]
  private var isDue = false

  /// `journal`: what is written down already.
  init(_ journal: ContinuationJournal) { recorded = journal }

  /// The device has caused a change of what is said in the journal of given states; nil: this one has.
  mutating func caused(by device: DeviceID?, _ deadlines: inout Deadlines, at now: Instant) {
    guard let device else { return isDue = true }
    handle(.changed, device, &deadlines, at: now)
  }

  mutating func timer(_ device: DeviceID, _ deadlines: inout Deadlines, at now: Instant) {
    handle(.timer, device, &deadlines, at: now)
  }

  private mutating func handle(
    _ event: Announcer.Event, _ device: DeviceID, _ deadlines: inout Deadlines, at now: Instant
  ) {
    let new = Announcer(burst: Limits.recordBurst, interval: Limits.recordInterval)
    for effect in announcers[device, default: new].handle(event, now: now) {
      switch effect {
      case .announce: isDue = true
      case .wake(let time): deadlines.set(.record(device), at: time)
      }
    }
  }

  mutating func forget(_ device: DeviceID, _ deadlines: inout Deadlines) {
    announcers[device] = nil
    deadlines.cancel(.record(device))
  }

  /// At the end of a turn: whether the journal is to be written now. If so, it counts as written.
  mutating func takes(_ journal: ContinuationJournal) -> Bool {
    defer { isDue = false }
    guard journal != recorded, isDue || !journal.differsOnlyInGiven(from: recorded) else { return false }
    recorded = journal
    return true
  }
}
