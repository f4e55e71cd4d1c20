import SegueBus
import SegueCore
import SegueLink
import SegueState

// Continuations outlive the daemon (semantics X9): what it writes down, and what it does with what the last one wrote.

/// The journal, which is written at each change.
struct WrittenJournal {
  private let file: JournalFile
  private let log: Log
  private(set) var current = ContinuationJournal()

  /// A file that cannot be understood is no reason not to start: it is about some seconds.
  init(_ file: JournalFile, log: Log) {
    self.file = file
    self.log = log
    do throws(SegueError) { current = try file.read() } catch {
      log.notice("\(file.path): \(error.message) It begins anew.", cause: "journal")
    }
  }

  mutating func change(_ body: (inout ContinuationJournal) -> Void) {
    let before = current
    body(&current)
    guard current != before else { return }
    do throws(SegueError) { try file.write(current) } catch {
      log.warning("continuations cannot be recorded: \(error.message)", cause: "journal")
    }
  }
}

extension Daemon {
  // MARK: What runs

  /// Writes down what must be known of these effects before anybody sees them.
  func record(_ effects: [ContinuationMachine.Effect], of continuation: RunningContinuation) {
    journal.change { (journal: inout ContinuationJournal) in
      for effect in effects {
        switch effect {
        case .launch:
          journal.note(recorded(continuation))
        case .answerClaim:
          var delivered = recorded(continuation)
          delivered.isDelivered = true
          delivered.until = Instant.now + settings.times.finish
          journal.note(delivered)
        case .tellOrigin(let inBrowser):
          let offer = continuation.offer
          let notice = ContinuationJournal.Notice(
            continuation: continuation.id, activity: offer.id, appID: offer.appID, inBrowser: inBrowser)
          if continuation.source == .here {
            _ = journal.receive(notice, from: nil)
          } else if let device = continuation.source.device, pins.devices.contains(where: { $0.id == device }) {
            journal.tell(device, notice)
          }
        case .ended(let error, _):
          journal.end(continuation.id)
          // It is hidden until it changes (semantics V15).
          if error == nil, let revision = continuation.revision {
            journal.take(continuation.offer.id, of: continuation.source.device, revision: revision)
          }
        default:
          continue
        }
      }
    }
  }

  private func recorded(_ continuation: RunningContinuation) -> ContinuationJournal.Running {
    ContinuationJournal.Running(
      id: continuation.id, offer: continuation.offer, source: continuation.source,
      appID: continuation.application.appID, boot: Boot.id, fetchUntil: continuation.fetchUntil,
      until: continuation.deadline, revision: continuation.revision)
  }

  /// Goes on with what the last daemon had under way; once, when applications can be launched.
  func resumeContinuations() {
    guard !hasResumed else { return }
    hasResumed = true
    for record in journal.current.running {
      guard let application = registry.application(record.appID) else {
        log.notice("a continuation in \(record.appID.string) cannot go on after a restart", cause: "journal")
        journal.change { $0.end(record.id) }
        continue
      }
      let continuation = RunningContinuation(record, source: record.source, application: application)
      continuations[record.id] = continuation
      handle(.resumed(resumption(of: record)), continuation)
    }
  }

  private func resumption(of record: ContinuationJournal.Running) -> ContinuationMachine.Resumption {
    guard record.boot == Boot.id else {
      return .expired(SegueError(.handoffFailed, "This device was restarted.", advice: "Continue again."))
    }
    let now = Instant.now
    if record.isDelivered, now < record.until { return .delivered }
    if !record.isDelivered, now < min(record.fetchUntil, record.until) { return .undelivered }
    return .expired(
      SegueError(
        .connectionUnavailable, "Segue was restarted, and the activity did not arrive in time.",
        advice: "Continue again."))
  }

  // MARK: Telling the origin

  /// Says to a device what it has not acknowledged.
  func tellUntold(_ device: DeviceID) {
    for untold in journal.current.untold where untold.device == device {
      link.send(.continued(untold.notice), to: device)
    }
  }

