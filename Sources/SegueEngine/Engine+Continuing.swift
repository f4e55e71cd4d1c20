import SegueCore

// The continuing side: carries out the decisions of ContinuationMachine, and records in the journal what must survive a
// restart.

extension Engine {
  mutating func handle(_ event: ContinuationMachine.Event, _ id: Identifier) {
    let effects = continuations.handle(event, id)
    for effect in effects { note(effect, id) }
    for effect in effects { perform(effect, id) }
  }

  /// Records in the journal what must be on disk before the effect is seen outside.
  private mutating func note(_ effect: ContinuationMachine.Effect, _ id: Identifier) {
    guard let continuation = continuations[id] else { return }
    switch effect {
    case .launch: journal.note(continuation.record(boot: settings.boot))
    case .fetch where continuation.application == nil: journal.note(continuation.record(boot: settings.boot))
    case .openBrowser where continuation.application != nil:
      // The application did not take the activity: the next daemon would ask only for the page.
      var page = continuation.record(boot: settings.boot)
      page.appID = nil
      page.fetchUntil = turn.now + settings.times.fetch
      page.until = turn.now + settings.times.finish
      journal.note(page)
    case .answerClaim: noteDelivered(continuation)
    case .tellOrigin(let inBrowser):
      let offer = continuation.offer
      let notice = ContinuedNotice(
        continuation: id, activity: offer.id, appID: offer.appID, inBrowser: inBrowser)
      if continuation.source == .here {
        journal.give(
          ContinuationJournal.Given(device: nil, continuation: id, activity: offer.id, appID: offer.appID))
        if journal.receive(notice, from: nil) { recording.caused(by: nil, &deadlines, at: turn.now) }
      } else if let device = continuation.source.device, devices.isPaired(device) {
        journal.tell(device, notice)
      }
    case .ended(let error, _):
      journal.end(id)
      // From now on the offer is hidden until it changes (semantics V15).
      if error == nil, !continuation.isLink, let revision = continuation.revision {
        journal.take(continuation.offer.id, of: continuation.source.device, revision: revision)
      }
    default: break
    }
  }

  /// The application's time to restore begins now.
  private mutating func noteDelivered(_ continuation: RunningContinuation) {
    var delivered = continuation.record(boot: settings.boot)
    delivered.isDelivered = true
    delivered.until = turn.now + settings.times.finish
    journal.note(delivered)
  }

  private mutating func perform(_ effect: ContinuationMachine.Effect, _ id: Identifier) {
    guard let continuation = continuations[id] else { return }
    let moment = turn.moment
    continuations.change(id) { $0.note(effect, at: moment) }
    switch effect {
    case .fetch: fetch(continuation)
    case .cancelFetch: cancelFetch(continuation)
    case .localize(let snapshot): turn.emit(.localize(continuation: id, snapshot))
    case .cancelLocalize: turn.emit(.cancelLocalize(continuation: id))
    case .launch: launch(continuation, startsIt: true)
    case .reach: launch(continuation, startsIt: false)
    case .showWaiting: progress(id, .waiting)
    case .acceptBegin: acceptBegin(continuation)
    case .refuseBegin(let error): answerBegin(id, .failed(error))
    case .answerClaim(let snapshot):
      claimed(continuation, snapshot.filesHere)
      answerClaim(id, .claimed(snapshot))
    case .failClaim(let error), .refuseClaim(let error): answerClaim(id, .failed(error))
    case .start(let timer): start(timer, continuation)
    case .stop(let timer): deadlines.cancel(.continuation(id, timer))
    case .showNotResponding:
      progress(id, .notResponding)
      turn.post(.notice(.notResponding(offered(continuation), continuation: id)))
    case .openBrowser(let page): open(page, of: continuation)
    case .tellOrigin(let inBrowser):
      if continuation.source == .here {
        let notice = ContinuedNotice(
          continuation: id, activity: continuation.offer.id, appID: continuation.offer.appID, inBrowser: inBrowser)
        turn.post(.tellApplication(ContinuationJournal.Pending(device: nil, notice: notice)))
      } else if let device = continuation.source.device {
        turn.post(.tellDevice(device))
      }
    case .ended(let error, let toldByApplication): ended(continuation, error, toldByApplication)
    }
  }

