import SegueBus
import SegueControl
import SegueCore
import SegueRuntime

/// The files that are on their way to other devices: each sending is an activity. They become activities on offer one after
/// the other, and are then on offer together.
final class Sendings {
  private let application: Application
  private let loop: EventLoop
  private let times: FilesTimes
  private let type: ActivityType
  private let daemon: DaemonDoor
  private var sendings: [Sending] = []
  private var count: UInt64 = 0
  /// One has come, or is over.
  var changed: (() -> Void)?

  init(_ application: Application, _ type: ActivityType, _ loop: EventLoop, _ times: FilesTimes) {
    self.application = application
    self.type = type
    self.loop = loop
    self.times = times
    daemon = DaemonDoor(loop)
    daemon.opened = { [unowned self] in advance() }
    daemon.lost = { [unowned self] in endAll($0) }
    daemon.told = { [unowned self] signal in
      switch signal {
      case .offers: lookForBeginning()
      case .transfers: for sending in sendings where sending.stage == .taken { waitQuietly(sending) }
      default: break
      }
    }
  }

  var isEmpty: Bool { sendings.isEmpty }

  func close() { daemon.close() }

  // MARK: Callers

  func offer(_ arguments: [BusValue], _ invocation: Invocation) {
    do throws(SegueError) {
      guard let device = arguments.first?.asString, let paths = arguments.last?.asStrings else {
        throw SegueError(.invalidArgument, "The call names no device and no files.")
      }
      let files = try OwnFiles.look(paths)
      guard sendings.count < Limits.fileSendings else {
        throw SegueError(
          .limitExceeded, "\(Limits.fileSendings) sendings of files are under way.", advice: "Wait until one is over.")
      }
      let activity = Activity(application: application, type: type)
      try activity.setTitle(SentFile.title(files.map(\.name)))
      try activity.setUserInfo(SentFile.userInfo(files))
      try activity.setAllowsFiles(true)
      try activity.setSupportsStreams(true)
      count += 1
      let sending = Sending(count, device, activity, invocation)
      activity.delegate.wasContinued = { [unowned self, unowned sending] _ in taken(sending) }
      activity.delegate.didReceiveStreams = { [unowned self, unowned sending] _, streams in
        sending.read(streams, on: loop) { [weak self, weak sending] report in
          guard let self, let sending else { return }
          end(sending, report.map { .success($0) } ?? .failure(Self.noReport))
        }
      }
      sendings.append(sending)
      changed?()
      daemon.open()
      advance()
    } catch {
      invocation.fail(error)
    }
  }

  func finish(_ arguments: [BusValue], _ invocation: Invocation) {
    guard let number = arguments.first?.asUInt64,
      let sending = sendings.first(where: { $0.number == number && $0.caller === invocation.connection })
    else { return invocation.fail(SegueError(.notFound, "There is no such sending.")) }
    guard sending.isOffered, sending.invocation == nil else {
      return invocation.fail(SegueError(.invalidArgument, "Another call waits for this sending."))
    }
    sending.invocation = invocation
    if sending.stage == .over { answer(sending) }
  }

  /// The caller is gone: what it has sent is withdrawn, unless it was taken.
  func left(_ caller: Connection) {
    for sending in sendings where sending.caller === caller {
      sending.invocation = nil
      if sending.stage == .over {
        remove(sending)
      } else if sending.stage != .taken {
        end(sending, .failure(Self.noReport))
      }
    }
  }

  // MARK: The way of a sending

  /// Begins the next one, if none is beginning.
  private func advance() {
    guard daemon.isOpen, !sendings.contains(where: { $0.stage == .beginning }),
      let next = sendings.first(where: { $0.stage == .waiting })
    else { return }
    next.stage = .beginning
    next.timer = loop.timer(after: Limits.callTime) { [unowned self, unowned next] in
      end(next, .failure(Self.notListed))
    }
    application.makeCurrent(next.activity)
    lookForBeginning()
  }

  /// Whether the daemon lists the one that is beginning; asked anew whenever its lists change.
  private func lookForBeginning() {
    guard let sending = sendings.first(where: { $0.stage == .beginning }) else { return }
    daemon.call(.listActivities) { [weak self, weak sending] result in
      guard let self, let sending, sending.stage == .beginning,
        let rows = (try? result.get())?.first.flatMap({ [ActivityRow].of(busValue: $0) }),
        rows.contains(where: { $0.id.isSame(as: sending.activity.id.hex) })
      else { return }
      propose(sending)
    }
  }

  private func propose(_ sending: Sending) {
    sending.timer?.cancel()
    sending.stage = .proposing
    daemon.call(.send, [.string(sending.device), SendOptions(offer: sending.activity.id.hex).busValue]) {
      [weak self, weak sending] result in
      guard let self, let sending else { return }
      if case .failure(let error) = result { return end(sending, .failure(error)) }
      sending.invocation?.reply([.uint64(sending.number)])
      (sending.invocation, sending.isOffered) = (nil, true)
      // Files that open there at once may have come further by now.
      guard sending.stage == .proposing else { return }
      sending.stage = .shown
      sending.timer = loop.timer(after: times.take) { [unowned self, unowned sending] in
        end(sending, .failure(Self.notTaken))
      }
    }
    advance()
  }

  private func taken(_ sending: Sending) {
    guard sending.stage == .proposing || sending.stage == .shown else { return }
    sending.stage = .taken
    waitQuietly(sending)
  }

  private func waitQuietly(_ sending: Sending) {
    sending.timer?.cancel()
    sending.timer = loop.timer(after: times.quiet) { [unowned self, unowned sending] in
      end(sending, .failure(Self.noReport))
    }
  }

  // MARK: The end

  private func endAll(_ error: SegueError) {
    for sending in sendings where sending.stage != .over { end(sending, .failure(error)) }
  }

  private func end(_ sending: Sending, _ result: Result<FilesReport, SegueError>) {
    guard sending.stage != .over else { return }
    sending.stage = .over
    sending.timer?.cancel()
    sending.stopReading()
    sending.result = result
    application.invalidate(sending.activity)
    if !sending.caller.isOpen {
      remove(sending)
    } else if sending.isOffered {
      // Where it was not asked for yet, it will be.
      if sending.invocation != nil { answer(sending) }
    } else if case .failure(let error) = result {
      sending.invocation?.fail(error)
      sending.invocation = nil
      remove(sending)
    }
    advance()
  }

  private func answer(_ sending: Sending) {
    switch sending.result {
    case .success(let report)?:
      sending.invocation?.reply([.uint32(UInt32(clamping: report.count)), .strings(report.failures)])
    case .failure(let error)?: sending.invocation?.fail(error)
    case nil: break
    }
    sending.invocation = nil
    remove(sending)
  }

  private func remove(_ sending: Sending) {
    // This may run in a callback of the activity.
    loop.later { _ = sending }
    sendings.removeAll { $0 === sending }
    if sendings.isEmpty { daemon.close() }
    changed?()
  }

  private static let notListed = SegueError(
    .remoteApplicationTimedOut, "The Segue daemon has not taken the files up.", advice: "See why with: segue explain")
  private static let notTaken = SegueError(
    .remoteApplicationTimedOut, "The files were not taken in time.",
    advice: "Send them again when somebody is there.")
  private static let noReport = SegueError(
    .handoffFailed, "The files were taken, and the other device has not said whether they are there.",
    advice: "See whether they are there, or send them again.")
}
