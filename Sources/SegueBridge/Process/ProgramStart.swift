import CTerminal
import Glibc
import SegueCore
import SegueState

/// The start of a program that is bridged: with the arguments of our table, and with nothing of another device.
enum ProgramStart {
  /// Starts the first of its programs that is installed, apart from this process. False where none is.
  static func start(_ program: BridgedProgram) -> Bool {
    guard let path = program.installedPath(RegistrySettings.current()) else { return false }
    let arguments = ([path] + program.arguments).map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    return segue_terminal_detach(arguments + [nil], environ, environment("HOME") ?? "/", -1, &pid) == 0
  }
}
