import SegueCore

/// The offers of this device, when other devices are sent them, and the fetches that wait for applications to come back
/// after the daemon's start.
struct Origin {
  /// A fetch of an activity whose application may not be back yet. The link bounds how many there are.
  struct ReturningFetch {
    let channel: ChannelID
    let device: DeviceID
    let request: FetchRequest
  }

  /// A device that fetches an activity, and its request.
  struct Asker {
    let device: DeviceID
    let request: FetchRequest
  }

  private(set) var local: LocalOffers
  private var announcer = Announcer()
  private var sequence: UInt64 = 0
  private var returning: [ReturningFetch] = []
  /// The device that waits on each channel, with its request.
  private var askers: [ChannelID: Asker] = [:]
  /// Until this moment after the start, applications are expected to come back.
  let returnEnd: Instant

  init(_ settings: EngineSettings, start: Instant) {
    local = LocalOffers(graceTime: settings.times.grace)
    returnEnd = start + Limits.returnTime
  }

  /// Whether an application at the door has a current activity.
  func hasCurrent(_ appID: AppID) -> Bool {
    local.entries.values.contains { $0.appID == appID && $0.isConnected && $0.graceUntil == nil }
  }

  // MARK: Changes

  mutating func change<R>(_ body: (inout LocalOffers) throws(SegueError) -> R) throws(SegueError) -> R {
    try body(&local)
  }

  mutating func change<R>(_ body: (inout LocalOffers) -> R) -> R { body(&local) }

  // MARK: Announcing

  /// Whether the other devices are to be sent the offers now.
  mutating func announces(_ event: Announcer.Event, _ deadlines: inout Deadlines, at now: Instant) -> Bool {
    var isDue = false
    for effect in announcer.handle(event, now: now) {
      switch effect {
      case .announce: isDue = true
      case .wake(let time): deadlines.set(.announcement, at: time)
      }
    }
    return isDue
  }

  mutating func nextSequence() -> UInt64 {
    sequence += 1
    return sequence
  }

  // MARK: Applications that come back

  /// Whether the activity may belong to an application that is not back yet.
  func mayReturn(_ activity: Identifier, at now: Instant) -> Bool {
    now < returnEnd && local.entries[activity]?.isLeftBehind ?? true
  }

  mutating func await(_ fetch: ReturningFetch) { returning.append(fetch) }

  mutating func asks(_ device: DeviceID, for request: FetchRequest, on channel: ChannelID) {
    askers[channel] = Asker(device: device, request: request)
  }

  /// The device that fetches; nil for this one.
  func asker(_ source: FetchSource) -> DeviceID? {
    if case .channel(let channel) = source { askers[channel]?.device } else { nil }
  }

  /// Forgets the device that waited on the channel, and returns it.
  @discardableResult mutating func forgetAsker(_ channel: ChannelID) -> Asker? {
    returning.removeAll { $0.channel == channel }
    return askers.removeValue(forKey: channel)
  }

  /// Removes and returns the fetches that wait for this activity; nil: all of them.
  mutating func takeReturning(_ activity: Identifier?) -> [ReturningFetch] {
    let due = returning.filter { activity == nil || $0.request.activity == activity }
    returning.removeAll { activity == nil || $0.request.activity == activity }
    return due
  }
}
