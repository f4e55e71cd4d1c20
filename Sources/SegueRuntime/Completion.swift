import SegueCore

/// A callback for a request to the daemon: it is called once, whatever ends the request.
final class Completion {
  private var body: ((SegueError?) -> Void)?

  init(_ body: @escaping (SegueError?) -> Void) { self.body = body }

  /// Calls the body, the first time only.
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
