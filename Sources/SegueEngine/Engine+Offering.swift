import SegueCore

// The origin's side: the offers that other devices are sent, and the activities that they fetch.

extension Engine {
  // MARK: Announcing

  /// This device's offers have changed, or one of them may have expired.
  mutating func offersHereChanged() {
    let now = turn.now
    let next = origin.change { $0.expire(now: now) }
    deadlines.set(.offersHere, at: next.map { $0 + 1 })
    forgetEndedCopies()
    let entries = origin.local.entries
    directed.keep { entries[$0] != nil }
    announce(.changed)
  }

  mutating func announce(_ event: Announcer.Event) {
    guard origin.announces(event, &deadlines, at: turn.now) else { return }
    for device in devices.onlineInOrder { sendOffers(to: device) }
  }

  /// Sends the whole list of offers, which replaces the list that the device was sent before.
  mutating func sendOffers(to device: DeviceID) {
    let offers = announcedOffers(to: device)
    turn.emit(
      .send(.offers(sequence: origin.nextSequence(), offers, takes: Proposal.Kind.allCases), to: device))
  }

  /// The offers that a device is sent (semantics V17).
  func announcedOffers(to device: DeviceID) -> [Offer] {
    ownOffers(at: turn.moment).filter { refusal(of: $0.id, of: $0.appID, to: device) == nil }.map { offer in
      var offer = offer
      if !settings.policy.sharesSnapshots { offer.mayBeKept = false }
      if let from = offer.continuedFrom, !wasTaken(from, of: device) { offer.continuedFrom = nil }
      return offer
    }
  }

  /// Why the activity does not go to the device; nil if it may.
  func refusal(of activity: Identifier, of application: AppID, to device: DeviceID) -> LocalVerdict? {
    if let refusal = sharing.refusal(of: application, to: device) { return refusal }
    return application.isDirected && !directed.has(activity, for: device) ? .notSentThere : nil
  }

  /// Whether the activity in that state was taken from the device, or is being taken. Another device may have an
  /// activity with this id too, which is a different one (semantics C16).
  private func wasTaken(_ activity: ActivityReference, of device: DeviceID) -> Bool {
    journal.wasTaken(activity, of: device)
      || continuations.inOrder.contains {
        $0.offer.id == activity.id && $0.source.device == device && $0.revision == activity.revision
      }
  }

  // MARK: Fetches

  /// Another device fetches an activity. Each fetch checks that the device is paired, since one that was removed a
  /// moment ago may still have a link.
  mutating func fetchAsked(_ channel: ChannelID, _ device: DeviceID, _ request: FetchRequest) {
    origin.asks(device, for: request, on: channel)
    do throws(SegueError) {
      guard devices.isPaired(device) else { throw Self.notPaired }
      if !request.isForKeeping, origin.mayReturn(request.activity, at: turn.now) {
        origin.await(Origin.ReturningFetch(channel: channel, device: device, request: request))
        deadlines.set(.returns, at: origin.returnEnd)
        return
      }
      guard let entry = origin.local.entries[request.activity], entry.activity.isEligible,
        refusal(of: entry.activity.id, of: entry.appID, to: device) == nil
      else { throw Self.notOffered }
      // The continuing device checks whether the team is genuine (semantics V12). Pages of one browser may be continued
      // in any other (W2), or in an application that their domain names (W3); an open type in any application (O1).
      guard
        request.appID == entry.appID || entry.activity.type == .browsingWeb || entry.activity.type.isOpen
          || catalog.application(entry.appID)?.team != nil
      else {
        throw SegueError(.accessDenied, "Only the same application may continue this activity.")
      }
      if request.isForKeeping {
        try provideForKeeping(entry, to: .channel(channel))
      } else {
        // The device's right to the activity is recorded while the application saves.
        if entry.isConnected { give(entry.activity.id, to: device, request, .asked) }
        try provide(entry, version: request.version, of: device, to: .channel(channel))
      }
    } catch {
      turn.post(.answer(.channel(channel), .failure(error)))
    }
  }

  /// An application of this device continues what another one has on offer (semantics V19).
  mutating func fetchHere(_ continuation: RunningContinuation) {
    if origin.mayReturn(continuation.offer.id, at: turn.now) {
      deadlines.set(.returns, at: origin.returnEnd)
      return turn.post(.continuation(continuation.id, .unreachable(Self.notOffered)))
    }
    let source = FetchSource.continuation(continuation.id)
    do throws(SegueError) {
      guard let entry = origin.local.entries[continuation.offer.id], entry.activity.isEligible else {
        throw Self.notOffered
      }
      try provide(entry, version: continuation.version, of: nil, to: source)
    } catch {
      turn.post(.answer(source, .failure(error)))
    }
  }

  /// The state does not leave this device: only the address of its page is read.
  mutating func providePage(_ entry: LocalOffers.Entry, to request: RequestID) throws(SegueError) {
    try provide(entry, version: 0, of: nil, to: .page(request))
  }

