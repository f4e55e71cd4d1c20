import SegueCore

/// Requests to applications for their activities' state that have not been answered.
struct Saves {
  typealias Requests = SaveRequests<FetchSource, SaveKey, SaveLine>

  private struct Pending {
    let key: SaveKey
    let session: SessionID
    let asked: UInt64
  }

  private var requests = Requests()
  private var pending: [SaveID: Pending] = [:]
  private var count: SaveID = 0
  private let time: UInt64

  init(_ settings: EngineSettings) { time = settings.times.save }

  /// `sessionOf`: the session of the application that has the activity; nil if it is not connected.
  mutating func handle(
    _ event: Requests.Event, sessionOf: (Identifier) -> SessionID?,
    _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    for effect in requests.handle(event) {
      switch effect {
      case .askApplication(let key):
        guard let session = sessionOf(key.activity) else {
          turn.post(.save(.failed(Self.applicationEnded, activity: key)))
          continue
        }
        count += 1
        pending[count] = Pending(key: key, session: session, asked: turn.moment.microseconds)
        deadlines.set(.save(count), at: turn.now + time)
        turn.emit(.askSave(count, key.activity, key.request, session))
      case .stopTimer(let key): end(key, &deadlines, &turn)
      case .answer(let fetches, let snapshot):
        for fetch in fetches { turn.post(.answer(fetch, .snapshot(snapshot))) }
      case .fail(let fetches, let error):
        for fetch in fetches { turn.post(.answer(fetch, .failure(error))) }
      }
    }
  }

  /// The application has answered. Returns the request, and how many microseconds the answer took. Nil if the answer
  /// is no longer awaited, so that a late answer is not taken for the answer to a later request.
  mutating func answered(
    _ id: SaveID, by session: SessionID, _ deadlines: inout Deadlines, at moment: Moment
  ) -> (key: SaveKey, time: UInt64)? {
    guard let request = pending[id], request.session == session else { return nil }
    pending[id] = nil
    deadlines.cancel(.save(id))
    let now = moment.microseconds
    return (request.key, now > request.asked ? now - request.asked : 0)
  }

  /// The application did not answer in time. Returns the activity, unless the answer is no longer awaited.
  mutating func expired(_ id: SaveID, _ deadlines: inout Deadlines, _ turn: inout Turn) -> Identifier? {
    guard let key = pending[id]?.key else { return nil }
    end(key, &deadlines, &turn)
    turn.post(.save(.expired(activity: key)))
    return key.activity
  }

  /// The application has left, and will not answer. `plugin`: the plugin whose code ran in it.
  mutating func left(
    _ session: SessionID, in plugin: PluginID?, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    let error = Self.applicationEnded(in: plugin)
    let lost = pending.filter { $0.value.session == session }.keys.sorted()
    for id in lost {
      guard let key = pending.removeValue(forKey: id)?.key else { continue }
      deadlines.cancel(.save(id))
      turn.post(.save(.failed(error, activity: key)))
    }
  }

  private mutating func end(_ key: SaveKey, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    guard let id = pending.first(where: { $0.value.key == key })?.key else { return }
    pending[id] = nil
    deadlines.cancel(.save(id))
    turn.emit(.endSave(id))
  }

  private static let applicationEnded = SegueError(
    .handoffFailed, "The application on the other device ended before it had saved its state.",
    advice: "Open it there again, then continue once more.")

  /// `plugin`: the plugin whose code ran in the application.
  static func applicationEnded(in plugin: PluginID?) -> SegueError {
    guard let plugin else { return applicationEnded }
    return SegueError(
      applicationEnded.code,
      "The application on the other device ended before it had saved its state, in its plugin \(plugin.string).",
      advice: "Open it there again, and try the plugin there: segue plugin check \(plugin.string)")
  }
}
