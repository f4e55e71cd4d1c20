import Glibc
import SegueBus
import SegueCore

/// Standard input, in lines, while something else is waited for too.
final class LineInput {
  static let descriptor = STDIN_FILENO
  var watch: LoopWatch?
  /// Nothing more will come.
  private(set) var isOver = false
  private var bytes: [UInt8] = []

  /// The lines that have come. `toEnd`: reads all that there is.
  func read(toEnd: Bool = false) -> [String] {
    var chunk = [UInt8](repeating: 0, count: Limits.sentenceLength)
    var lines: [String] = []
    repeat {
      let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { return lines }
      guard count > 0 else {
        isOver = true
        watch?.cancel()
        watch = nil
        return lines
      }
      bytes += chunk[..<count]
      while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: bytes[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
        bytes.removeFirst(end + 1)
      }
      // A longer line is cut.
      bytes.removeFirst(max(bytes.count - Limits.sentenceLength, 0))
    } while toEnd
    return lines
  }
}
