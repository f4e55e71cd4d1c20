import Glibc
import SegueCore
import SegueState

/// Whether a process runs a program of an application's files: that of the service file's Exec or, where this is a
/// launcher that starts another, that of the desktop file's Exec or TryExec (attack 32).
struct ProgramMatch {
  private let searchPath: [String]

  init(_ searchPath: [String]) { self.searchPath = searchPath }

  /// Why not; nil if it does.
  func refusal(of process: HostProcess, as application: InstalledApplication) -> String? {
    guard let executable = process.executable else { return "its executable cannot be seen" }
    let commands = ([application.exec] + application.desktopCommands).filter { !$0.isEmpty }
    guard !commands.isEmpty else { return "no service file or desktop file names its program" }
    if commands.contains(where: { runs($0, process, executable) }) { return nil }
    let programs = commands.compactMap { ExecLine.withoutEnv($0).first }
    return "its executable is \(executable), and the installed files name \(programs.joined(separator: ", "))"
  }

  private func runs(_ command: [String], _ process: HostProcess, _ executable: String) -> Bool {
    let words = ExecLine.withoutEnv(command)
    guard let program = words.first.flatMap(locate) else { return false }
    if Self.isSame(program, process, executable) {
      // `python3 /usr/share/x/main.py` is not every python3.
      guard words.count > 1, words[1].begins(with: "/") else { return true }
      return process.arguments.dropFirst().contains(words[1])
    }
    guard let interpreter = interpreter(of: program), Self.isSame(interpreter, process, executable) else {
      return false
    }
    // The kernel puts the script behind the interpreter and the one argument that its first line may have.
    return process.arguments.dropFirst().prefix(2).contains { argument in
      locate(argument).flatMap(HostProcess.FileID.init(path:)).map { $0 == HostProcess.FileID(path: program) } ?? false
    }
  }

  private static func isSame(_ program: String, _ process: HostProcess, _ executable: String) -> Bool {
    // An updated program's old process has only the path left to be known by.
    guard let file = process.file else { return executable.isSame(as: program) }
    return file == HostProcess.FileID(path: program)
  }

  /// The program's path without links; nil if there is none.
  private func locate(_ program: String) -> String? {
    let paths = program.utf8.contains(UInt8(ascii: "/")) ? [program] : searchPath.map { $0 + "/" + program }
    for path in paths where path.begins(with: "/") {
      guard let resolved = realpath(path, nil) else { continue }
      defer { free(resolved) }
      return String(validatingCString: resolved)
    }
    return nil
  }

  /// The interpreter of a script, nil for a binary.
  private func interpreter(of script: String) -> String? {
    guard let start = File.beginning(of: script, maximum: Limits.interpreterLine), start.starts(with: "#!".utf8),
      let line = String(validating: start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    else { return nil }
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    return ExecLine.withoutEnv(words).first.flatMap(locate)
  }
}
