import SegueCore

/// The record of continuations that a daemon writes, so that the next daemon goes on where it ended (semantics X9): the
/// continuations that run here, those whose origin has still to be notified, the states of this device's activities
/// that other devices were given and may report as continued, and the activities that were continued here and are
/// hidden (V15).
///
/// Pure, and bounded; no device can crowd out the others. A nil device stands for this one.
public struct ContinuationJournal: Equatable, Sendable {
  /// A continuation that runs on this device.
  public struct Running: Equatable, Sendable {
    public var id: Identifier
    public var offer: Offer
    /// Where its state is fetched from.
    public var source: OfferSource
    /// The application that continues it; nil: a browser opens its page.
    public var appID: AppID?
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
      id: Identifier, offer: Offer, source: OfferSource, appID: AppID?, boot: String, fetchUntil: Instant,
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

  /// A notice that is not settled: either `device` has not acknowledged it, or it came from `device` and this device's
  /// application has not heard it.
  public struct Pending: Hashable, Sendable {
    public var device: DeviceID?
    public var notice: ContinuedNotice

    public init(device: DeviceID?, notice: ContinuedNotice) {
      self.device = device
      self.notice = notice
    }
  }

  /// A state of this device's activity that a device was given. It is a right: the device may say that it has continued
  /// this activity. A device that was given no state may not say so (attack 17).
  public struct Given: Equatable, Sendable {
    public enum Stage: UInt8, Sendable {
      /// The device keeps the state: the ids under which it continues the state later are known to that device alone.
      case kept
      /// To continue it now, once.
      case given
      /// The device has told; the application has not heard it. `toldOfBrowser`: a browser shows the web page.
      case told
      case toldOfBrowser
      /// The application has heard it, or no process is left that could.
      case heard
      /// The application is asked for the state, and the device may tell nothing yet.
      case asked
    }

    public var device: DeviceID?
    public var continuation: Identifier
    public var activity: Identifier
    /// The application whose activity it is, until it has heard what the device has told.
    public var appID: AppID?
    public var stage: Stage
    /// For a kept state: the revision that the device was given last, and how often it has continued that.
    public var revision: UInt64
    public var uses: Int

    public init(
      device: DeviceID?, continuation: Identifier, activity: Identifier, appID: AppID?, stage: Stage = .given,
      revision: UInt64 = 0, uses: Int = 0
    ) {
      self.device = device
      self.continuation = continuation
      self.activity = activity
      self.appID = appID
      self.stage = stage
      // The file has a byte less for it.
      self.revision = min(revision, .max >> 8)
      self.uses = uses
    }

    /// Whether the device has told of this continuation.
    var isTold: Bool {
      switch stage {
      case .told, .toldOfBrowser, .heard: true
      case .kept, .given, .asked: false
      }
    }

    fileprivate func isMeant(by notice: ContinuedNotice) -> Bool {
      // This device knows whose activity it is: a peer cannot name another application (attack 17).
      guard activity == notice.activity, appID == notice.appID else { return false }
      return stage == .kept && uses < Limits.continuationsOfKept
        || stage == .given && continuation == notice.continuation
    }
  }

  /// A device's activity that was continued here, at this revision.
  public struct Taken: Equatable, Sendable {
    public var device: DeviceID?
    public var activity: Identifier
    public var revision: UInt64
  }

  public private(set) var running: [Running] = []
  public private(set) var untold: [Pending] = []
  /// Each device's entries are in order, the oldest first.
  public private(set) var given: [Given] = []
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

  /// Whether the activity was continued here in that state from the device, and from no other one since.
  public func wasTaken(_ state: ActivityReference, of device: DeviceID) -> Bool {
    taken.last { $0.activity == state.id && $0.revision == state.revision }.map { $0.device == device } ?? false
  }

  // MARK: Telling the origin

  /// The device is to be told: again on each new link, until it acknowledges.
  public mutating func tell(_ device: DeviceID, _ notice: ContinuedNotice) {
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
    given.removeAll { $0.device == device }
    taken.removeAll { $0.device == device }
  }

  // MARK: Being told

