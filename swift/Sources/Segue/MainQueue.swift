import Dispatch
import Foundation
import Glibc

/// The main queue, on which the main actor runs, for a main loop that is not Foundation's: GLib's, for instance.
///
/// Watch the descriptor for readability, and drain the queue when it is readable, always on the main thread. Without it no
/// `await` on the main actor goes on in such a program.
@MainActor
public enum MainQueue {
  /// To be watched for readability; nil where libdispatch has none to give.
  public static var descriptor: Int32? {
    typealias Function = @convention(c) () -> Int32
    return symbol("_dispatch_get_main_queue_handle_4CF", as: Function.self)?()
  }

  /// Runs what waits in the queue.
  public static func drain() {
    silence()
    typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
    symbol("_dispatch_main_queue_callback_4CF", as: Function.self)?(nil)
  }

  /// Makes the descriptor unreadable until something comes to the queue: Dispatch leaves that to the main loop.
  private static func silence() {
    guard let descriptor else { return }
    var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var count: UInt64 = 0
    if poll(&readable, 1, 0) == 1 { _ = read(descriptor, &count, MemoryLayout<UInt64>.size) }
  }

  /// Functions that libdispatch exports for main loops, and that its headers for Swift leave out.
  private static func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
