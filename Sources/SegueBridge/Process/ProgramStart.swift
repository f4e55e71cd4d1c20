import CTerminal
import Glibc
import SegueCore
import SegueState

/// The start of a program that is bridged: with the arguments of our table, and with nothing of another device beyond a
/// checked path and numbers.
enum ProgramStart {
  /// Starts the first of its programs that is installed, apart from this process, with these arguments behind those of
  /// the table. The process; nil where none is installed.
  @discardableResult static func start(_ program: BridgedProgram, _ more: [String] = []) -> Int32? {
    guard let path = program.installedPath(RegistrySettings.current()) else { return nil }
    return start([path] + program.arguments + more)
  }

  /// `handed`: a descriptor that it gets as number 3.
  static func start(_ words: [String], handed: Int32 = -1) -> Int32? {
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    let home = environment("HOME") ?? "/"
    guard segue_terminal_detach(arguments + [nil], environ, home, handed, &pid) == 0 else { return nil }
    return pid
  }
}
