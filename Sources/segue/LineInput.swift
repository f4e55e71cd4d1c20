import Glibc
import SegueBus
import SegueCore

/// Standard input, in lines, while something else is waited for too.
final class LineInput {
  private var watch: LoopWatch?
  private var isEnded = false
  /// Somebody types, or could until the terminal was lost.
  let isTerminal = isatty(STDIN_FILENO) == 1 || errno == EIO
  private var bytes: [UInt8] = []
  private var lines: [String] = []

  /// Reads in dispatches of the loop, and calls `came` in them.
  init(_ loop: EventLoop, came: @escaping () -> Void) {
    do throws(SegueError) {
      watch = try loop.watch(STDIN_FILENO, .readable) { [weak self] _ in
        self?.read()
        came()
      }
    } catch {
      // A plain file cannot be watched, and has all that it will have.
      while !isEnded { read() }
    }
  }

  /// Whether no line will come any more.
  var isOver: Bool { isEnded && lines.isEmpty }

  /// The line that came first of those that were not taken.
  func take() -> String? { lines.isEmpty ? nil : lines.removeFirst() }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: Limits.sentenceLength)
    let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      isEnded = true
      watch?.cancel()
      watch = nil
      return
    }
    bytes += chunk[..<count]
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: bytes[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
      bytes.removeFirst(end + 1)
    }
    // A longer line is cut.
    bytes.removeFirst(max(bytes.count - Limits.sentenceLength, 0))
  }
}