  private mutating func progress(_ id: Identifier, _ state: ContinuationState) {
    turn.emit(.signal(.continuationChanged(id, state)))
  }

  /// The name of the device that the continuation comes from.
  func originName(of continuation: RunningContinuation) -> String { devices.name(of: continuation.source.device) }

  private mutating func start(_ timer: ContinuationMachine.Timer, _ continuation: RunningContinuation) {
    let times = settings.times
    let time =
      switch timer {
      // The time is at least a millisecond, so that a time that is already over also ends by the timer.
      case .fetch: min(times.fetch, max(turn.now.time(until: continuation.fetchUntil), 1))
      case .launch: times.launch
      case .notResponding: times.notResponding
      case .claim: times.claim
      case .finish: times.finish
      }
    deadlines.set(.continuation(continuation.id, timer), at: turn.now + time)
  }

  /// An application's time to restore is over. If the deadline is handled late, the machine slept or this process was
  /// stopped, and the application most likely with it. The application has the state that it restores, so its time
  /// begins anew, and its result counts.
  mutating func finishTimeIsOver(_ id: Identifier, since time: Instant) {
    guard time.time(until: turn.now) > Limits.lateTime, let continuation = continuations[id] else {
      let plugin = continuations[id]?.session.flatMap { sessions[$0]?.plugin }
      return turn.post(.continuation(id, plugin.map { .pluginHangs($0) } ?? .expired(.finish)))
    }
    noteDelivered(continuation)
    start(.finish, continuation)
  }

  // MARK: The application

  private mutating func launch(_ continuation: RunningContinuation, startsIt: Bool) {
    guard let application = continuation.application else { return }
    // Only the first launch message goes to a process at the door: where that does not take it, the bus knows better.
    let taker = continuation.wasLaunched || !startsIt ? nil : taker(of: continuation)
    let ticket = settings.makeIdentifier()
    continuations.change(continuation.id) {
      $0.ticket = ticket
      $0.wasLaunched = true
      $0.taker = taker?.session
    }
    turn.emit(
      .launch(
        Effect.Launch(
          continuation: continuation.id, ticket: ticket, application: application,
          type: continuation.offer.type, activationToken: continuation.activationToken, startsIt: startsIt,
          taker: taker)))
    // The signal follows the launch message, so that the application does not wait for it.
    progress(continuation.id, .launching)
  }

  private func taker(of continuation: RunningContinuation) -> Effect.Launch.Taker? {
    guard let application = continuation.application,
      let session = sessions.taker(of: application.appID, continuation.tier)
    else { return nil }
    return Effect.Launch.Taker(session: session, begin: begin(of: continuation))
  }

  /// The application is told this of the continuation before it claims it.
  private func begin(of continuation: RunningContinuation) -> DoorBegin {
    let offer = continuation.offer
    return DoorBegin(
      continuation: continuation.id, type: offer.type, title: offer.title ?? continuation.takerName,
      deviceName: originName(of: continuation), timeLeft: turn.now.time(until: continuation.deadline),
      isStored: offer.isSnapshot, storedAge: age(of: continuation.source))
  }

  private mutating func acceptBegin(_ continuation: RunningContinuation) {
    // The application has received the state from an earlier daemon.
    if journal.running.contains(where: { $0.id == continuation.id && $0.isDelivered }) { claimed(continuation) }
    answerBegin(continuation.id, .begun(begin(of: continuation)))
    progress(continuation.id, .begun)
    for waiting in continuation.waiting where waiting.awaited == .begun {
      turn.emit(.reply(waiting.request, .continuation(continuation.id)))
    }
    continuations.change(continuation.id) { $0.waiting.removeAll { $0.awaited == .begun } }
  }

  private mutating func answerBegin(_ id: Identifier, _ reply: Effect.Reply) {
    guard let request = continuations[id]?.pendingBegin else { return }
    continuations.change(id) { $0.pendingBegin = nil }
    turn.emit(.reply(request, reply))
  }

