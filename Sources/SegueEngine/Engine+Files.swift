import SegueCore

// Files that userInfo names and no container carries: which applications may have them, and how each transfer ends.

extension Engine {
  // MARK: Where they are brought to

  mutating func bringFile(
    _ continuation: Identifier, _ url: String, transfer: UInt64, _ session: SessionID, _ request: RequestID
  ) {
    do throws(SegueError) {
      guard let claim = streams.claim(continuation, session) else {
        throw SegueError(.notFound, "There is no such continuation of this application, or it is too long ago.")
      }
      guard let file = FileURL(url) else {
        throw SegueError(.invalidArgument, "\(DisplayText.quoted(url)) is not the URL of a file.")
      }
      switch claim.source {
      case .kept:
        throw SegueError(.notFound, "What was continued is a stored copy: there is no application to ask.")
      case .link:
        throw SegueError(.notFound, "What was continued is a link: there is no application to ask.")
      case .device(let device) where !claim.filesHere.contains(url):
        guard devices.isPaired(device) else { throw Self.removed }
        guard devices.isOnline(device) else { throw unreachable(device) }
        let wish = FileRequest(continuation: continuation, activity: claim.activity, url: url)
        try files.add(
          Files.Wanted(session: session, transfer: transfer, device: device, request: wish, reply: request))
        startFiles()
      // The file is here already: in a container that both devices share, or because both applications are on this
      // device.
      case .device, .here: turn.emit(.reply(request, .file(BroughtFile(path: file.path, size: 0, digest: nil))))
      }
    } catch {
      turn.emit(.reply(request, .failed(error)))
    }
  }

  mutating func cancelFile(_ transfer: UInt64, _ session: SessionID) {
    guard let id = files.number(of: transfer, session) else { return }
    endFile(id, SegueError(.userCancelled, "The file is not wanted any more."))
  }

  private mutating func startFiles() {
    while let id = files.next { startFile(id) }
  }

  private mutating func startFile(_ id: FileID) {
    guard let file = files.wanted(id) else { return }
    files.ask(id, &deadlines, at: turn.now)
    turn.emit(.file(.bring(id, file.request, from: file.device)))
  }

  /// There is a link to the device again.
  mutating func goOnWithFiles(of device: DeviceID) {
    for id in files.wantedInOrder {
      if let file = files.wanted(id), file.device == device, file.stage == .interrupted { startFile(id) }
    }
  }

  mutating func endFile(_ id: FileID, _ error: SegueError) {
    endWanted(id, error)
    startFiles()
  }

  /// Each file ends once, and each request has one reply. If several files end together, waiting files are started only
  /// after all of them have ended, so that no file that is about to end is requested.
  private mutating func endWanted(_ id: FileID, _ error: SegueError) {
    guard let file = files.remove(id, &deadlines) else { return }
    if file.stage != .waiting { turn.emit(.file(.drop(id, error.code))) }
    turn.emit(.reply(file.reply, .failed(error)))
  }

  // MARK: Where they are from

  /// A device wants a file that is named in the userInfo of an activity. It must have been given the activity by that
  /// continuation, as for telling that it has continued it (attack 17). Only the application knows whether the activity
  /// names the file, and whether it allows that.
  mutating func fileAsked(_ channel: ChannelID, _ device: DeviceID, _ request: FileRequest) {
    do throws(SegueError) {
      guard devices.isPaired(device) else { throw Self.notPaired }
      guard journal.wasGiven(request.activity, to: device, by: request.continuation) else {
        throw SegueError(.accessDenied, "The activity was not given to the other device by that continuation.")
      }
      guard let owner = owner(of: request.activity) else {
        guard origin.mayReturn(request.activity, at: turn.now) else {
          throw SegueError(.notFound, "The activity has ended, or its application has.")
        }
        try files.await(Files.Returning(channel: channel, device: device, request: request))
        return deadlines.set(.returns, at: origin.returnEnd)
      }
      guard mayShare(owner, with: device) else { throw Self.notOffered }
      let id = try files.add(
        Files.Given(channel: channel, device: device, session: owner, url: request.url), &deadlines, at: turn.now)
      turn.emit(.file(.open(id, channel, request, owner)))
    } catch {
      turn.emit(.file(.refuse(channel, error)))
    }
  }

  /// Applications have come back after a start, or the engine no longer waits for them.
  mutating func fileOwnersReturned(_ activity: Identifier?) {
    for waiting in files.takeReturning(where: { activity == nil || $0.request.activity == activity }) {
      fileAsked(waiting.channel, waiting.device, waiting.request)
    }
  }

