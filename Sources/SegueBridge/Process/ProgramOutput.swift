import CLinux
import Glibc
import SegueBus
import SegueCore

/// The standard output of a short program, bounded in length and time.
final class ProgramOutput {
  private let end: FileDescriptor
  private var watch: LoopWatch?
  private var overdue: LoopTimer?
  private var bytes: [UInt8] = []
  /// Set until it is called.
  private var done: (([UInt8]?) -> Void)?

  /// Starts the program, by its path and with these arguments. `done` gets all that it has written, and nil where it
  /// cannot be started, writes more than `Limits.bridgeRecord`, or takes longer than `Limits.bridgeAnswerTime`.
  static func read(_ words: [String], on loop: EventLoop, _ done: @escaping ([UInt8]?) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0, &ends) == 0 else {
      return loop.later { done(nil) }
    }
    let write = FileDescriptor(owning: ends[1])
    // A program may not expect that it has to wait.
    _ = fcntl(write.raw, F_SETFL, 0)
    let output = ProgramOutput(FileDescriptor(owning: ends[0]), done)
    // The shell's text is fixed; the words are its parameters.
    guard ProgramStart.start(["/bin/sh", "-c", #"exec "$@" >&3 3>&-"#, "sh"] + words, handed: write.raw) != nil else {
      return loop.later { output.finish(nil) }
    }
    output.watch = try? loop.watch(output.end.raw, .readable) { _ in output.read() }
    output.overdue = loop.timer(after: Limits.bridgeAnswerTime) { output.finish(nil) }
  }

  private init(_ end: FileDescriptor, _ done: @escaping ([UInt8]?) -> Void) { (self.end, self.done) = (end, done) }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Limits.bridgeText)
    let count = CLinux.read(end.raw, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return finish(count == 0 ? bytes : nil) }
    bytes += buffer[..<count]
    if bytes.count > Limits.bridgeRecord { finish(nil) }
  }

  private func finish(_ result: [UInt8]?) {
    guard let done else { return }
    self.done = nil
    watch?.cancel()
    overdue?.cancel()
    done(result)
  }
}
