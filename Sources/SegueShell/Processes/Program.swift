import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore

/// The program of a session, on its terminal.
final class Program {
  let terminal: FileDescriptor
  /// Readable when the program has ended.
  let process: FileDescriptor
  private let pid: pid_t

  /// Why a program cannot be started, and the status that a shell gives for that.
  struct Failure: Error {
    let message: String
    let status: UInt8

    init(message: String, status: UInt8) {
      self.message = message
      self.status = status
    }

    /// A failure that the program did not cause.
    init(_ error: SegueError) { self.init(message: error.message, status: 1) }
  }

  init(_ arguments: [String], session: String, size: TerminalSize) throws(Failure) {
    var path = [CChar](repeating: 0, count: 64)
    let terminal = segue_terminal_open(&path, path.count)
    guard terminal >= 0 else { throw Failure(message: "no terminal can be had: \(Self.text(terminal))", status: 126) }
    self.terminal = FileDescriptor(owning: terminal)
    var settings = termios()
    if tcgetattr(terminal, &settings) == 0 {
      // Erasing takes whole characters.
      settings.c_iflag |= tcflag_t(IUTF8)
      tcsetattr(terminal, TCSANOW, &settings)
    }
    segue_terminal_set_size(terminal, Int32(size.rows), Int32(size.columns))
    var pid = pid_t()
    let process = withStrings(arguments) { arguments in
      withStrings(Self.environment(session: session)) { environment in
        segue_terminal_spawn(arguments, environment, path, &pid)
      }
    }
    guard process >= 0 else {
      throw Failure(
        message: "\(arguments.first ?? ""): \(Self.text(process))", status: process == -ENOENT ? 127 : 126)
    }
    self.process = FileDescriptor(owning: process)
    self.pid = pid
  }

  private static func text(_ error: Int32) -> String { String(cString: strerror(-error)) }

  func resize(_ size: TerminalSize) {
    segue_terminal_set_size(terminal.raw, Int32(size.rows), Int32(size.columns))
  }

  /// After `process` became readable: as a shell numbers it.
  func status() -> UInt8 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return UInt8(truncatingIfNeeded: signal == 0 ? status >> 8 : 128 + signal)
  }

  /// Hangs up, as a terminal's window does when it is closed.
  func hangUp() { kill(-pid, SIGHUP) }

  /// The name of the program in the terminal's foreground, and the last part of its working directory's path.
  var foreground: (program: String, folder: String)? {
    let group = tcgetpgrp(terminal.raw)
    guard group > 0, let name = FileDescriptor.content(of: "/proc/\(group)/comm"),
      let folder = realpath("/proc/\(group)/cwd", nil)
    else { return nil }
    defer { free(folder) }
    return (
      ShellNames.clean(String(decoding: name.prefix { $0 != 0x0A }, as: UTF8.self)),
      ShellNames.lastPart(of: String(cString: folder))
    )
  }

  /// The variables that describe the terminal in which the session was started, and not the session's own terminal.
  private static let left: Set<Substring> = [
    "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION", "WINDOWID", "KITTY_WINDOW_ID", "KITTY_PID",
    "ALACRITTY_WINDOW_ID", "WEZTERM_PANE", "TMUX", "TMUX_PANE", "STY", "WINDOW", "LINES", "COLUMNS",
    Substring(ShellNames.variable),
  ]

  private static func environment(session: String) -> [String] {
    var kept: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !left.contains(variable.prefix { $0 != "=" }) { kept.append(variable) }
      entry += 1
    }
    return kept + ["TERM=xterm-256color", "\(ShellNames.variable)=\(session)"]
  }
}

/// Names that are shown.
enum ShellNames {
  /// The environment variable by which a program knows that it runs in a session.
  static let variable = "SEGUE_SHELL_SESSION"

  static func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.shellName) }

  static func lastPart(of path: String) -> String {
    clean(path.parts(at: "/").last ?? "/")
  }

  /// This device's.
  static var device: String {
    var name = [CChar](repeating: 0, count: 65)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return clean(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}

/// Calls `body` with the strings as C has a list of them.
func withStrings<T>(_ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> T) -> T {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { buffer in
    // There is always the nil at its end.
    guard let start = buffer.baseAddress else { preconditionFailure("An array with an element has a place.") }
    return body(start)
  }
}

extension FileDescriptor {
  /// The beginning of a small file.
  static func content(of path: String) -> [UInt8]? {
    let file = FileDescriptor(owning: Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    return file.raw >= 0 ? file.bytes(maximum: 4_096) : nil
  }
}