  /// Provides the activity's present state or, if its application has ended, the last snapshot. `device`: the device
  /// that fetches; nil for this one.
  private mutating func provide(
    _ entry: LocalOffers.Entry, version: UInt64, of device: DeviceID?, to source: FetchSource
  ) throws(SegueError) {
    if entry.isConnected {
      let activity = entry.activity.id
      let request = DoorSaveRequest(purpose: .continuation, version: version, isLocal: device == nil)
      let line = device.map { SaveLine(device: $0, activity: activity) }
      turn.post(.save(.fetch(source, activity: SaveKey(activity: activity, request: request), line: line)))
    } else if var snapshot = entry.snapshot {
      snapshot.isStored = true
      snapshot.age = turn.now.time(since: entry.saved)
      turn.post(.answer(source, .snapshot(snapshot)))
    } else if entry.stored != nil {
      try readSnapshot(of: entry.activity.id, for: source)
    } else {
      throw Self.notOffered
    }
  }

  static let notPaired = SegueError(
    .accessDenied, "This device is not paired with the other one any more.")

  static let notOffered = SegueError(
    .handoffFailed, "The activity is not on offer any more.",
    advice: "Check on the other device whether it is still open.")

  // MARK: Saving

  mutating func save(_ event: Saves.Requests.Event) {
    let (local, sessions) = (origin.local, sessions)
    saves.handle(
      event,
      sessionOf: { id in
        guard let session = local.entries[id]?.session, sessions[session] != nil else { return nil }
        return session
      }, &deadlines, &turn)
  }

  /// The application has answered a save, or has failed to.
  mutating func saved(_ id: SaveID, _ session: SessionID, _ result: Result<Snapshot, SegueError>) {
    guard let (key, time) = saves.answered(id, by: session, &deadlines, at: turn.moment) else { return }
    do throws(SegueError) {
      var snapshot = try result.get()
      snapshot.saveTime = time
      // The application may have ended the activity while it saved it (semantics C10).
      guard let entry = origin.local.entries[key.activity] else { throw Self.notOffered }
      guard snapshot.id == key.activity, snapshot.type == entry.activity.type else {
        throw SegueError(.protocolViolation, "The application answered with another activity.")
      }
      let now = turn.now
      let saved = snapshot
      // A state that was saved for another application here may name what other devices must not see, so it is not
      // kept.
      let isForOthers = !key.request.staysHere
      let isOther = origin.change { $0.saved(saved, isWhole: isForOthers, now: now) }
      if key.request.purpose == .continuation { streams.given(key.activity, by: session) }
      turn.post(.save(.saved(snapshot, activity: key)))
      if key.request.purpose == .continuation, isForOthers { storeGiven(snapshot) }
      if isOther { turn.hasChangedOffersHere = true }
    } catch {
      // The application dropped its connection, or ended within a callback. For the waiting device that makes no
      // difference.
      let isGone = error.code == .connectionUnavailable || error.code == .applicationExited
      turn.post(.save(.failed(isGone ? Saves.applicationEnded(in: sessions[session]?.plugin) : error, activity: key)))
    }
  }

  mutating func answer(_ source: FetchSource, _ answer: FetchAnswer) {
    switch source {
    case .channel(let channel):
      // The device no longer waits, or must not get the state since it was unpaired while the state was being saved or
      // read.
      guard let asker = origin.forgetAsker(channel) else { return }
      guard devices.isPaired(asker.device) else { return turn.emit(.answerFetch(channel, .failure(Self.notPaired))) }
      switch answer {
      case .snapshot(let snapshot):
        give(
          snapshot.id, to: asker.device, asker.request, asker.request.isForKeeping ? .kept : .given,
          revision: snapshot.revision)
      case .failure: journal.refuse(asker.device, asker.request.continuation)
      }
      turn.emit(.answerFetch(channel, answer))
    case .continuation(let id): fetchedHere(id, answer)
    case .copy(let activity, let kind): copySaved(activity, kind, answer)
    case .page(let request): pageAnswered(request, answer)
    }
  }

  /// The device gets the activity's state, and with it the right to report that it has continued the activity.
  private mutating func give(
    _ activity: Identifier, to device: DeviceID, _ request: FetchRequest, _ stage: ContinuationJournal.Given.Stage,
    revision: UInt64 = 0
  ) {
    guard let appID = origin.local.entries[activity]?.appID else { return }
    let isWritten = journal.isAsked(device, request.continuation)
    journal.give(
      ContinuationJournal.Given(
        device: device, continuation: request.continuation, activity: activity, appID: appID, stage: stage,
        revision: stage == .kept ? revision : 0))
    if !isWritten { recording.caused(by: device, &deadlines, at: turn.now) }
  }

  // MARK: Applications that come back

  /// An application has come back with this activity: the fetches that waited for it go on.
  mutating func returned(_ activity: Identifier) {
    for fetch in origin.takeReturning(activity) { fetchAsked(fetch.channel, fetch.device, fetch.request) }
    fileOwnersReturned(activity)
    for continuation in continuations.inOrder
    where continuation.source == .here && continuation.offer.id == activity {
      turn.post(.continuation(continuation.id, .linkUp))
    }
  }

  /// The time for coming back is over: the fetches that still wait are answered with the state that there is.
  mutating func applicationsAreBack() {
    for fetch in origin.takeReturning(nil) { fetchAsked(fetch.channel, fetch.device, fetch.request) }
    fileOwnersReturned(nil)
    for continuation in continuations.inOrder where continuation.source == .here {
      turn.post(.continuation(continuation.id, .linkUp))
    }
  }
}
