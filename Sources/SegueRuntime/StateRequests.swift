import SegueBus
import SegueClient
import SegueCore

/// The application's requests for the states that it stored in an earlier run, for windows that come back after a crash
/// or a new login (semantics C17): a part of the application.
///
/// A request is answered by the daemon, which must be there, or come within a bound: the windows wait for it.
final class StateRequests: @unchecked Sendable {
  typealias Done = (Result<[Activity], SegueError>) -> Void

  private final class Request {
    var query: StateQuery
    let maximum: Int
    var completion: Done?
    var found: [Activity] = []
    var timer: LoopTimer?
    var isAsking = false

    init(_ query: StateQuery, maximum: Int, _ completion: @escaping Done) {
      self.query = query
      self.maximum = maximum
      self.completion = completion
    }
  }

  private unowned(unsafe) let application: Application
  private var all: [Request] = []

  init(_ application: Application) { self.application = application }

  /// `completion` is called once, in a dispatch or while the application closes: with the states, the latest first. If
  /// this throws `limitExceeded`, `completion` is not called.
  func begin(
    _ type: ActivityType?, _ target: String?, maximum: Int, _ completion: @escaping Done
  ) throws(SegueError) {
    guard target?.utf8.count ?? 0 <= Limits.identifierLength else {
      throw SegueError(
        .limitExceeded, "A target content identifier has at most \(Limits.identifierLength) bytes.")
    }
    guard all.count < Limits.stateRequests else {
      throw SegueError(
        .limitExceeded, "\(Limits.stateRequests) requests for states are under way.", advice: "Wait for them.")
    }
    let request = Request(StateQuery(type: type, targetContentIdentifier: target), maximum: maximum, completion)
    all.append(request)
    request.timer = application.loop.timer(after: Limits.stateTime) { [self] in end(request, Self.unreachable) }
    application.later { [self] in
      // Where it is known that there is no daemon, the windows need not wait for one.
      if case .lost(let error) = application.status { lost(error) } else { send() }
    }
  }

  private static let unreachable = SegueError(
    .connectionUnavailable, "The Segue daemon did not answer in time, so no window comes back.",
    advice: "Check whether segued is running.")

  /// Sends the requests that the daemon has not got yet, for instance when the door has opened.
  func send() {
    for request in all where !request.isAsking { ask(request) }
  }

  /// The application could not register: nobody will answer.
  func lost(_ error: SegueError) {
    for request in all where !request.isAsking { end(request, error) }
  }

  private func ask(_ request: Request) {
    guard let door = application.registration.door else { return }
    guard request.found.count < request.maximum else { return end(request, nil) }
    request.isAsking = true
    // The timer is the bound; the door's own only guards a call that outlives it.
    door.lastState(request.query, within: Limits.callTime) { [self] result in
      request.isAsking = false
      guard request.completion != nil else { return }
      do throws(SegueError) {
        guard let state = try result.get() else { return end(request, nil) }
        request.found.append(try application.activity(from: state))
        request.query.after = state.snapshot.id
        ask(request)
      } catch {
        end(request, error)
      }
    }
  }

  private func end(_ request: Request, _ error: SegueError?) {
    all.removeAll { $0 === request }
    request.timer?.cancel()
    request.timer = nil
    let completion = request.completion
    request.completion = nil
    let found = request.found
    request.found = []
    // What came before an error is given: some windows are better than none.
    if let error, found.isEmpty { completion?(.failure(error)) } else { completion?(.success(found)) }
  }

  /// Called when the application closes: no answer will come.
  func close() {
    let abandoned = all
    all = []
    for request in abandoned {
      request.found = []
      end(request, Completion.closing())
    }
  }
}

extension Application {
  /// The activity of a state that an earlier run stored: a new one, as the former one was. It has no delegate, and needs
  /// no save. Throws `protocolViolation`, `handoffUserInfoTooLarge`.
  fileprivate func activity(from state: StoredState) throws(SegueError) -> Activity {
    let snapshot = state.snapshot
    var content = Activity.Content()
    var userInfo = try UserInfo.decode(snapshot.userInfo)
    content.deviceKeys = DeviceKeys.take(from: &userInfo)
    content.attributes = ActivityAttributes(
      title: snapshot.title, webpageURL: snapshot.webpageURL, userInfo: userInfo, keywords: snapshot.keywords,
      targetContentIdentifier: snapshot.targetContentIdentifier, persistentIdentifier: snapshot.persistentIdentifier)
    content.attributes.isEligible = state.traits.isEligible
    content.attributes.isEligibleForSearch = state.traits.isEligibleForSearch
    content.attributes.allowsSnapshot = state.traits.allowsSnapshot
    content.attributes.isEligibleForRestoration = true
    if let timeLeft = state.timeLeft { content.expire(in: timeLeft) }
    return Activity(
      application: self, type: snapshot.type, content: content,
      restored: Activity.Restored(
        id: snapshot.id, age: snapshot.age ?? 0, since: .now, version: state.version),
      external: 0)
  }
}