  private mutating func answerClaim(_ id: Identifier, _ reply: Effect.Reply) {
    guard let request = continuations[id]?.pendingClaim else { return }
    continuations.change(id) { $0.pendingClaim = nil }
    turn.emit(.reply(request, reply))
  }

  // MARK: The state

  private mutating func fetch(_ continuation: RunningContinuation) {
    switch continuation.source {
    case .here: fetchHere(continuation)
    case .link(let url): fetched(continuation.id, .snapshot(WebLink(url).snapshot(of: continuation.offer)))
    case .kept(let key): copies.ask(.snapshot(key), for: .fetch(key, continuation: continuation.id), &turn)
    case .device(let device):
      // The device may have been removed while no daemon ran, or before its continuation was resumed (semantics V14).
      guard devices.isPaired(device) else {
        return turn.post(.continuation(continuation.id, .originGone(Self.removed)))
      }
      guard devices.isOnline(device) else {
        return turn.post(.continuation(continuation.id, .unreachable(unreachable(device))))
      }
      let request = FetchRequest(
        continuation: continuation.id, activity: continuation.offer.id,
        // If a browser continues the activity, it gets the state that the user would see in the offering application
        // itself.
        appID: continuation.application?.appID ?? continuation.offer.appID, version: continuation.version)
      let fetch = fetches.begin(.continuation(continuation.id))
      continuations.change(continuation.id) { $0.fetch = fetch }
      turn.emit(.fetch(fetch, request, from: device))
    }
  }

  func unreachable(_ device: DeviceID) -> SegueError {
    SegueError(
      .connectionUnavailable, "\(devices.quotedName(of: device)) cannot be reached.",
      advice: "Check that it is on and in the same network.")
  }

  private mutating func cancelFetch(_ continuation: RunningContinuation) {
    if continuation.source == .here { return turn.post(.save(.abandoned(.continuation(continuation.id)))) }
    guard let fetch = continuation.fetch else { return }
    _ = fetches.end(fetch)
    continuations.change(continuation.id) { $0.fetch = nil }
    turn.emit(.cancelFetch(fetch))
  }

  mutating func fetchAnswered(_ id: FetchID, _ answer: FetchAnswer) {
    switch fetches.end(id) {
    case .continuation(let continuation)?: fetched(continuation, answer)
    case .keeping(let item)?: kept(item, answer)
    case nil: break
    }
  }

  mutating func fetchLost(_ id: FetchID, withLink: Bool) {
    // If the link was lost, the next link may bring the answer. If the other device ended the channel alone, the fetch
    // has failed, whatever that device reported as the reason.
    let lost =
      withLink
      ? SegueError(
        .connectionUnavailable, "The connection to the other device was lost while the activity was on its way.",
        advice: "Check that it is on and in reach, then continue again.")
      : SegueError(.handoffFailed)
    switch fetches.end(id) {
    case .continuation(let continuation)?:
      continuations.change(continuation) { $0.fetch = nil }
      turn.post(.continuation(continuation, withLink ? .unreachable(lost) : .fetchFailed(lost)))
    case .keeping(let item)?: keep(copies.interrupted(item, &deadlines, &turn))
    case nil: break
    }
  }

  /// An application of this device has answered. Its answer is checked in the same way as another device's.
  mutating func fetchedHere(_ id: Identifier, _ answer: FetchAnswer) {
    guard case .snapshot(let snapshot) = answer else { return fetched(id, answer) }
    do throws(SegueError) {
      fetched(id, .snapshot(try snapshot.received()))
    } catch {
      fetched(id, .failure(error))
    }
  }

