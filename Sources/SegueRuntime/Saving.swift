import SegueBus
import SegueClient
import SegueCore

// Snapshots: the requests for them, the round of callbacks before one, and its content.

extension Activity {
  /// A request for a snapshot, by its source.
  enum SaveRequest: Equatable, Sendable {
    /// The daemon; the number finds its call.
    case fetch(UInt64, DoorSaveRequest)
    /// The first offer (semantics S8 b).
    case offer
  }

  /// Why the save callbacks run. The numbers are those of C.
  public enum SaveReason: Int32, Sendable {
    case none = 0
    case offer, request, snapshot, search, restoration
  }
}

/// The requests that wait for a snapshot, and the rounds of callbacks before one: a part of the application.
final class Saving {
  typealias Answer = (Result<BusDictionary, SegueError>) -> Void

  private unowned(unsafe) let application: Application
  /// The daemon's requests that are not answered, by number.
  private var calls: [UInt64: Answer] = [:]
  private var callCount: UInt64 = 0
  /// The activity types for which the log has a warning about userInfo's size.
  private var warned = Set<ActivityType>()

  init(_ application: Application) { self.application = application }

  /// Answers the daemon's request for a snapshot (semantics S11). `answer` is called once.
  func save(_ id: Identifier, _ request: DoorSaveRequest, _ answer: @escaping Answer) {
    guard let activity = application.offering.activity(id) else { return answer(.failure(gone(request))) }
    if request.purpose == .continuation, let error = objection(of: activity, to: request.version) {
      return answer(.failure(error))
    }
    // The callback may have ended the activity.
    guard application.offering.has(activity) else { return answer(.failure(gone(request))) }
    callCount &+= 1
    calls[callCount] = answer
    run(activity, .requested(.fetch(callCount, request)))
  }

  /// Called when the application closes: fails the requests that wait.
  func close(_ error: SegueError) {
    let abandoned = calls.values
    calls = [:]
    for answer in abandoned { answer(.failure(error)) }
  }

  private func gone(_ request: DoorSaveRequest) -> SegueError {
    SegueError(.notFound, "\(place(of: request)) has ended this activity.", advice: Self.adviceForEnded)
  }

  /// This application, in a sentence for the user who continues the activity.
  private func place(of request: DoorSaveRequest) -> String {
    "\(application.appID.string) on \(request.staysHere ? "this" : "the other") device"
  }

  private static let adviceForEnded = "Open it there again, or continue something else."

  /// The application's refusal to hand an activity to a version of itself (semantics X8); version 0: none is stated.
  private func objection(of activity: Activity, to version: UInt64) -> SegueError? {
    guard let verdict = activity.delegate.checkVersion?(activity, version), verdict != .agrees else { return nil }
    let type = activity.type.string
    let other = version == 0 ? "a version of it that states no number" : "version \(version) of it"
    if verdict == .mismatch {
      return SegueError(
        .versionMismatch, "The application's version of \(type) does not fit \(other) on the other device.",
        advice: "Update the application on the device where it is older, then continue again.")
    }
    return SegueError(
      .accessDenied, "The application does not hand \(type) over to \(other) on the other device.",
      advice: "Continue with another version of the application.")
  }

  func run(_ activity: Activity, _ event: SaveMachine<Activity.SaveRequest>.Event) {
    let effects = activity.update { content in
      let effects = content.saving.handle(event)
      if case .requested(let request) = event, effects.contains(.runRound) {
        content.history.roundBegan()
        content.saveReason = request.reason
      } else if case .roundEnded = event {
        content.history.roundEnded()
        content.saveReason = .none
      }
      return effects
    }
    for effect in effects {
      switch effect {
      case .runRound:
        let start = Instant.now
        callSavers(of: activity)
        warnOfTime(of: activity.type, Instant.now.time(since: start))
        run(activity, .roundEnded)
      case .answer(let requests):
        answer(requests, of: activity)
      }
    }
  }

  /// Runs one round (semantics S10): the responders in order, the application's delegate, the activity's delegate last.
  /// It stops if one of them ends the activity or the application.
  private func callSavers(of activity: Activity) {
    let responders = activity.responders
    // Responders make their parts of userInfo anew (semantics R2).
    if !responders.isEmpty {
      activity.update {
        $0.attributes.userInfo = [:]
        $0.deviceKeys = Set()
      }
    }
    let isGoing = { [application] in application.offering.has(activity) }
    for responder in responders where isGoing() && responder.isHeld && responder.userActivity === activity {
      responder.update(activity)
    }
    if isGoing() { application.delegate.didUpdate?(application, activity) }
    if isGoing() { activity.delegate.willSave?(activity) }
  }