  func acknowledged(_ continuation: Identifier, by device: DeviceID) {
    journal.change { _ = $0.acknowledged(continuation, by: device) }
  }

  // MARK: Being told

  /// Another device has continued an activity of ours. It says so until it hears that we know.
  func received(_ notice: ContinuationJournal.Notice, from device: DeviceID) {
    journal.change { _ = $0.receive(notice, from: device) }
    link.send(.acknowledged(continuation: notice.continuation), to: device)
    tellApplication(notice.appID)
  }

  /// Every process of the application hears that its activities were continued: only they know which of them live, on
  /// offer or not (semantics V11). One that comes later is told as it registers.
  func tellApplication(_ appID: AppID) {
    for session in sessions.values where session.application?.appID == appID { tellUnheard(session) }
  }

  func tellUnheard(_ session: Session) {
    for unheard in journal.current.unheard where unheard.notice.appID == session.application?.appID {
      wasContinued(unheard, session)
    }
  }

  private func wasContinued(_ unheard: ContinuationJournal.Pending, _ session: Session) {
    let notice = unheard.notice
    guard session.telling.count < Limits.continuationsUntold, session.telling.insert(notice.continuation).inserted
    else { return }
    let call = Message.call(
      destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
      member: MemberName(constant: "WasContinued"))
    try? call.append([
      .string(notice.activity.hex),
      .dictionary(["browser": .bool(notice.inBrowser), "continuation": .string(notice.continuation.hex)]),
    ])
    // However long it takes: it is not told by another call.
    session.connection.call(call, timeout: .max) { [self] result in
      session.telling.remove(notice.continuation)
      if case .failure(let error) = result {
        guard error.code == .notFound, isLast(session, of: notice.appID) else { return }
      }
      journal.change { $0.hear(notice.continuation, from: unheard.device) }
      tellUnheard(session)
    }
  }

  /// Whether what this process does not have is nowhere. Just after a start others may still come back.
  private func isLast(_ session: Session, of appID: AppID) -> Bool {
    let others = sessions.values.filter { $0 !== session && $0.application?.appID == appID }
    return others.isEmpty && Instant.now >= startTime + Limits.returnTime
  }

  // MARK: Applications that come back

  /// Just after a start the applications are not all back; whether this fetch waits for them.
  func waitsForReturn(_ channel: ChannelID, _ request: FetchRequest) -> Bool {
    guard Instant.now < startTime + Limits.returnTime, !request.isForKeeping,
      local.entries[request.activity]?.isKept ?? true
    else { return false }
    returning.append(ReturningFetch(channel: channel, request: request))
    guard returning.count == 1 else { return true }
    loop.timer(at: startTime + Limits.returnTime) { [self] in answerReturning { _ in true } }
    return true
  }

  /// As `waitsForReturn`, for an application of this device that continues what another one had on offer.
  func waitsForReturn(_ continuation: RunningContinuation) -> Bool {
    let end = startTime + Limits.returnTime
    guard Instant.now < end, local.entries[continuation.offer.id]?.isKept ?? true else { return false }
    handle(.unreachable(Self.notOffered), continuation)
    loop.timer(at: end) { [self] in handle(.linkUp, continuation) }
    return true
  }

  func returned(_ activity: Identifier) {
    answerReturning { $0.request.activity == activity }
    for continuation in continuations.values where continuation.source == .here && continuation.offer.id == activity {
      handle(.linkUp, continuation)
    }
  }

  func abandonReturning(_ channel: ChannelID) { returning.removeAll { $0.channel == channel } }

  private func answerReturning(_ isDue: (ReturningFetch) -> Bool) {
    let due = returning.filter(isDue)
    returning.removeAll(where: isDue)
    for fetch in due { fetchAsked(fetch.channel, fetch.request) }
  }
}

/// A fetch of what an application has that is not back yet. The link bounds how many there are.
struct ReturningFetch {
  let channel: ChannelID
  let request: FetchRequest
}
