import SegueCore

/// What who chose an offer waits for. What went wrong before is told to all.
enum Awaited {
  /// The application has begun to continue it, which hears the rest itself.
  case begun
  case ended
}

/// Who chose an offer, and is told how it went.
enum Chooser {
  case request(RequestID, Awaited)
  /// A notification, whose choice is over when something runs: that tells by itself how it goes.
  case notice
}

/// The user's choice of an offer, perhaps of one device, and perhaps for one application.
struct Choice {
  var activity: Identifier
  var device: DeviceID?
  var application: AppID?
  var activationToken: String?
  var chooser: Chooser
}

/// A continuation that runs on this device.
struct RunningContinuation {
  let id: Identifier
  let offer: Offer
  let source: OfferSource
  let application: InstalledApplication
  let activationToken: String?
  var machine = ContinuationMachine()
  /// Everyone who asked for it; each is told what it waits for.
  var waiting: [(request: RequestID, awaited: Awaited)] = []
  /// The application shows a failure itself; known once it has begun.
  var showsFailure = false
  /// The only good ticket.
  var ticket: Identifier
  /// Who has begun it.
  var session: SessionID?
  /// The call that the next effect answers.
  var pendingBegin: RequestID?
  var pendingClaim: RequestID?
  /// The fetch that is under way.
  var fetch: FetchID?
  /// The snapshot's.
  var revision: UInt64?
  /// When it fails at the latest, and until when the origin is waited for.
  var deadline: Instant
  var fetchUntil: Instant
  /// Where its time goes.
  var times: ContinuationTimes
  /// Bytes of userInfo, once it is here.
  var size: Int?
  /// The order in which they were chosen.
  var number = 0

  init(
    id: Identifier, ticket: Identifier, offer: Offer, source: OfferSource, application: InstalledApplication,
    activationToken: String?, times: Times, at moment: Moment
  ) {
    self.id = id
    self.ticket = ticket
    self.offer = offer
    self.source = source
    self.application = application
    self.activationToken = activationToken
    deadline = moment.instant + times.ticket
    fetchUntil = moment.instant + times.fetch
    self.times = ContinuationTimes(chosen: moment.microseconds)
  }

  /// One that a former daemon had under way.
  init(
    _ record: ContinuationJournal.Running, ticket: Identifier, application: InstalledApplication, at moment: Moment
  ) {
    id = record.id
    self.ticket = ticket
    offer = record.offer
    source = record.source
    self.application = application
    activationToken = nil
    deadline = record.until
    // What was delivered once has the time of a new fetch, if it comes to that.
    fetchUntil = record.isDelivered ? record.until : record.fetchUntil
    revision = record.revision
    times = ContinuationTimes(chosen: moment.microseconds)
  }

  /// As the next daemon finds it.
  func record(boot: String) -> ContinuationJournal.Running {
    ContinuationJournal.Running(
      id: id, offer: offer, source: source, appID: application.appID, boot: boot, fetchUntil: fetchUntil,
      until: deadline, revision: revision)
  }

  /// The whole answer is here.
  mutating func fetched(_ snapshot: Snapshot, at moment: Moment) {
    fetch = nil
    size = snapshot.userInfo.count
    revision = snapshot.revision
    times.end(.fetch, at: moment.microseconds)
    if let time = snapshot.saveTime { times.saved(in: time) }
  }

  /// What an effect says of the phases (semantics X4).
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

/// A continuation as it ended, for who wonders where its time went (semantics X4).
public struct EndedContinuation: Sendable {
  public let id: Identifier
  public let offer: Offer
  public let application: InstalledApplication
  public let deviceName: String
  public let times: ContinuationTimes
  public let size: Int?
  public let error: SegueError?
}