  private func answer(_ requests: [Activity.SaveRequest], of activity: Activity) {
    var calls: [(request: DoorSaveRequest, answer: Answer)] = []
    for case .fetch(let number, let request) in requests {
      if let answer = self.calls.removeValue(forKey: number) { calls.append((request, answer)) }
    }
    guard !calls.isEmpty else { return }
    guard !activity.isInvalid, !activity.hasExpired else {
      for call in calls { call.answer(.failure(cannotBeSent(activity, for: call.request))) }
      return
    }
    // The commit point (semantics S4): all requests get the same state.
    let (before, taken) = activity.update { content in
      let before = content.history
      content.history.snapshotTaken()
      return (before, content)
    }
    var isSent = false
    for call in calls {
      do throws(SegueError) {
        let (snapshot, entries, userInfo) = try activity.snapshot(of: taken, for: call.request)
        warnOfSize(of: activity.type, userInfo)
        if call.request.purpose == .continuation, !call.request.isLocal { activity.noteGiven(entries) }
        call.answer(.success(try DoorSnapshot.encode(snapshot)))
        isSent = true
      } catch {
        application.log(error.message)
        call.answer(.failure(error))
      }
    }
    if isSent {
      application.offering.noteSaved(activity, taken.history.revision)
    } else {
      activity.update { $0.history.snapshotFailed(before) }
    }
    application.offering.mayHaveChanged()
  }

  /// The error where no snapshot can leave, although one could when it was requested.
  private func cannotBeSent(_ activity: Activity, for request: DoorSaveRequest) -> SegueError {
    activity.isInvalid
      ? SegueError(
        .invalidated, "\(place(of: request)) has ended this activity while it saved it.", advice: Self.adviceForEnded)
      : SegueError(.handoffFailed, "The activity has expired.", advice: Self.adviceForEnded)
  }

  /// Warns of a slow round: the application does nothing else meanwhile, and the continuing side waits.
  private func warnOfTime(of type: ActivityType, _ time: UInt64) {
    guard time > Limits.saveAdvised else { return }
    application.log(
      "saving \(type.string) took \(time) ms in the callbacks of the application. After \(Limits.saveTime) ms nobody "
        + "waits for it: keep the state up to date as it changes, and do there only what is left.")
  }

  /// Warns of a large userInfo, once per type (semantics E4).
  private func warnOfSize(of type: ActivityType, _ userInfo: CBOR.Encoded) {
    guard userInfo.bytes.count > Limits.userInfoAdvised, !warned.contains(type) else { return }
    warned.insert(type)
    application.log(
      "userInfo of \(type.string) takes \(userInfo.bytes.count) bytes\(userInfo.largestInSentence). "
        + "Over \(Limits.userInfoAdvised) continuing becomes slow: keep in it what is needed to find the state again.")
  }
}

extension Activity {
  /// A snapshot, with the encoded userInfo for its size.
  fileprivate func snapshot(
    of content: Content, for request: DoorSaveRequest
  ) throws(SegueError) -> (Snapshot, entries: [Value: Value], CBOR.Encoded) {
    let attributes = content.attributes
    var entries = request.purpose == .search ? attributes.userInfoToStore : attributes.userInfo
    // Copies for search and restoration stay on this device; a snapshot may go to any.
    if request.staysHere {
      DeviceKeys.add(content.deviceKeys, to: &entries)
    } else {
      for key in content.deviceKeys { entries[key] = nil }
    }
    let userInfo = try UserInfo.encode(entries)
    let snapshot = Snapshot(
      id: id, revision: content.history.revision, type: type, title: attributes.title,
      webpageURL: attributes.webpageURL, targetContentIdentifier: attributes.targetContentIdentifier,
      userInfo: userInfo.bytes, persistentIdentifier: attributes.persistentIdentifier, keywords: attributes.keywords)
    return (snapshot, entries, userInfo)
  }
}

extension Activity {
  /// A device that has this state may ask for the files that it names.
  fileprivate func noteGiven(_ userInfo: [Value: Value]) {
    let files = attributes.allowsFiles ? Value.dictionary(userInfo).fileURLs : []
    update { $0.givenFiles = files }
  }
}

extension Activity.SaveRequest {
  fileprivate var reason: Activity.SaveReason {
    switch self {
    case .offer: .offer
    case .fetch(_, let request):
      switch request.purpose {
      case .continuation: .request
      case .snapshot: .snapshot
      case .search: .search
      case .restoration: .restoration
      }
    }
  }
}