  mutating func fetched(_ id: Identifier, _ answer: FetchAnswer) {
    guard let continuation = continuations[id] else { return }
    switch answer {
    case .snapshot(let snapshot):
      guard snapshot.id == continuation.offer.id, snapshot.type == continuation.offer.type else {
        let error = SegueError(.protocolViolation, "The other device sent another activity.")
        return turn.post(.continuation(id, .fetchFailed(error)))
      }
      // The user has chosen a browser's page by its host, whichever application opens it (attack 29). If no host was
      // shown, no page is accepted.
      guard snapshot.type != .browsingWeb || snapshot.page?.authority == continuation.offer.webHost else {
        continuations.change(id) { $0.fetch = nil }
        return turn.post(.continuation(id, .fetchFailed(Self.otherHost)))
      }
      var snapshot = snapshot
      if continuation.isByDomain {
        // The browser's own state is not meant for the application (semantics W3). This is an empty dictionary in CBOR:
        snapshot.userInfo = [0xA0]
        snapshot.files = []
      }
      snapshot.judgeDocument(isOfThisDevice: continuation.source.device == nil)
      let moment = turn.moment
      continuations.change(id) { $0.fetched(snapshot, at: moment) }
      turn.post(.continuation(id, .fetched(snapshot)))
    case .failure(let error):
      continuations.change(id) { $0.fetch = nil }
      // Only this device's user can cancel. Otherwise another device could keep a failure from being shown.
      let isCancelled = error.code == .userCancelled
      turn.post(
        .continuation(
          id,
          .fetchFailed(isCancelled ? SegueError(.handoffFailed, error.message, advice: error.advice) : error)))
    }
  }

  private static let otherHost = SegueError(
    .protocolViolation, "The web page is not on the host that the offer named.",
    advice: "Look at the offer again, and continue it if you want that page.")

  /// Opens the page in a browser, if it is on the host that the user was shown (attack 29).
  private mutating func open(_ page: WebURL, of continuation: RunningContinuation) {
    guard page.authority == continuation.offer.webHost else {
      let error = SegueError(
        .notHandled, "The web page is on \(page.host), which the offer did not name.",
        advice: "Look at the offer again, and continue it if you want that page.")
      return turn.post(.continuation(continuation.id, .noBrowser(error)))
    }
    turn.emit(.openBrowser(continuation: continuation.id, page))
  }

  // MARK: The end

  private mutating func ended(
    _ continuation: RunningContinuation, _ error: SegueError?, _ toldByApplication: Bool
  ) {
    let id = continuation.id
    turn.withdrawLaunch(of: id)
    if let error { answerClaim(id, .failed(error)) }
    continuations.end(id, error, deviceName: originName(of: continuation))
    for waiting in continuation.waiting {
      turn.emit(.reply(waiting.request, error.map { .failed($0) } ?? .continuation(id)))
    }
    if error == nil { turn.hasChangedOffers = true }
    progress(id, error == nil ? .continued : .failed)
    let shownByApplication = toldByApplication && continuation.showsFailure
    turn.post(
      .notice(
        .ended(offered(continuation), continuation: id, error, shownByApplication: shownByApplication)))
    if let error, !toldByApplication, error.code != .userCancelled {
      turn.log(.notice, "\(continuation.takerName): \(error.message)", cause: "continuation")
    }
  }

  // MARK: After a restart

  /// Goes on with the continuations of the last daemon. The choices that were made since the start run already.
  mutating func resumeContinuations() {
    for record in journal.running where continuations[record.id] == nil {
      let application = record.appID.flatMap { catalog.application($0) }
      if let appID = record.appID, application == nil {
        turn.log(
          .notice, "a continuation in \(appID.string) cannot go on after a restart", cause: "journal")
        journal.end(record.id)
        continue
      }
      continuations.add(
        RunningContinuation(
          record, ticket: settings.makeIdentifier(), application: application, at: turn.moment))
      turn.post(.continuation(record.id, .resumed(resumption(of: record))))
    }
  }

  private func resumption(of record: ContinuationJournal.Running) -> ContinuationMachine.Resumption {
    guard record.boot == settings.boot else {
      return .expired(SegueError(.handoffFailed, "This device was restarted.", advice: "Continue again."))
    }
    if record.isDelivered, turn.now < record.until { return .delivered }
    if !record.isDelivered, turn.now < min(record.fetchUntil, record.until) { return .undelivered }
    return .expired(
      SegueError(
        .connectionUnavailable, "Segue was restarted, and the activity did not arrive in time.",
        advice: "Continue again."))
  }
}
