/// What a daemon writes down of continuations, so that the next one goes on where it ended (semantics X9): those that
/// run here, those whose origin is still to be told, those of our own activities that we were told of, and what was
/// continued here and is hidden (V15).
///
/// Pure, and bounded; no device can crowd out the others. Where a device is nil, it is this one.
public struct ContinuationJournal: Equatable, Sendable {
  /// A continuation that runs on this device.
  public struct Running: Equatable, Sendable {
    public var id: Identifier
    public var offer: Offer
    /// Where it is fetched.
    public var source: OfferSource
    /// The application that continues it.
    public var appID: AppID
    /// In which run of the machine the moments below are; they mean nothing in another.
    public var boot: String
    /// Until when the origin is waited for, and until when the application.
    public var fetchUntil: Instant
    public var until: Instant
    /// The application has the payload.
    public var isDelivered: Bool
    /// The payload's revision.
    public var revision: UInt64?

    public init(
      id: Identifier, offer: Offer, source: OfferSource, appID: AppID, boot: String, fetchUntil: Instant,
      until: Instant,
      isDelivered: Bool = false, revision: UInt64? = nil
    ) {
      self.id = id
      self.offer = offer
      self.source = source
      self.appID = appID
      self.boot = boot
      self.fetchUntil = fetchUntil
      self.until = until
      self.isDelivered = isDelivered
      self.revision = revision
    }
  }

  /// An activity of one device was continued on another.
  public struct Notice: Equatable, Sendable {
    public var continuation: Identifier
    public var activity: Identifier
    /// The application that the activity is of.
    public var appID: AppID
    public var inBrowser: Bool

    public init(continuation: Identifier, activity: Identifier, appID: AppID, inBrowser: Bool) {
      self.continuation = continuation
      self.activity = activity
      self.appID = appID
      self.inBrowser = inBrowser
    }
  }

  /// A notice for a device that has not acknowledged it, or of one and not heard by our application.
  public struct Pending: Equatable, Sendable {
    public var device: DeviceID?
    public var notice: Notice
  }

  /// The continuation of a notice that our application has heard.
  public struct Heard: Equatable, Sendable {
    public var device: DeviceID?
    public var continuation: Identifier
  }

  /// A device's activity that was continued here, at this revision.
  public struct Taken: Equatable, Sendable {
    public var device: DeviceID?
    public var activity: Identifier
    public var revision: UInt64
  }

  public private(set) var running: [Running] = []
  public private(set) var untold: [Pending] = []
  /// Notices of other devices that our applications have not heard yet.
  public private(set) var unheard: [Pending] = []
  public private(set) var heard: [Heard] = []
  public private(set) var taken: [Taken] = []

  public init() {}

  // MARK: Running here

  /// Notes a continuation, or what has become of it.
  public mutating func note(_ continuation: Running) {
    if let index = running.firstIndex(where: { $0.id == continuation.id }) {
      running[index] = continuation
    } else {
      running.append(continuation)
      if running.count > Limits.continuationsRecorded { running.removeFirst() }
    }
  }

  /// It has its outcome.
  public mutating func end(_ continuation: Identifier) { running.removeAll { $0.id == continuation } }

  /// An activity was continued here. Of two continuations the one with the earlier state may end later.
  public mutating func take(_ activity: Identifier, of device: DeviceID?, revision: UInt64) {
    let revision = max(revision, revisionTaken(of: activity, of: device) ?? 0)
    taken.removeAll { $0.activity == activity && $0.device == device }
    taken.append(Taken(device: device, activity: activity, revision: revision))
    Self.trim(&taken, Limits.continuedOffers) { $0.device }
  }

  /// The revision at which an activity was continued here last; nil if it was not.
  public func revisionTaken(of activity: Identifier, of device: DeviceID?) -> UInt64? {
    taken.last { $0.activity == activity && $0.device == device }?.revision
  }

  // MARK: Telling the origin

  /// The device is to be told, on every link until it acknowledges.
  public mutating func tell(_ device: DeviceID, _ notice: Notice) {
    guard !untold.contains(where: { $0.notice.continuation == notice.continuation }) else { return }
    untold.append(Pending(device: device, notice: notice))
    Self.trim(&untold, Limits.continuationsUntold) { $0.device }
  }

  /// False where nobody waited for it.
  public mutating func acknowledged(_ continuation: Identifier, by device: DeviceID) -> Bool {
    let count = untold.count
    untold.removeAll { $0.device == device && $0.notice.continuation == continuation }
    return untold.count != count
  }

  /// The device is no longer paired.
  public mutating func forget(_ device: DeviceID) {
    untold.removeAll { $0.device == device }
    unheard.removeAll { $0.device == device }
    heard.removeAll { $0.device == device }
    taken.removeAll { $0.device == device }
  }

  // MARK: Being told

  /// A device says that an activity of ours was continued; false if it has said so before.
  public mutating func receive(_ notice: Notice, from device: DeviceID?) -> Bool {
    let isKnown =
      heard.contains { $0.continuation == notice.continuation && $0.device == device }
      || unheard.contains { $0.notice.continuation == notice.continuation && $0.device == device }
    guard !isKnown else { return false }
    unheard.append(Pending(device: device, notice: notice))
    Self.trim(&unheard, Limits.continuationsUntold) { $0.device }
    return true
  }

  /// The application has heard it, or nobody is left to hear it.
  public mutating func hear(_ continuation: Identifier, from device: DeviceID?) {
    unheard.removeAll { $0.notice.continuation == continuation && $0.device == device }
    guard !heard.contains(where: { $0.continuation == continuation && $0.device == device }) else { return }
    heard.append(Heard(device: device, continuation: continuation))
    Self.trim(&heard, Limits.continuationsRemembered) { $0.device }
  }

  /// Past the limit the oldest of that device gives way which has the most.
  private static func trim<T>(_ list: inout [T], _ limit: Int, _ device: (T) -> DeviceID?) {
    while list.count > limit {
      var counts: [DeviceID?: Int] = [:]
      for entry in list { counts[device(entry), default: 0] &+= 1 }
      let most = counts.values.max()
      guard let oldest = list.firstIndex(where: { counts[device($0)] == most }) else { return }
      list.remove(at: oldest)
    }
  }
}
