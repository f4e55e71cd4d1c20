import SegueCore

/// How often each device has reported, in the present interval, that it continued an activity which it was not given.
/// An honest device does so if this one has lost its journal; a device that does so without end gets no more answers.
struct UnsolicitedNotices {
  private var counts: [DeviceID: (since: Instant, count: Int)] = [:]

  /// Whether the device still gets an answer.
  mutating func isAnswered(_ device: DeviceID, at now: Instant) -> Bool {
    var (since, count) = counts[device] ?? (now, 0)
    if now.time(since: since) >= Limits.unsolicitedTime { (since, count) = (now, 0) }
    counts[device] = (since, min(count + 1, Limits.unsolicitedNotices + 1))
    return count < Limits.unsolicitedNotices
  }

  mutating func forget(_ device: DeviceID) { counts[device] = nil }
}