  /// The application has opened the file, or says why not.
  mutating func openedFile(_ id: FileID, _ session: SessionID, _ error: SegueError?) {
    guard files.answered(id, by: session) != nil else { return }
    if let error { return endGiven(id, Self.ofOpener(error)) }
    files.sends(id, &deadlines, at: turn.now)
    turn.emit(.file(.send(id)))
  }

  /// The error as the requesting device sees it: a lost connection and a malformed answer of the application are no
  /// concern of that device.
  private static func ofOpener(_ error: SegueError) -> SegueError {
    switch error.code {
    case .notFound, .accessDenied, .invalidArgument, .limitExceeded, .system: error
    case .connectionUnavailable, .applicationExited:
      SegueError(.notFound, "The activity has ended, or its application has.")
    default: SegueError(.notHandled, "The application did not open the file: \(error.message)")
    }
  }

  mutating func endGiven(_ id: FileID, _ error: SegueError) {
    guard let file = files.removeGiven(id, &deadlines) else { return }
    turn.emit(.file(file.isOpen ? .end(id, error.code) : .refuse(file.channel, error)))
  }

  // MARK: Their ends

  mutating func file(_ event: FileEvent) {
    switch event {
    case .progressed(let id, let done, let size):
      files.progressed(id, done, of: size, &deadlines, at: turn.now)
      guard let file = files.wanted(id), file.stage == .coming else { return }
      turn.emit(.file(.tell(file.session, transfer: file.transfer, done: done, of: size)))
    case .brought(let id, let brought):
      guard let file = files.remove(id, &deadlines) else { return }
      turn.emit(.reply(file.reply, .file(brought)))
      startFiles()
    case .failed(let id, let error): endFile(id, error)
    case .interrupted(let id): interrupted(id)
    case .sent(let id, let done, let size):
      guard files.given(id)?.isOpen == true else { return }
      files.sends(id, &deadlines, at: turn.now)
      files.sent(id, done, of: size)
    case .ended(let id): files.removeGiven(id, &deadlines)
    case .abandoned(let channel): files.abandoned(channel)
    }
  }

  /// The time is over in which a file had to be answered, opened, or resumed, or had to make progress.
  mutating func fileExpired(_ id: FileID) {
    if let file = files.given(id) {
      return endGiven(
        id,
        file.isOpen
          ? SegueError(.limitExceeded, "The other device does not take the file.")
          : SegueError(.remoteApplicationTimedOut, "The application did not open the file in time."))
    }
    guard let file = files.wanted(id) else { return }
    switch file.stage {
    case .waiting: return
    case .asked:
      endFile(id, SegueError(.remoteApplicationTimedOut, "The other device did not answer the request in time."))
    case .coming:
      endFile(
        id,
        SegueError(
          .connectionUnavailable, "Nothing of the file came for \(Limits.fileSilenceTime / 1000) seconds.",
          advice: "See what the other device is doing, then bring the file again."))
    case .interrupted:
      guard let until = file.until, turn.now < until else { return linkTimeOver(id, file.device) }
      if devices.isOnline(file.device) { return startFile(id) }
      interrupted(id)
    }
  }

  /// The files that wait for their turn, too, have waited for a link for that long.
  private mutating func linkTimeOver(_ id: FileID, _ device: DeviceID) {
    endWanted(id, unreachable(device))
    for other in files.wantedInOrder where !devices.isOnline(device) {
      if let file = files.wanted(other), file.device == device, file.stage == .waiting {
        endWanted(other, unreachable(device))
      }
    }
    startFiles()
  }

  private mutating func interrupted(_ id: FileID) {
    guard let file = files.wanted(id) else { return }
    files.interrupted(id, isOnline: devices.isOnline(file.device), &deadlines, at: turn.now)
  }

  /// The process has gone.
  mutating func endFiles(of session: SessionID) {
    let (wanted, given) = files.left(session)
    let error = SegueError(.applicationExited, "The application has ended before the file was there.")
    for id in wanted { endWanted(id, error) }
    for id in given { endGiven(id, SegueError(.notFound, "The activity has ended, or its application has.")) }
    startFiles()
  }

  /// The devices are not paired any more (attack 16).
  mutating func endFiles(of gone: [DeviceID]) {
    for id in files.wantedInOrder {
      if let file = files.wanted(id), gone.contains(file.device) { endWanted(id, Self.removed) }
    }
    for id in files.givenInOrder {
      if let file = files.given(id), gone.contains(file.device) { endGiven(id, Self.notPaired) }
    }
    for waiting in files.takeReturning(where: { gone.contains($0.device) }) {
      turn.emit(.file(.refuse(waiting.channel, Self.notPaired)))
    }
    startFiles()
  }

  /// Whether any file is wanted or given, a request for one waits, or an application still has to answer one.
  public var hasFiles: Bool { !files.isEmpty }
}
