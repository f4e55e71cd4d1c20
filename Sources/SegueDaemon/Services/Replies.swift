import SegueCore
import SegueEngine

/// The calls that wait for the engine's reply. Each gets one reply.
final class Replies {
  private var waiting: [RequestID: (Effect.Reply) -> Void] = [:]
  private var count: RequestID = 0

  /// Notes a call; `body` is called with its reply.
  func expect(_ body: @escaping (Effect.Reply) -> Void) -> RequestID {
    count += 1
    waiting[count] = body
    return count
  }

  func reply(_ request: RequestID, _ reply: Effect.Reply) { waiting.removeValue(forKey: request)?(reply) }
}
