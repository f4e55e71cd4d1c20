import SegueCore

/// The decisions of a device, on the origin's and on the continuing side.
///
/// The engine receives events and returns effects, the actions that are to be carried out. It has no I/O, no clock and
/// no thread. The daemon carries the effects out on real devices, the simulator on virtual ones. Each component owns
/// its state. When a component has work for another, that work waits in a queue until the component has finished, so
/// that no component is re-entered (docs/architecture.md).
public struct Engine {
  let settings: EngineSettings
  var turn: Turn
  var deadlines = Deadlines()
  var devices: Devices
  var catalog = Catalog()
  var sessions = DoorSessions()
  var signals = Signals()
  // The origin's side.
  var origin: Origin
  var saves: Saves
  var copies: Copies
  // The continuing side.
  var remote: RemoteOffers
  var continuations = Continuations()
  var fetches = Fetches()
  var choices = WaitingChoices()
  var notices: Notices
  var streams: Streams
  var files: Files
  var pairing: Pairing
  var addresses = Addresses()
  var introductions = Introductions()
  var outgoing = OutgoingProposals()
  var directed = DirectedOffers()
  var incoming = IncomingProposals()
  var texts = ReceivedTexts()
  var discovery: Discovery
  var associations: Associations
  public internal(set) var sharing: Sharing
  /// The state that outlives the daemon (semantics X9).
  var journal: ContinuationJournal
  var recording: Recording
  var folders: SharedFolders
  var unsolicitedNotices = UnsolicitedNotices()
  /// Whether the screen is locked, as the desktop says: then no surface of it is told what there is.
  private(set) var isLocked = false
  private var wake: Instant?
  private var hasResumed = false
  /// The changes of files and streams that user interfaces were told of.
  private var toldTransfers: (files: UInt64, streams: UInt64) = (0, 0)

  /// `journal`: the journal that an earlier daemon has written.
  public init(_ settings: EngineSettings, journal: ContinuationJournal = ContinuationJournal(), at start: Moment) {
    self.settings = settings
    recording = Recording(journal)
    self.journal = journal
    self.journal.resume()
    turn = Turn(start)
    devices = Devices(settings, start: start.instant)
    origin = Origin(settings, start: start.instant)
    saves = Saves(settings)
    copies = Copies(settings)
    remote = RemoteOffers(graceTime: settings.times.grace, outageTime: settings.times.fetch)
    notices = Notices(perMinute: settings.noticesPerMinute)
    streams = Streams(settings)
    files = Files(settings)
    pairing = Pairing(settings)
    discovery = Discovery(settings)
    associations = Associations(settings)
    sharing = Sharing(settings.policy.sharing)
    folders = SharedFolders(settings.crypto)
    sharing.timeIs(start.seconds)
  }

