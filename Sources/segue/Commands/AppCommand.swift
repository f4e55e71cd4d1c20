import ArgumentParser
import SegueControl
import SegueCore

struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "For developers: judge how an application is declared.",
    subcommands: [Check.self])

  struct Check: DaemonCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what is wrong with an application's desktop file and service file, and how to fix it.",
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

    func run(_ daemon: DaemonClient) throws(CommandFailure) {
      let findings: [Finding] = try daemon.ask(.checkApplication, [.string(AbsolutePath.of(file))])
      try Findings.show(findings, asJSON: json)
    }
  }
}
