import SegueCore

/// A call that waits for its reply. The connection keeps it; the handle is for `cancel()` and `errorName`. Loop thread.
public final class PendingReply {
  var serial: UInt32 = 0
  /// The unique name that was called; if set, only that connection's answer counts, besides the bus's.
  let callee: BusName?
  var timer: LoopTimer?
  private var connection: Connection?
  private var body: ((Result<Message, SegueError>) -> Void)?
  /// The error's name on the bus if the reply was one, from before the reply handler is called; nil for other replies.
  public private(set) var errorName: String?

  init(connection: Connection, callee: BusName?, body: @escaping (Result<Message, SegueError>) -> Void) {
    self.connection = connection
    self.callee = callee
    self.body = body
  }

  /// Whether the reply is still to come.
  public var isPending: Bool { body != nil }

  /// Releases the reply handler, which is not called (any more). The call itself is on its way.
  public func cancel() {
    connection?.loop.checkThread()
    _ = end()
  }

  func finish(_ result: Result<Message, SegueError>) { end()?(result) }

  /// Takes the answer of the other side.
  func finish(message: Message) {
    errorName = message.errorName
    if let error = message.error { finish(.failure(error)) } else { finish(.success(message)) }
  }

  private func end() -> ((Result<Message, SegueError>) -> Void)? {
    let ending = body
    body = nil
    timer?.cancel()
    timer = nil
    connection?.forget(self)
    connection = nil
    return ending
  }
}
