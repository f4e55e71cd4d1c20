/// What a daemon writes down of continuations, so that the next daemon goes on where it ended (semantics X9): the
/// continuations that run here, those whose origin has still to be told, those of this device's activities that other
/// devices have told of, and the activities that were continued here and are hidden (V15).
///
/// Pure, and bounded; no device can crowd out the others. A nil device stands for this one.
public struct ContinuationJournal: Equatable, Sendable {
  /// A continuation that runs on this device.
  public struct Running: Equatable, Sendable {
    public var id: Identifier
    public var offer: Offer
    /// Where its state is fetched from.
    public var source: OfferSource
    /// The application that continues it.
    public var appID: AppID
    /// The run of the machine in which the moments below were recorded; they mean nothing in another run.
    public var boot: String
    /// Until when the daemon waits for the origin, and until when for the application.
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
    /// The application whose activity it is.
    public var appID: AppID
    public var inBrowser: Bool

    public init(continuation: Identifier, activity: Identifier, appID: AppID, inBrowser: Bool) {
      self.continuation = continuation
      self.activity = activity
      self.appID = appID
      self.inBrowser = inBrowser
    }
  }

  /// A notice that is not settled: either `device` has not acknowledged it, or it came from `device` and this device's
  /// application has not heard it.
  public struct Pending: Equatable, Sendable {
    public var device: DeviceID?
    public var notice: Notice
  }

  /// The continuation of a notice that this device's application has heard.
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
  /// Notices from other devices that this device's applications have not heard yet.
  public private(set) var unheard: [Pending] = []
  public private(set) var heard: [Heard] = []
  public private(set) var taken: [Taken] = []

  public init() {}

  // MARK: Running here

  /// Notes a continuation, in place of what was noted of it before.
  public mutating func note(_ continuation: Running) {
    if let index = running.firstIndex(where: { $0.id == continuation.id }) {
      running[index] = continuation
    } else {
      running.append(continuation)
      if running.count > Limits.continuationsRecorded { running.removeFirst() }
    }
  }

  /// The continuation has its outcome.
  public mutating func end(_ continuation: Identifier) { running.removeAll { $0.id == continuation } }

  /// An activity was continued here. The higher revision counts, since of two continuations the one with the earlier
  /// state may end later.
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

  /// The device is to be told: again on each new link, until it acknowledges.
  public mutating func tell(_ device: DeviceID, _ notice: Notice) {
    guard !untold.contains(where: { $0.notice.continuation == notice.continuation }) else { return }
    untold.append(Pending(device: device, notice: notice))
    Self.trim(&untold, Limits.continuationsUntold) { $0.device }
  }

  /// The device has acknowledged. Returns false if nothing was waiting for that.
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

  /// A device tells that an activity of this device was continued. Returns false if it has told that before.
  public mutating func receive(_ notice: Notice, from device: DeviceID?) -> Bool {
    let isKnown =
      heard.contains { $0.continuation == notice.continuation && $0.device == device }
      || unheard.contains { $0.notice.continuation == notice.continuation && $0.device == device }
    guard !isKnown else { return false }
    unheard.append(Pending(device: device, notice: notice))
    Self.trim(&unheard, Limits.continuationsUntold) { $0.device }
    return true
  }

  /// The application has heard the notice, or no process is left that could hear it.
  public mutating func hear(_ continuation: Identifier, from device: DeviceID?) {
    unheard.removeAll { $0.notice.continuation == continuation && $0.device == device }
    guard !heard.contains(where: { $0.continuation == continuation && $0.device == device }) else { return }
    heard.append(Heard(device: device, continuation: continuation))
    Self.trim(&heard, Limits.continuationsRemembered) { $0.device }
  }

  /// Past the limit, the device with the most entries loses its oldest one.
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
