import CSegueLibrary
import Dispatch
import Foundation
import Glibc

/// The main queue's watch over an application's descriptor.
///
/// It watches a duplicate of its own, and closes that when Dispatch has let it go. The library closes its descriptor with the
/// application, and the next file of the program may get the same number while Dispatch still knows it.
@MainActor
final class MainLoopSource {
  /// The duplicate.
  let descriptor: Int32
  private let source: any DispatchSourceRead

  init(_ application: Application, descriptor: Int32) throws {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { throw SegueError(result: -errno) }
    self.descriptor = duplicate
    source = DispatchSource.makeReadSource(fileDescriptor: duplicate, queue: .main)
    source.setEventHandler { [weak application] in
      MainActor.assumeIsolated { _ = try? application?.dispatch() }
    }
    source.setCancelHandler { close(duplicate) }
    source.activate()
  }

  isolated deinit { source.cancel() }
}

extension Application {
  /// The descriptor to watch for readability in a main loop of your own; the library's, never closed by you.
  public var descriptor: Int32 { get throws { try check(segue_application_get_fd(raw())) } }

  /// Does what there is to do, callbacks included, and returns without waiting: the number of events handled. Call it when
  /// `descriptor` is readable. `start` and `run` do so themselves.
  @discardableResult
  public func dispatch() throws -> Int {
    try withExtendedLifetime(self) { Int(try check(segue_application_dispatch(raw()))) }
  }

  /// Takes part in the main queue, and returns: for programs whose main loop is that of `@main` with an async `main`,
  /// `dispatchMain`, or Foundation's main run loop. Starting twice is fine.
  public func start() throws {
    if source == nil { source = try MainLoopSource(self, descriptor: try descriptor) }
  }

  /// Runs the main run loop, and with it the main queue and the main actor, until `quit`. For the main thread of a program
  /// that has no other loop.
  public func run() throws {
    try start()
    isQuitting = false
    while !isQuitting, pointer != nil { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }

  /// Makes `run` return.
  public func quit() {
    isQuitting = true
    // A run loop looks again after something has happened.
    RunLoop.main.perform {}
  }
}
