import CLinux
import Glibc
import Logging
import SegueCore
import SegueState

/// segued: the per-user daemon. Started by the session bus or by systemd; ends with 0 on SIGTERM, and where another one
/// runs.
public enum DaemonProgram {
  /// Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case nil: break
    case "--version"?:
      print("segued \(Version.string)")
      return 0
    case "--help"?:
      print("Usage: segued [--version]")
      print("The daemon of Segue. The session bus starts it; `segue --help` tells what it can do.")
      return 0
    case let argument?:
      say("\(DisplayText.clean(argument, maximum: Limits.shownName)) is not understood. Usage: segued [--version]")
      return 2
    }

    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      // SEGUE_LOG=debug follows what happens; otherwise the log is silent when all is well.
      handler.logLevel = getenv("SEGUE_LOG").flatMap { Logger.Level(rawValue: String(cString: $0)) } ?? .notice
      return handler
    }

    // A closed log or a closed connection is an error of the write, and does not end the daemon.
    signal(SIGPIPE, SIG_IGN)

    var settings: Settings?
    do throws(SegueError) {
      let signals = segue_signal_descriptor()
      guard signals >= 0 else { throw SegueError(.system, "Signals cannot be watched.") }
      let loaded = try Settings.load()
      settings = loaded
      let isConfined = Confinement.begin(loaded)
      let logger = Logger(label: "segued")
      logger.debug("\(isConfined ? "file work is confined by Landlock" : "this kernel has no Landlock")")
      let daemon = try Daemon(settings: loaded, logger: logger)
      try daemon.run(until: signals)
      return 0
    } catch {
      say("\(error.message) \(error.advice)")
      // Where another daemon runs for the same bus, that one answers.
      let folders = settings.map { [$0.stateFolder] + ($0.doorFolder.map { [$0] } ?? []) } ?? []
      if error.code != .nameTaken || FolderHolder.isElsewhere(folders: folders) { StartFailure.tell(error) }
      return error.code == .nameTaken ? 0 : 1
    }
  }

  /// A line on standard error, for the journal or a terminal.
  private static func say(_ text: String) {
    let line = Array("segued: \(text)\n".utf8)
    _ = write(2, line, line.count)
  }
}
