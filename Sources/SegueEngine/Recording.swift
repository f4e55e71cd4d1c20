import SegueCore

/// When the journal is written down: after a change by this device, in the same turn; after a change by another device,
/// too, but past a burst only once each `recordInterval`. So a device that causes many changes does not delay the
/// others by disk writes.
struct Recording {
  private var recorded: ContinuationJournal
  private var announcers: [DeviceID: Announcer] = [:]
  private var isDue = false

  /// `journal`: the journal that is on disk already.
  init(_ journal: ContinuationJournal) { recorded = journal }

  /// A device has changed the journal's record of the states that were given away. `device`: nil for this one.
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

  /// Whether the journal is to be written now, at the end of a turn. If so, it counts as written.
  mutating func takes(_ journal: ContinuationJournal) -> Bool {
    defer { isDue = false }
    guard journal != recorded, isDue || !journal.differsOnlyInGiven(from: recorded) else { return false }
    recorded = journal
    return true
  }
}
