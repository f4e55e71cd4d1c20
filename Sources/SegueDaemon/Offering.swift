import SegueBus
import SegueCore
import SegueLink

// The origin's side: what other devices are told, and what they fetch.

/// Who fetches: a channel of a device, a continuation on this one, or the store.
enum FetchSource: Equatable, Sendable {
  case channel(ChannelID)
  case continuation(Identifier)
  /// A copy of the activity is due (semantics C5, X7).
  case copy(Identifier, StoredCopy.Kind)
}

/// What an application is asked to save: only who wants the same shares a save.
struct SaveKey: Hashable, Sendable {
  var activity: Identifier
  var request: DoorSaveRequest
}

extension Daemon {
  // MARK: Announcing

  func localOffersChanged() {
    offersChanged()
    announce(.changed)
    localOffersExpire()
    goOnWaiting()
  }

  private func localOffersExpire() {
    let before = local.offers
    graceTimer?.cancel()
    graceTimer = local.expire(now: Instant.now).map { time in
      loop.timer(at: time + 1) { [self] in localOffersExpire() }
    }
    forgetEndedCopies()
    guard local.offers != before else { return }
    offersChanged()
    announce(.changed)
  }

  private func announce(_ event: Announcer.Event) {
    for effect in announcer.handle(event, now: Instant.now) {
      switch effect {
      case .announce: for device in link.online.keys { sendOffers(to: device) }
      case .wake(let time): loop.timer(at: time) { [self] in announce(.timer) }
      }
    }
  }

  /// Everything that is on offer, in place of what was said before.
  func sendOffers(to device: DeviceID) {
    announcementSequence += 1
    link.send(.offers(sequence: announcementSequence, announcedOffers), to: device)
  }

  /// What other devices hear of (semantics V17).
  private var announcedOffers: [Offer] {
    ownOffers.filter { !settings.policy.withheld.contains($0.appID) }.map { offer in
      var offer = offer
      if !settings.policy.sharesSnapshots { offer.mayBeKept = false }
      return offer
    }
  }

  // MARK: Fetches

  func fetchAsked(_ channel: ChannelID, _ request: FetchRequest) {
    do throws(SegueError) {
      guard let entry = local.entries[request.activity], entry.activity.isEligible,
        !settings.policy.withheld.contains(entry.appID)
      else { throw Self.notOffered }
      // Whether the team is a good one is the continuing device's to judge (semantics V12).
      guard request.appID == entry.appID || registry.application(entry.appID)?.team != nil else {
        throw SegueError(.accessDenied, "Only the same application may continue this activity.")
      }
      if request.isForKeeping {
        answer(channel, .snapshot(try snapshotForKeeping(entry)))
      } else {
        try provide(entry, version: request.version, isLocal: false, to: .channel(channel))
      }
    } catch {
      answer(channel, .failure(error))
    }
  }

  /// An application of this device continues what another one has on offer (semantics V19).
  func fetchHere(_ continuation: RunningContinuation) {
    guard !waitsForReturn(continuation) else { return }
    let source = FetchSource.continuation(continuation.id)
    do throws(SegueError) {
      guard let entry = local.entries[continuation.offer.id], entry.activity.isEligible else { throw Self.notOffered }
      try provide(
        entry, version: continuation.application.version(of: continuation.offer), isLocal: true, to: source)
    } catch {
      answer(source, .failure(error))
    }
  }

  /// The state as it is now, or the last that there is of an application that has gone.
  private func provide(
    _ entry: LocalOffers.Entry, version: UInt64, isLocal: Bool, to source: FetchSource
  ) throws(SegueError) {
    if entry.isConnected {
      let request = DoorSaveRequest(purpose: .continuation, version: version, isLocal: isLocal)
      save(.fetch(source, activity: SaveKey(activity: entry.activity.id, request: request)))
    } else if let snapshot = lastSnapshot(of: entry) {
      answer(source, .snapshot(snapshot))
    } else {
      throw Self.notOffered
    }
  }

  static let notOffered = SegueError(
    .handoffFailed, "The activity is not on offer any more.",
    advice: "Look on the other device whether it is still open.")

  func fetchAbandoned(_ channel: ChannelID) { save(.abandoned(.channel(channel))) }

  func save(_ event: SaveRequests<FetchSource, SaveKey>.Event) {
    for effect in saves.handle(event) {
      switch effect {
      case .askApplication(let key):
        askApplication(key)
      case .stopTimer(let key):
        endSave(of: key)
      case .answer(let fetches, let snapshot):
        for fetch in fetches { answer(fetch, .snapshot(snapshot)) }
      case .fail(let fetches, let error):
        for fetch in fetches { answer(fetch, .failure(error)) }
      }
    }
  }

  private func askApplication(_ key: SaveKey) {
    let activity = key.activity
    guard let entry = local.entries[activity], let session = sessions[entry.session] else {
      return save(.failed(Self.applicationEnded, activity: key))
    }
    let call = Message.call(
      destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
      member: MemberName(constant: "Save"))
    try? call.append([.string(activity.hex), .dictionary(key.request.dictionary)])
    let asked = monotonicMicroseconds()
    let pending = session.connection.call(call, timeout: .max) { [self] result in
      do throws(SegueError) {
        let answer = try result.get().arguments().first?.asDictionary ?? BusDictionary()
        var snapshot = try DoorSnapshot.decode(answer)
        snapshot.saveTime = monotonicMicroseconds() - asked
        guard snapshot.id == activity, snapshot.type == entry.activity.type else {
          throw SegueError(.protocolViolation, "The application answered with another activity.")
        }
        // It may have ended the activity while it saved it (semantics C10).
        guard local.entries[activity] != nil else { throw Self.notOffered }
        let isOther = local.saved(snapshot, isWhole: key.request.purpose != .search, now: .now)
        save(.saved(snapshot, activity: key))
        // After who waits for it has gone on, on this device too: to store it waits for the disk.
        afterDelivery(of: activity) { [self] in saved(snapshot, for: key.request.purpose, isOther: isOther) }
      } catch {
        // It dropped its connection, or ended in the middle of a callback: the same to who waits for it.
        let isGone =
          sessions[session.number] == nil || error.code == .connectionUnavailable || error.code == .applicationExited
        save(.failed(isGone ? Self.applicationEnded : error, activity: key))
      }
    }
    let timer = loop.timer(after: settings.times.save) { [self] in
      endSave(of: key)
      save(.expired(activity: key))
    }
    savesUnderWay[key] = (pending, timer)
  }

  /// Nobody waits for the answer any more: one that comes later must not pass for the answer to the next save.
  private func endSave(of key: SaveKey) {
    guard let save = savesUnderWay.removeValue(forKey: key) else { return }
    save.call.cancel()
    save.timer.cancel()
  }

  private static let applicationEnded = SegueError(
    .handoffFailed, "The application on the other device ended before it had saved its state.",
    advice: "Open it there again, then continue once more.")

  private func answer(_ fetch: FetchSource, _ answer: FetchAnswer) {
    switch fetch {
    case .channel(let channel): self.answer(channel, answer)
    case .continuation(let id):
      // Later, as if it had come over the link: whoever has just begun to fetch goes on first.
      loop.later { [self] in fetchedHere(id, answer) }
    case .copy(let activity, let kind): self.answer(activity, kind, answer)
    }
  }

  private func answer(_ channel: ChannelID, _ answer: FetchAnswer) {
    nameFiles(of: answer) { [self] answer in link.answer(answer, on: channel) }
  }
}