  /// One turn: handles the event and everything that follows from it inside the engine. The caller carries the effects
  /// out in their order. If an effect leads to an event at once, that event is handled in another turn.
  public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
    turn = Turn(moment)
    turn.post(.event(event))
    repeat {
      while let step = turn.nextStep() { take(step) }
    } while settle()
    finish()
    return turn.effects
  }

  private mutating func take(_ step: Step) {
    switch step {
    case .event(let event): handle(event)
    case .due(let deadline, let time): come(deadline, since: time)
    case .continuation(let id, let event): handle(event, id)
    case .save(let event): save(event)
    case .answer(let source, let answer): self.answer(source, answer)
    case .choose(let choice): choose(choice)
    case .notice(let event): notice(event)
    case .tellApplication(let pending): tellApplication(pending)
    case .tellDevice(let device): tellUntold(device)
    }
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .time: timeCame()
    case .loaded(let copies): restore(copies)
    case .canLaunch:
      guard !hasResumed else { return }
      hasResumed = true
      resumeContinuations()
    case .applications(let index):
      catalog.replace(index)
      associations.claim(index.claimedDomains, &deadlines, &turn)
      catalog.replace(associations.grants)
      turn.hasChangedOffers = true
      turn.hasChangedLinks = true
    case .rules(let rules):
      catalog.replace(rules)
      turn.hasChangedOffers = true
      turn.hasChangedLinks = true
    case .associations(let stored): associations.restore(stored, at: turn.moment)
    case .association(let domain, let answer):
      associations.answered(domain, answer, &deadlines, &turn)
      catalog.replace(associations.grants)
      turn.hasChangedOffers = true
      turn.hasChangedLinks = true
    case .paired(let devices): replacePaired(devices)
    case .learned: turn.hasChangedDevices = true
    case .link(let event): link(event)
    case .door(let session, let event): door(session, event)
    case .control(let request, let call): control(request, call)
    case .stored(let id, let result): stored(id, result)
    case .launchFailed(let ticket, let error, let ownerGone):
      // A report about an earlier ticket no longer matters.
      guard let continuation = continuations.of(ticket: ticket) else { return }
      let isRefused = continuation.taker != nil && !ownerGone
      turn.post(
        .continuation(continuation.id, isRefused ? .notTaken : .launchFailed(error, ownerGone: ownerGone)))
    case .localized(let id, let result):
      switch result {
      case .success(let snapshot): turn.post(.continuation(id, .localized(snapshot)))
      case .failure(let error): turn.post(.continuation(id, .localizeFailed(error)))
      }
    case .browserOpened(let id, let error):
      turn.post(.continuation(id, error.map { .noBrowser($0) } ?? .openedInBrowser))
    case .notice(let event): noticeHappened(event)
    case .picked(let id, let token):
      wait(for: Choice(activity: id.activity, device: id.device, activationToken: token, chooser: .surface))
    case .sendPicked(let device, let activity): send(.activity(activity), to: device, by: nil)
    case .linkNotSent(let error): notice(.linkNotSent(error))
    case .textNotShown(let id, let error): notice(.textNotShown(id, error))
    case .locked(let isLocked):
      guard isLocked != self.isLocked else { return }
      self.isLocked = isLocked
      turn.hasChangedOffers = true
      if !isLocked { showHeld() }
    case .notPinned(let introduction, let error):
      notice(.notPaired(introduction.device, name: introduction.name, error))
    case .addresses(let addresses, let machine): ownAddresses(addresses, machine: machine)
    // After a sleep the network may be another one, and the other devices have waited.
    case .woke:
      turn.emit(.redial)
      reviewPause()
    case .sharing(let choices): sharing { $0.replace(choices) }
    case .network(let network): sharing { $0.isIn(network) }
    case .stream(let event): stream(event)
    case .file(let event): file(event)
    case .folders(let ids): foldersChanged(to: ids)
    case .foundFile(let activity, let file, let place): foundFile(activity, file, place)
    case .pairing(let event): pairing(event)
    case .discovery(let event): discovery.handle(event, &turn)
    }
  }

  private mutating func control(_ request: RequestID, _ call: Event.ControlCall) {
    switch call {
    case .awaitDials:
      choices.addList(request, until: turn.now + settings.times.fetch)
      deadlines.set(.dials, at: devices.dialsEnd)
      deadlines.set(.lists, at: choices.listsUntil)
    case .choose(let id, let device, let application, let token):
      wait(
        for: Choice(
          activity: id, device: device, application: application, activationToken: token,
          chooser: .request(request, .ended)))
    case .openLink(let link, let token, let isInBrowser): open(link, token, isInBrowser: isInBrowser, request)
    case .pairing(let call): pairing(request, call)
    case .introduction(let call): introducing(request, call)
    case .stop(let id): stop(id, request)
    case .cancel(let id): cancel(id, request)
    case .send(let device, let content): send(content, to: device, by: request)
    case .page(let activity): page(of: activity, by: request)
    }
  }

  // MARK: Time

  private mutating func timeCame() {
    // The timer outside has fired.
    wake = nil
    turn.isTime = true
  }

  /// The application's callbacks, or its main loop, are busy. This line in the log is the only place where its
  /// developer sees that.
  private mutating func saveExpired(_ id: SaveID) {
    guard let activity = saves.expired(id, &deadlines, &turn), let entry = origin.local.entries[activity] else {
      return
    }
    turn.log(
      .notice,
      "\(entry.appID.string) has not saved \(entry.activity.type.string) within \(settings.times.save) ms: its main loop, or "
        + "a callback of its, is busy", cause: "save")
  }

  private mutating func come(_ deadline: Deadline, since time: Instant) {
    switch deadline {
    case .continuation(let id, .finish): finishTimeIsOver(id, since: time)
    case .continuation(let id, let timer): turn.post(.continuation(id, .expired(timer)))
    case .save(let id): saveExpired(id)
    case .stream(let id): streamExpired(id)
    case .file(let id): fileExpired(id)
    case .announcement: announce(.timer)
    case .signal(let signal): self.signal(signal, .timer)
    case .offersHere: turn.hasChangedOffersHere = true
    case .offersThere: remoteOffersExpire()
    case .snapshots: copies.snapshotsDue(&deadlines, &turn)
    case .keeping(let device): keep(copies.keepingDue(device, &deadlines, &turn))
    case .storedCopies: copies.clear(&turn)
    case .record(let device): recording.timer(device, &deadlines, at: turn.now)
    case .addresses(let device): addresses.timer(device, &deadlines, &turn)
    case .introductions: introductionsExpire()
    case .proposals: outgoing(.time)
    case .texts: textsExpire()
    case .associations: associations.due(&deadlines, &turn)
    case .pairing:
      pairing.expired(&turn)
      deadlines.set(.pairing, at: pairing.until)
    case .dials, .lists, .choice, .discovery: break  // What waits is looked at when the turn ends.
    case .returns: applicationsAreBack()
    case .pause: reviewPause()
    }
  }

  // MARK: The end of a turn

  /// Does what follows from all changes of the turn. Returns whether there is more to do.
  private mutating func settle() -> Bool {
    if turn.hasChangedOffersHere {
      turn.hasChangedOffersHere = false
      turn.hasChangedOffers = true
      offersHereChanged()
    }
    answerWaiting()
    // One deadline at a time, since the work of one may cancel the next.
    if !turn.hasSteps, turn.isTime, let due = deadlines.takeDue(at: turn.now) {
      turn.post(.due(due.deadline, since: due.time))
    }
    return turn.hasSteps || turn.hasChangedOffersHere
  }

  private mutating func finish() {
    settleDiscovery()
    if turn.hasChangedCopies {
      turn.hasChangedOffers = turn.hasChangedOffers || !copies.ofOthers.isEmpty
      deadlines.set(.storedCopies, at: copies.nextExpiry(at: turn.moment))
      signal(.storedChanged, .changed)
    }
    if turn.hasChangedOffers {
      signal(.offersChanged, .changed)
      noticeOffers()
    }
    if turn.hasChangedDevices { signal(.devicesChanged, .changed) }
    if turn.hasChangedLinks { signal(.linksChanged, .changed) }
    if (files.changes, streams.changes) != toldTransfers {
      toldTransfers = (files.changes, streams.changes)
      signal(.transfersChanged, .changed)
    }
    if recording.takes(journal) { turn.emitRecord(journal) }
    if deadlines.next != wake {
      wake = deadlines.next
      turn.emit(.wake(wake))
    }
  }

  mutating func signal(_ signal: Effect.Signal, _ event: Announcer.Event) {
    let isSent = signals.handle(signal, event, &deadlines, &turn)
    // The name of an offer's device may have changed.
    if isSent, signal == .offersChanged || signal == .devicesChanged { tellFollowers() }
  }
}
