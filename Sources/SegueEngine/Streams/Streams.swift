import SegueCore

/// The continuation streams that are open or requested: who may have one, how many, and for how long.
///
/// A stream here is one pair of an application of this device; a stream between two applications of this device counts
/// as one.
struct Streams {
  /// An application has claimed a continuation: it may ask for streams to where the activity came from.
  struct Claim {
    let continuation: Identifier
    let session: SessionID
    let activity: Identifier
    let source: OfferSource
    /// The file URLs in the state that are this device's own.
    var filesHere: TextSet = []
  }

  /// The other end of a stream.
  enum Other: Hashable {
    /// At the device that this one asked for the stream.
    case device(DeviceID)
    /// At the device that asked for the stream, on this channel.
    case asker(DeviceID, ChannelID)
    /// At the application on this device that asked for the stream.
    case here(SessionID)
  }

  struct Stream {
    enum Stage {
      /// The other device has been asked.
      case asked
      /// The application has been asked to take its pair.
      case brought
      case open
    }

    let continuation: Identifier
    let activity: Identifier
    /// The session that has the pair: of the application that asks another device, or of the one that has the activity.
    let session: SessionID
    let other: Other
    /// The call that asks for the stream, until it is replied to.
    var request: RequestID?
    var stage: Stage

    var device: DeviceID? {
      switch other {
      case .device(let device), .asker(let device, _): device
      case .here: nil
      }
    }

  }

  /// A request that an application has not answered, and the device on whose behalf it was asked; nil for this one.
  private struct Unanswered {
    let session: SessionID
    let device: DeviceID?
  }

  /// Grows with each change of the streams that are open or requested.
  private(set) var changes: UInt64 = 0
  private var streams: [StreamID: Stream] = [:] { didSet { changes &+= 1 } }
  private var count: StreamID = 0
  /// The claims, the oldest first.
  private var claims: [Claim] = []
  /// The process that has each activity whose state was given away, on offer or not. The oldest first.
  private var owners: [(activity: Identifier, session: SessionID)] = []
  /// The pairs on their way to applications that have not answered, whether still wanted or not.
  private var unanswered: [StreamID: Unanswered] = [:]
  private let answerTime: UInt64
  private let acceptTime: UInt64

  init(_ settings: EngineSettings) {
    answerTime = settings.times.fetch
    acceptTime = settings.times.save
  }

  var isEmpty: Bool { streams.isEmpty && unanswered.isEmpty }

  subscript(id: StreamID) -> Stream? { streams[id] }

  var inOrder: [StreamID] { streams.keys.sorted() }

  // MARK: Rights

  mutating func claimed(_ claim: Claim) {
    claims.removeAll { $0.continuation == claim.continuation }
    claims.append(claim)
    let own = claims.filter { $0.session == claim.session }
    guard own.count > Limits.streamContinuations, let oldest = own.first else { return }
    claims.removeAll { $0.continuation == oldest.continuation }
  }

  func claim(_ continuation: Identifier, _ session: SessionID) -> Claim? {
    claims.first { $0.continuation == continuation && $0.session == session }
  }

  /// The process has given the activity's state to a device or an application.
  mutating func given(_ activity: Identifier, by session: SessionID) {
    owners.removeAll { $0.activity == activity }
    owners.append((activity, session))
    let own = owners.filter { $0.session == session }
    guard own.count > Limits.streamContinuations, let oldest = own.first else { return }
    owners.removeAll { $0.activity == oldest.activity }
  }

  func owner(of activity: Identifier) -> SessionID? { owners.first { $0.activity == activity }?.session }

  /// The process has ended the activity; only open streams go on (semantics T5).
  mutating func invalidated(_ activity: Identifier, by session: SessionID) {
    owners.removeAll { $0.activity == activity && $0.session == session }
  }

  // MARK: How many

  /// Throws `limitExceeded` if there is no room for another stream.
  private func checkRoom(_ stream: Stream) throws(SegueError) {
    func full(_ maximum: Int, _ where: String) -> SegueError {
      SegueError(
        .limitExceeded, "\(maximum) streams are open \(`where`), and there are no more.",
        advice: "Close one that is not used any more, then try again.")
    }
    let others = streams.values
    if others.count(where: { $0.continuation == stream.continuation && $0.device == stream.device })
      >= Limits.streamsPerContinuation
    {
      throw full(Limits.streamsPerContinuation, "for this continuation")
    }
    let together = others.count { other in
      if let device = stream.device { return other.device == device }
      return other.device == nil && other.parties == stream.parties
    }
    if together >= Limits.streamsPerDevice {
      throw full(Limits.streamsPerDevice, stream.device == nil ? "between both applications" : "to the other device")
    }
    if others.count >= Limits.streams { throw full(Limits.streams, "on this device") }
    guard stream.stage == .brought else { return }
    let owed = unanswered.values.filter { $0.session == stream.session }
    if owed.count >= Limits.streamsUnanswered
      || stream.device != nil
        && owed.count(where: { $0.device == stream.device }) >= Limits.streamsUnansweredPerDevice
    {
      throw SegueError(.limitExceeded, "The application has not answered earlier requests for streams.")
    }
  }

  // MARK: A stream's life

  /// Throws `limitExceeded`.
  mutating func add(_ stream: Stream, _ deadlines: inout Deadlines, at now: Instant) throws(SegueError) -> StreamID {
    try checkRoom(stream)
    count += 1
    streams[count] = stream
    if stream.stage == .brought { unanswered[count] = Unanswered(session: stream.session, device: stream.device) }
    deadlines.set(.stream(count), at: now + (stream.stage == .asked ? answerTime : acceptTime))
    return count
  }

  /// The application has answered the stream that it was handed. Returns the stream if it is still wanted.
  mutating func answered(_ id: StreamID, by session: SessionID) -> Stream? {
    guard unanswered[id]?.session == session else { return nil }
    unanswered[id] = nil
    guard let stream = streams[id], stream.stage == .brought else { return nil }
    return stream
  }

  /// Bytes can pass. On a stream to another device, the first byte must pass within a time.
  mutating func opened(_ id: StreamID, _ deadlines: inout Deadlines, at now: Instant) {
    guard let device = streams[id].map({ $0.device }) else { return }
    streams[id]?.stage = .open
    streams[id]?.request = nil
    deadlines.set(.stream(id), at: device.map { _ in now + Limits.streamIdleTime })
  }

  /// The stream is over and no longer counts. A request that its application has not answered still does.
  @discardableResult mutating func remove(_ id: StreamID, _ deadlines: inout Deadlines) -> Stream? {
    guard streams[id] != nil else { return nil }
    deadlines.cancel(.stream(id))
    return streams.removeValue(forKey: id)
  }

  /// The process has ended. Returns the streams that cannot be opened without it; an open stream ends by its
  /// descriptors, behind the last byte.
  mutating func left(_ session: SessionID) -> [StreamID] {
    claims.removeAll { $0.session == session }
    owners.removeAll { $0.session == session }
    unanswered = unanswered.filter { $0.value.session != session }
    return inOrder.filter { id in
      guard let stream = streams[id], stream.stage != .open else { return false }
      return stream.session == session || stream.other == .here(session)
    }
  }
}

extension Streams.Stream {
  /// Both applications of a stream within this device.
  fileprivate var parties: Set<SessionID> {
    if case .here(let other) = other { [session, other] } else { [session] }
  }

  /// The session that has a pair of the stream, and is told why it ended.
  var told: SessionID? { stage == .asked ? nil : session }
}
