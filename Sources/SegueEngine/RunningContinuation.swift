import SegueCore

/// The outcome that the chooser of an offer waits for. A failure before that is reported in both cases.
enum Awaited {
  /// The application has begun the continuation. The chooser is that application, and gets the outcome in any case.
  case begun
  case ended
}

/// The source of a choice, which is told how the continuation went.
enum Chooser {
  case request(RequestID, Awaited)
  /// The choice was made in a notification or another surface of the desktop. It waits for nothing: a running
  /// continuation shows its own progress.
  case surface
}

/// The user's choice of an offer, and perhaps of the application that is to continue it. Without a device the choice
/// means the one device that has such an offer; if several have one, the choice is refused.
struct Choice {
  var activity: Identifier
  var device: DeviceID?
  var application: AppID?
  var activationToken: String?
  var chooser: Chooser

  /// Whether the choice may mean an offer of that device.
  func mayMean(_ device: DeviceID) -> Bool { self.device.map { $0 == device } ?? true }
}

/// A continuation that runs on this device.
struct RunningContinuation {
  let id: Identifier
  let offer: Offer
  let source: OfferSource
  /// Nil: no application here continues it, and a browser opens its page (semantics W1).
  let application: InstalledApplication?
  let activationToken: String?
  var machine: ContinuationMachine
  /// The calls that asked for this continuation; each is replied to when the outcome that it waits for is there.
  var waiting: [(request: RequestID, awaited: Awaited)] = []
  /// Whether the application shows a failure itself; known once the application has begun.
  var showsFailure = false
  /// The only valid ticket.
  var ticket: Identifier
  /// Whether a launch message was sent; and the process at the door to which the last one went.
  var wasLaunched = false
  var taker: SessionID?
  /// The session that has begun the continuation.
  var session: SessionID?
  /// The Begin call, and the Claim call, that have not been replied to.
  var pendingBegin: RequestID?
  var pendingClaim: RequestID?
  /// The fetch that is under way.
  var fetch: FetchID?
  /// The snapshot's revision.
  var revision: UInt64?
  /// When the continuation fails unless it has ended before, and until when it waits for the origin.
  var deadline: Instant
  var fetchUntil: Instant
  /// How the continuation's time was spent.
  var times: ContinuationTimes
  /// The size of userInfo in bytes, once it has arrived.
  var size: Int?
  /// The position in the order of choosing.
  var number = 0

  init(
    id: Identifier, ticket: Identifier, offer: Offer, source: OfferSource, application: InstalledApplication?,
    activationToken: String?, times: Times, at moment: Moment
  ) {
    self.id = id
    self.ticket = ticket
    self.offer = offer
    self.source = source
    self.application = application
    self.activationToken = activationToken
    machine = Self.machine(source, application)
    deadline = moment.instant + times.ticket
    fetchUntil = moment.instant + times.fetch
    self.times = ContinuationTimes(chosen: moment.microseconds)
  }

  /// A continuation that an earlier daemon had under way.
  init(
    _ record: ContinuationJournal.Running, ticket: Identifier, application: InstalledApplication?, at moment: Moment
  ) {
    id = record.id
    self.ticket = ticket
    offer = record.offer
    source = record.source
    self.application = application
    activationToken = nil
    machine = Self.machine(record.source, application)
    deadline = record.until
    // If a delivered continuation has to be fetched again after all, it has the whole time for that.
    fetchUntil = record.isDelivered ? record.until : record.fetchUntil
    revision = record.revision
    times = ContinuationTimes(chosen: moment.microseconds)
  }

  private static func machine(_ source: OfferSource, _ application: InstalledApplication?) -> ContinuationMachine {
    if case .link = source { return ContinuationMachine(.link) }
    return ContinuationMachine(application == nil ? .page : .activity)
  }

  /// The name of the application that takes the activity over, for a person.
  var takerName: String { application?.name ?? Notice.Application.browser.name }

  /// The taking application's version of the activity's type; 0 if it states none.
  var version: UInt64 { application?.version(of: offer) ?? 0 }

  /// The lowest tier of a process that may claim the continuation.
  var tier: InstalledApplication.Tier { application?.tier ?? .sandbox }

  /// The id of the continued offer. `own`: this device, to which the activity may belong.
  func offerID(own: DeviceID) -> OfferID { OfferID(device: source.device ?? own, activity: offer.id) }

  /// The journal's entry, from which the next daemon resumes the continuation.
  func record(boot: String) -> ContinuationJournal.Running {
    ContinuationJournal.Running(
      id: id, offer: offer, source: source, appID: application?.appID, boot: boot, fetchUntil: fetchUntil,
      until: deadline, revision: revision)
  }

  /// The whole answer has arrived.
  mutating func fetched(_ snapshot: Snapshot, at moment: Moment) {
    fetch = nil
    size = snapshot.userInfo.count
    revision = snapshot.revision
    times.end(.fetch, at: moment.microseconds)
    if let time = snapshot.saveTime { times.saved(in: time) }
  }

  /// Records which phases an effect begins and ends (semantics X4).
  mutating func note(_ effect: ContinuationMachine.Effect, at moment: Moment) {
    let now = moment.microseconds
    switch effect {
    case .fetch: times.begin(.fetch, at: now)
    case .launch:
      times.end(.choose, at: now)
      times.begin(.launch, at: now)
    case .acceptBegin:
      times.end(.launch, at: now)
      times.begin(.claim, at: now)
    case .localize: times.begin(.files, at: now)
    case .answerClaim:
      times.end(.files, at: now)
      times.end(.claim, at: now)
      times.begin(.restore, at: now)
    case .failClaim: times.end(.claim, at: now)
    default: break
    }
  }
}

/// A continuation that has ended, with how its time was spent (semantics X4).
public struct EndedContinuation: Sendable {
  public let id: Identifier
  public let offer: Offer
  /// The name of the application that took the activity over, or should have.
  public let takerName: String
  public let deviceName: String
  public let times: ContinuationTimes
  public let size: Int?
  public let error: SegueError?
}
