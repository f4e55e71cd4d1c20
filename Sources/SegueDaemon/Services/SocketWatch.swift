import SegueBus
import SegueCore

/// Reports when a bus may have come, by its socket, so that the daemon need not poll.
final class SocketWatch {
  private let files: ConfigurationWatch
  private var watch: LoopWatch?

  /// `changed` is called in dispatches of the loop, until `close`. Nil where the bus has no path, or nothing can be
  /// watched.
  init?(of address: String, _ loop: EventLoop, changed: @escaping () -> Void) {
    let paths = Connection.socketPaths(address).filter { $0.begins(with: "/") }
    guard !paths.isEmpty, let files = try? ConfigurationWatch(paths) else { return nil }
    self.files = files
    files.arm()
    watch = try? loop.watch(files.descriptor, .readable) { [files] _ in
      guard files.hasChanges() else { return }
      files.arm()
      changed()
    }
    if watch == nil { return nil }
  }

  func close() {
    watch?.cancel()
    watch = nil
  }
}
