import CTerminal
import Glibc
import SegueCore
import SegueState

extension TerminalProgram {
  /// Starts the first that is installed, for a viewer. Throws `launchFailed` where none is.
  static func open(_ command: [String], activationToken: String) throws(SegueError) {
    if !activationToken.isEmpty {
      setenv("XDG_ACTIVATION_TOKEN", activationToken, 1)
      setenv("DESKTOP_STARTUP_ID", activationToken, 1)
    }
    let isOpen = start(command) { words in
      var pid = pid_t()
      let home = getenv("HOME").map { String(cString: $0) } ?? "/"
      return withStrings(words) { segue_terminal_detach($0, environ, home, -1, &pid) } == 0
    }
    guard !isOpen else { return }
    throw SegueError(
      .launchFailed, "No program that opens a terminal was found.",
      advice: "Install one, or name yours in the environment variable TERMINAL of your session.")
  }
}
