import SegueCore

/// How often each device has told, in the present interval, that it continued what it was not given. An honest device
/// does so where this one has lost its journal; one that does so without end is not answered.
///
/// This is no `Allowance`: a device that has told too much is not answered again before the interval is over, however
/// slowly it goes on.
struct StrayNotices {
  private var counts: [DeviceID: (since: Instant, count: Int)] = [:]

  /// Whether the device is still answered.
  mutating func isAnswered(_ device: DeviceID, at now: Instant) -> Bool {
    var (since, count) = counts[device] ?? (now, 0)
    if now.time(since: since) >= Limits.strayTime { (since, count) = (now, 0) }
    counts[device] = (since, min(count + 1, Limits.strayNotices + 1))
    return count < Limits.strayNotices
  }

  mutating func forget(_ device: DeviceID) { counts[device] = nil }
}
