import SegueCore

// The user's choices about what is shared (semantics X5), and what follows at once from a change of them.

extension Engine {
  mutating func sharing(_ change: (inout Sharing) -> Void) {
    let former = sharing
    change(&sharing)
    reviewPause(former)
  }

  /// The time of a pause may be over, or the machine has slept.
  mutating func reviewPause() { reviewPause(sharing) }

  private mutating func reviewPause(_ former: Sharing) {
    let before = former.pause
    sharing.timeIs(turn.moment.seconds)
    let pause = sharing.pause
    // A file may name an end past all times: it is looked at again before.
    let left = pause.flatMap { $0.end }.map { min($0 - turn.moment.seconds, Limits.pauseTime / 1_000) }
    deadlines.set(.pause, at: left.map { turn.now + $0 * 1_000 })
    guard pause != before || sharing.choices != former.choices else { return }
    // Other devices get their lists anew, and what is shown here changes.
    turn.hasChangedOffersHere = true
    turn.hasChangedDevices = true
    guard pause == nil, before != nil else { return }
    for device in devices.onlineInOrder { keep(remote.offers(of: device), of: device) }
  }

  /// Whether a device may have what belongs to the process now. A process whose application is not known has nothing on
  /// offer.
  func mayShare(_ session: SessionID, with device: DeviceID) -> Bool {
    guard let application = sessions[session]?.appID else { return true }
    return sharing.refusal(of: application, to: device) == nil
  }
}

extension Sharing.PauseReason {
  fileprivate var end: UInt64? {
    if case .paused(let until) = self { until } else { nil }
  }
}
