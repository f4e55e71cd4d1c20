import Glibc
import SegueControl
import SegueCore

/// Terminal sessions, which `segue-shell` shows: in a window of their own, or in this terminal where none can be
/// opened.
enum ShellSessions {
  private static let activityType = "org.segue.shell.session"

  /// Goes on here with the session, in the place of this process. Returns where it is no terminal session, where a
  /// window can be opened for it, where this is no terminal, or `segue-shell` is not there.
  static func continueHere(_ offer: OfferRow) {
    guard offer.type == activityType, !offer.isStored, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      let program = try? Installation.current().shell, run([program, "--opens-windows"]) == 1
    else { return }
    withArguments([program, "--continue-here", offer.id, offer.deviceName]) { _ = execv(program, $0) }
  }

  /// The program's status; nil where it cannot be run.
  private static func run(_ command: [String]) -> Int32? {
    var pid = pid_t()
    guard withArguments(command, { posix_spawn(&pid, command[0], nil, nil, $0, environ) }) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  private static func withArguments<T>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T) -> T {
    let arguments = texts.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    return body(arguments + [nil])
  }
}
