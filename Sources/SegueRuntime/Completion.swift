import SegueCore

/// What is called when something that was asked of the daemon is over: once, whatever ends it.
final class Completion {
  private var body: ((SegueError?) -> Void)?

  init(_ body: @escaping (SegueError?) -> Void) { self.body = body }

  /// Calls it, the first time.
  func call(_ error: SegueError?) {
    let body = body
    self.body = nil
    body?(error)
  }

  static func closing(advice: String = "") -> SegueError {
    SegueError(
      .connectionUnavailable, "The application closed before the Segue daemon had answered.", advice: advice)
  }
}
