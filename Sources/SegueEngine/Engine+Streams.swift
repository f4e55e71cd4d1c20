import SegueCore

// Continuation streams: which applications may have one, and how each stream ends (semantics T).

extension Engine {
  // MARK: The continuing side

  /// The application has the continuation's state, and may ask for streams and files from now on.
  mutating func claimed(_ continuation: RunningContinuation, _ filesHere: TextSet = []) {
    guard let session = continuation.session else { return }
    streams.claimed(
      Streams.Claim(
        continuation: continuation.id, session: session, activity: continuation.offer.id, source: continuation.source,
        filesHere: filesHere))
  }

  mutating func openStream(_ continuation: Identifier, _ session: SessionID, _ request: RequestID) {
    do throws(SegueError) {
      guard let claim = streams.claim(continuation, session) else {
        throw SegueError(.notFound, "There is no such continuation of this application, or it is too long ago.")
      }
      switch claim.source {
      case .kept:
        throw SegueError(.notFound, "What was continued is a stored copy: there is no application to talk to.")
      case .link:
        throw SegueError(.notFound, "What was continued is a link: there is no application to talk to.")
      case .device(let device): try open(claim, to: device, request)
      case .here: try connect(claim, request)
      }
    } catch {
      turn.emit(.reply(request, .failed(error)))
    }
  }

  private mutating func open(_ claim: Streams.Claim, to device: DeviceID, _ request: RequestID) throws(SegueError) {
    guard devices.isPaired(device) else { throw Self.removed }
    guard devices.isOnline(device) else { throw unreachable(device) }
    let id = try streams.add(
      Streams.Stream(
        continuation: claim.continuation, activity: claim.activity, session: claim.session, other: .device(device),
        request: request, stage: .asked), &deadlines, at: turn.now)
    let wish = StreamRequest(continuation: claim.continuation, activity: claim.activity)
    turn.emit(.stream(.open(id, wish, to: device)))
  }

  /// Both applications are on this device (semantics V19).
  private mutating func connect(_ claim: Streams.Claim, _ request: RequestID) throws(SegueError) {
    let owner = try streamOwner(of: claim.activity)
    let id = try streams.add(
      Streams.Stream(
        continuation: claim.continuation, activity: claim.activity, session: owner, other: .here(claim.session),
        request: request, stage: .brought), &deadlines, at: turn.now)
    turn.emit(.stream(.connect(id, activity: claim.activity, owner)))
  }

  // MARK: The origin's side

  /// A device wants a stream to the application whose activity it continues. It may have one only by the continuation
  /// by which it was given that activity, as for telling that it has continued it (attack 17).
  mutating func streamAsked(_ channel: ChannelID, _ device: DeviceID, _ request: StreamRequest) {
    do throws(SegueError) {
      guard devices.isPaired(device) else { throw Self.notPaired }
      guard journal.wasGiven(request.activity, to: device, by: request.continuation) else {
        throw SegueError(.accessDenied, "The activity was not given to the other device by that continuation.")
      }
      let owner = try streamOwner(of: request.activity)
      guard mayShare(owner, with: device) else { throw Self.notOffered }
      let id = try streams.add(
        Streams.Stream(
          continuation: request.continuation, activity: request.activity, session: owner,
          other: .asker(device, channel), stage: .brought), &deadlines, at: turn.now)
      turn.emit(.stream(.accept(id, channel, activity: request.activity, owner)))
    } catch {
      turn.emit(.stream(.refuse(channel, error)))
    }
  }

  /// The process that has the activity. The process may still have an activity that is no longer on offer, and may
  /// change at any time whether the activity supports streams: only the process knows, and is asked (semantics T1, T5).
  private func streamOwner(of activity: Identifier) throws(SegueError) -> SessionID {
    guard let owner = owner(of: activity) else {
      throw SegueError(.notFound, "The activity has ended, or its application has.")
    }
    return owner
  }

  func owner(of activity: Identifier) -> SessionID? {
    let entry = origin.local.entries[activity]
    let owner = entry.flatMap { $0.isConnected ? $0.session : nil } ?? streams.owner(of: activity)
    return owner.flatMap { sessions[$0] == nil ? nil : $0 }
  }

  /// The application has answered the stream that it was handed.
  mutating func acceptedStream(_ id: StreamID, _ session: SessionID, _ error: SegueError?) {
    guard let stream = streams.answered(id, by: session) else { return }
    if let error { return endStream(id, Self.ofApplication(error)) }
    streams.opened(id, &deadlines, at: turn.now)
    turn.emit(.stream(.begin(id)))
    if let request = stream.request { turn.emit(.reply(request, .stream(id))) }
  }

  /// The error as the requesting side sees it: a lost connection and a malformed answer of the application are no
  /// concern of that side.
  private static func ofApplication(_ error: SegueError) -> SegueError {
    switch error.code {
    case .notFound, .accessDenied, .notHandled, .limitExceeded: error
    case .connectionUnavailable, .applicationExited:
      SegueError(.notFound, "The activity has ended, or its application has.")
    default: SegueError(.notHandled, "The application did not take the streams: \(error.message)")
    }
  }

  /// Whether any stream counts, open or requested.
  public var hasStreams: Bool { !streams.inOrder.isEmpty }

  // MARK: Their ends

  mutating func stream(_ event: StreamEvent) {
    switch event {
    case .answered(let id, let error):
      guard let stream = streams[id], stream.stage == .asked, let request = stream.request else { return }
      if let error { return endStream(id, error) }
      streams.opened(id, &deadlines, at: turn.now)
      turn.emit(.stream(.begin(id)))
      turn.emit(.reply(request, .stream(id)))
    case .used(let id): if streams[id]?.stage == .open { deadlines.cancel(.stream(id)) }
    case .failed(let id, let error): endStream(id, error)
    case .closed(let id): streams.remove(id, &deadlines)
    }
  }

  /// The time is over in which a stream had to be answered, taken, or used for a first byte.
  mutating func streamExpired(_ id: StreamID) {
    guard let stream = streams[id] else { return }
    switch stream.stage {
    case .asked:
      endStream(id, SegueError(.remoteApplicationTimedOut, "The other device did not answer the request in time."))
    case .brought: endStream(id, SegueError(.remoteApplicationTimedOut, "The application did not answer in time."))
    case .open:
      endStream(
        id,
        SegueError(
          .limitExceeded, "Nothing went over the stream for \(Limits.streamIdleTime / 1000) seconds.",
          advice: "Ask for a stream when there is something to send."))
    }
  }

  /// Each stream ends once, and each request has one reply.
  mutating func endStream(_ id: StreamID, _ error: SegueError) {
    guard let stream = streams.remove(id, &deadlines) else { return }
    turn.emit(.stream(.end(id, error, tell: stream.told)))
    if let request = stream.request { turn.emit(.reply(request, .failed(error))) }
  }

  /// The process has ended.
  mutating func endStreams(of session: SessionID) {
    for id in streams.left(session) {
      endStream(id, SegueError(.applicationExited, "The application has ended before it had the streams."))
    }
  }

  /// The device is no longer paired (attack 16).
  mutating func endStreams(to device: DeviceID) {
    for id in streams.inOrder where streams[id]?.device == device { endStream(id, Self.removed) }
  }
}