  /// A device gets a state of an activity of this device. It is given no second right to what it has told of already.
  public mutating func give(_ new: Given) {
    func isSame(_ old: Given) -> Bool {
      guard old.device == new.device else { return false }
      if new.stage == .kept { return old.stage == .kept && old.activity == new.activity }
      return old.stage != .kept && old.continuation == new.continuation
    }
    guard !given.contains(where: { isSame($0) && $0.isTold }) else { return }
    var new = new
    // Only a newer state may be continued anew: fetching the same once more gives no further right.
    if new.stage == .kept, let old = given.first(where: isSame), new.revision <= old.revision {
      (new.revision, new.uses) = (old.revision, max(old.uses, new.uses))
    }
    // An earlier answer may have reached the device.
    if new.stage == .asked, given.contains(where: isSame) { return }
    given.removeAll { isSame($0) }
    add(new)
  }

  /// Whether the device is noted for that continuation while the application is asked.
  public func isAsked(_ device: DeviceID?, _ continuation: Identifier) -> Bool {
    given.contains { $0.stage == .asked && $0.device == device && $0.continuation == continuation }
  }

  /// Whether the device was given the activity to continue it, by that continuation, and may still say so or has.
  public func wasGiven(_ activity: Identifier, to device: DeviceID?, by continuation: Identifier) -> Bool {
    given.contains { entry in
      entry.device == device && entry.continuation == continuation && entry.activity == activity
        && (entry.stage == .given || entry.isTold)
    }
  }

  /// After a restart it is not known whether an answer has left: who was noted when the application was asked may tell.
  public mutating func resume() {
    for index in given.indices where given[index].stage == .asked { given[index].stage = .given }
  }

  /// The device gets no state for that continuation.
  public mutating func refuse(_ device: DeviceID?, _ continuation: Identifier) {
    given.removeAll { $0.stage == .asked && $0.device == device && $0.continuation == continuation }
  }

  private mutating func add(_ new: Given) {
    // A device's entries are adjacent, as in the file.
    let last = given.lastIndex { $0.device == new.device }
    given.insert(new, at: last.map { $0 + 1 } ?? given.endIndex)
    guard given.count(where: { $0.device == new.device }) > Limits.continuationsGiven,
      let oldest = given.firstIndex(where: { $0.device == new.device })
    else { return }
    given.remove(at: oldest)
  }

  /// A device tells that it has continued an activity of this device. Returns false if it has told that before, or was
  /// not given the activity.
  public mutating func receive(_ notice: ContinuedNotice, from device: DeviceID?) -> Bool {
    let own = given.indices.filter { given[$0].device == device }
    guard !own.contains(where: { given[$0].isTold && given[$0].continuation == notice.continuation }) else {
      return false
    }
    let meant = own.filter { given[$0].isMeant(by: notice) }
    guard let index = meant.first(where: { given[$0].stage == .given }) ?? meant.first else { return false }
    var told = given[index]
    told.continuation = notice.continuation
    told.stage = notice.inBrowser ? .toldOfBrowser : .told
    if given[index].stage == .kept {
      given[index].uses += 1
      (told.revision, told.uses) = (0, 0)
      add(told)
    } else {
      given[index] = told
    }
    return true
  }

  /// Notices that this device's applications have not heard yet.
  public var unheard: [Pending] {
    given.compactMap { entry in
      guard entry.stage == .told || entry.stage == .toldOfBrowser, let appID = entry.appID else { return nil }
      return Pending(
        device: entry.device,
        notice: ContinuedNotice(
          continuation: entry.continuation, activity: entry.activity, appID: appID,
          inBrowser: entry.stage == .toldOfBrowser))
    }
  }

  /// The application has heard the notice, or no process is left that could hear it.
  public mutating func hear(_ continuation: Identifier, from device: DeviceID?) {
    for index in given.indices
    where given[index].isTold && given[index].device == device && given[index].continuation == continuation {
      given[index].stage = .heard
      given[index].appID = nil
    }
  }

  /// Whether only what was given, and what was told of it, differs.
  public func differsOnlyInGiven(from other: ContinuationJournal) -> Bool {
    running == other.running && untold == other.untold && taken == other.taken
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
