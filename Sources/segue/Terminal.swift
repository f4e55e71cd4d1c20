import Glibc
import SegueBus
import SegueCore

/// Where output goes. Written at once, without a buffer: a pipe shall see each line of `segue watch` as it comes.
enum Terminal {
  /// Whether a person watches standard error.
  static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

  /// The columns of the screen that standard output goes to; nil where that is none.
  static var width: Int? { size(of: STDOUT_FILENO)?.columns }

  /// The screen that a descriptor leads to; nil where that is none, or does not say how large it is.
  private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes a text and the end of its line to standard output. Texts that other devices chose are cleaned where they
  /// come in; this is a second guard that no control character reaches a terminal.
  static func print(_ text: String) throws(CommandFailure) {
    try put(cleaned(text, for: STDOUT_FILENO))
  }

  /// Writes another user's text as it is, with its tabs and long lines, so that it can go into a pipe; only what a
  /// terminal could obey is left out.
  static func printLines(_ text: String) throws(CommandFailure) {
    let lines = DisplayText.cleanLines(text)
    try put(lines.utf8.last == UInt8(ascii: "\n") ? lines : lines + "\n")
  }

  private static func put(_ text: String) throws(CommandFailure) {
    guard write(text, to: STDOUT_FILENO) else {
      throw CommandFailure(
        .failed, SegueError(.system, "Standard output could not be written: \(String(cString: strerror(errno)))."))
    }
  }

  /// The same to standard error.
  static func note(_ text: String) { _ = write(cleaned(text, for: STDERR_FILENO), to: STDERR_FILENO) }

  /// A picture, where standard output is a screen that is large enough for it. Returns whether it was.
  static func draw(_ picture: Picture) throws(CommandFailure) -> Bool {
    // A line is left for the cursor.
    guard let screen = size(of: STDOUT_FILENO),
      let text = picture.text(columns: screen.columns, lines: screen.lines - 1)
    else { return false }
    try put(text)
    return true
  }

  private static func cleaned(_ text: String, for descriptor: Int32) -> String {
    let text = size(of: descriptor).map { WordWrap.wrapped(text, to: $0.columns) } ?? text
    var lines = ""
    for line in text.parts(at: "\n", omittingEmpty: false) {
      lines += DisplayText.clean(String(line), maximum: .max) + "\n"
    }
    return lines
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return false }
      } else {
        written += count
      }
    }
    return true
  }
}
