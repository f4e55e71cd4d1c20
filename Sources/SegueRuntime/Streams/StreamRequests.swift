import SegueBus
import SegueCore

/// Streams between this application and those that it continues from, or that continue from it: a part of the
/// application. Once handed out, a stream is the application's own; here are only the requests.
final class StreamRequests: @unchecked Sendable {
  private final class Request {
    private var body: ((Result<StreamPair, SegueError>) -> Void)?

    init(_ body: @escaping (Result<StreamPair, SegueError>) -> Void) { self.body = body }

    /// Reports the outcome, the first time only. Streams that come later are closed.
    func end(_ result: Result<StreamPair, SegueError>) {
      let body = body
      self.body = nil
      body?(result)
    }
  }

  private unowned(unsafe) let application: Application
  /// The requests in the order in which they were made.
  private var requests: [Request] = []
  /// The inputs that were handed out and end with the daemon, by inode, the oldest first.
  private var inputs: [UInt64] = []

  init(_ application: Application) { self.application = application }

  // MARK: The continuing side

  /// Asks for streams to the application that the activity was continued from (semantics T2). `completion` is called
  /// once, in a dispatch or while the application closes, but not if this throws: `invalidArgument` for an activity
  /// that no continuation brought, `invalidated` or `limitExceeded`.
  func request(
    for activity: Activity, _ completion: @escaping (Result<StreamPair, SegueError>) -> Void
  ) throws(SegueError) {
    guard let continuation = activity.continuation else {
      throw SegueError(
        .invalidArgument, "No continuation brought this activity, so nobody is at the other end.",
        advice: "Ask on the activity that continue_activity was given.")
    }
    guard !activity.isInvalid else { throw SegueError(.invalidated, "The activity was invalidated.") }
    guard requests.count < Limits.pendingCalls else {
      throw SegueError(.limitExceeded, "\(Limits.pendingCalls) requests are under way.", advice: "Wait for them.")
    }
    let request = Request(completion)
    requests.append(request)
    guard let door = application.registration.door else {
      return application.loop.later { [self] in end(request, .failure(Self.daemonGone)) }
    }
    door.openStream(continuation) { [self] in end(request, $0) }
  }

  private static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon is gone, and the way to the other device with it.",
    advice: "Segue comes back to it by itself; ask again then.")

  private func end(_ request: Request, _ result: Result<StreamPair, SegueError>) {
    requests.removeAll { $0 === request }
    if case .success(let pair) = result { note(pair) }
    request.end(result)
  }

  // MARK: The origin's side

  /// Accepts streams for which an application that continues the activity has asked (semantics T1, T3). Throws the
  /// reason why there are none; the descriptors that were sent are closed then.
  func accept(_ id: Identifier?, _ values: [BusValue]) throws(SegueError) {
    guard let activity = id.flatMap({ application.offering.activity($0) }), !activity.isInvalid else {
      throw SegueError(.notFound, "The activity has ended, so it has no streams.")
    }
    guard activity.attributes.supportsStreams else {
      throw SegueError(.accessDenied, "The activity does not support continuation streams.")
    }
    guard let receive = activity.delegate.didReceiveStreams else {
      throw SegueError(
        .notHandled, "The activity has no delegate that receives continuation streams.",
        advice: "The application that offers the activity has to set did_receive_streams in its activity delegate.")
    }
    let pair = try StreamPair(values)
    note(pair)
    receive(activity, pair)
  }

  /// Notes the daemon's reason for the end of a stream, which comes before the end.
  func ended(_ inode: UInt64, _ code: SegueError.Code, _ message: String) {
    StreamLosses.shared.ended(inode, SegueError(code, message))
  }

  private func note(_ pair: StreamPair) {
    guard pair.isThroughDaemon else { return }
    if inputs.count >= Limits.streamsRemembered { inputs.removeFirst() }
    inputs.append(pair.inode)
  }

  /// Called when the daemon is gone, without a reason for the streams that ended with it.
  func doorLost() {
    let lost = inputs
    inputs = []
    for inode in lost { StreamLosses.shared.ended(inode, Self.daemonEnded) }
  }

  private static let daemonEnded = SegueError(
    .connectionUnavailable, "The Segue daemon of this device ended, and the stream with it.",
    advice: "Ask for streams again.")

  // MARK: The end

  /// Called when the application closes: no answer will come. Streams that are open go on.
  func close() {
    let abandoned = requests
    requests = []
    for request in abandoned { request.end(.failure(Completion.closing())) }
  }
}
