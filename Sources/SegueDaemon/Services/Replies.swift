import SegueCore
import SegueEngine

/// The calls that wait for the engine's reply. Each gets one reply.
final class Replies {
  /// Is called with the reply; of a stream's, with the pair of the application that has asked.
  typealias Body = (Effect.Reply, StreamDescriptors?) -> Void

  private var waiting: [RequestID: Body] = [:]
  private var count: RequestID = 0

  /// Notes a call; `body` is called with its reply.
  func expect(_ body: @escaping Body) -> RequestID {
    count += 1
    waiting[count] = body
    return count
  }

  func reply(_ request: RequestID, _ reply: Effect.Reply, _ pair: StreamDescriptors? = nil) {
    waiting.removeValue(forKey: request)?(reply, pair)
  }
}
