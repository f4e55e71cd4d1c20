import ArgumentParser
import Glibc
import SegueBus
import SegueCore

struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "For developers: judge how an application is declared.",
    subcommands: [Check.self])

  struct Check: DaemonCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what is wrong with an application's desktop file and service file, and how to mend it.",
      discussion: """
        It judges the file name, the activity types, where the file is, and the service file that launches the \
        application. The exit status is 1 if something does not work so.

        Example:
          segue app check ~/.local/share/applications/org.example.Editor.desktop
        """)

    @Argument(help: "The path of a desktop file.", completion: .file(extensions: ["desktop"]))
    var file: String

    @Flag(help: "Print JSON: an array of objects.")
    var json = false

    func run(_ daemon: Daemon) throws(CommandFailure) {
      let findings = try daemon.list("CheckApplication", [.string(Self.absolute(file))])
      try Terminal.print(json ? JSONText.array(findings) : Self.text(findings))
      let errors = findings.count { $0["severity"]?.asString == "error" }
      guard errors > 0 else { return }
      throw CommandFailure(
        .failed,
        SegueError(.invalidArgument, errors == 1 ? "One thing does not work so." : "\(errors) things do not work so."))
    }

    /// The daemon's working folder is another one.
    static func absolute(_ path: String) -> String {
      guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
      defer { free(folder) }
      return String(cString: folder) + "/" + path
    }

    /// A line for each finding, and under it what to do.
    static func text(_ findings: [BusDictionary]) -> String {
      var lines: [String] = []
      for finding in findings {
        func text(_ key: String) -> String { DisplayText.clean(finding[key]?.asString ?? "", maximum: 1_024) }
        let severity = text("severity")
        lines.append((severity == "note" ? "" : severity + ": ") + text("message"))
        if !text("advice").isEmpty { lines.append("  " + text("advice")) }
      }
      return lines.joined(separator: "\n")
    }
  }
}
