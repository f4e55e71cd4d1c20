import ArgumentParser
import Glibc
import SegueControl
import SegueCore

extension PluginCommand {
  struct Check: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Try a plugin in a process of its own, and say what is wrong with it.",
      discussion: """
        It reads the metadata, loads the plugin as an application would, compares its tables with the metadata, makes \
        each object, and sets each property to samples of its type: its getter is to give what was set, unless the \
        setter refuses it. Then it saves the object, changes it, restores it, and looks whether it holds what was saved; \
        so does another object. The exit status is 1 if something does not work so.

        Example:
          segue plugin check build/org.example.place.so
        """)

    @Argument(
      help: "One of the plugin's two files, or the id of an installed one.",
      completion: .file(extensions: ["so", "plugin"]))
    var file: String

    @Flag(help: "Print JSON: an array of objects.")
    var json = false

    @Option(help: .hidden)
    var timeLimit = Limits.pluginCheckTime

    func validate() throws {
      guard (1...3_600_000).contains(timeLimit) else { throw ValidationError("1 to 3600000 ms can be given.") }
    }

    func perform() throws(CommandFailure) {
      let findings = try CommandFailure.mapping(.failed) { () throws(SegueError) in try self.findings() }
      try Findings.show(findings, asJSON: json)
    }

    private func findings() throws(SegueError) -> [Finding] {
      let place = try PluginPlace.named(file)
      let problems = place.problems()
      guard problems.isEmpty else {
        return problems.map { Finding(severity: .error, message: $0.message, advice: $0.advice) }
      }
      let library = try Self.absolute(place)
      let checker = CheckerProcess(program: try Installation.current().pluginChecker, plugin: library, time: timeLimit)
      let (report, end) = try checker.run()
      let debugger = "gdb --args \(ShellText.quote(checker.program)) \(ShellText.quote(library)) 1"
      return Self.findings(report, end, debugger: debugger, time: timeLimit)
    }

    /// Without links and dots on the way to the file: only its own name counts.
    private static func absolute(_ place: PluginPlace) throws(SegueError) -> String {
      guard let folder = realpath(place.folder, nil) else {
        throw SegueError(
          .notFound,
          "\(DisplayText.clean(place.folder, maximum: Limits.shownPath)) cannot be read: "
            + "\(String(cString: strerror(errno))).")
      }
      defer { free(folder) }
      return String(cString: folder) + "/" + place.name + PluginPlace.librarySuffix
    }

    /// The process's findings, and how it ended if it did not come to its end.
    static func findings(
      _ report: CheckerReport, _ end: CheckerProcess.End, debugger: String, time: UInt64
    ) -> [Finding] {
      var findings = report.findings
      func add(_ severity: Finding.Severity, _ message: String, _ advice: String) {
        findings.append(Finding(severity: severity, message: message, advice: advice))
      }
      if report.isCut {
        let severity = report.hasCutError ? Finding.Severity.error : .warning
        add(severity, "There is more, which is not shown.", "Fix the first ones first.")
      }
      switch end {
      case .exited(0) where report.isDone: break
      case .exited(let status):
        add(
          .error, "It ended the process, with the status \(status), in \(report.stage).",
          "A plugin returns to the application: it calls neither exit nor abort.")
      case .signalled(let signal):
        add(
          .error, "It crashed (\(name(of: signal))) in \(report.stage).",
          "An application would have crashed with it. See where: \(debugger)")
      case .tookTooLong:
        add(
          .error, "It did not return within \(time) ms from \(report.stage).",
          "A plugin is called on the application's thread, and never waits.")
      }
      return findings
    }

    private static func name(of signal: Int32) -> String {
      switch signal {
      case SIGSEGV: "SIGSEGV"
      case SIGABRT: "SIGABRT"
      case SIGILL: "SIGILL"
      case SIGFPE: "SIGFPE"
      case SIGBUS: "SIGBUS"
      case SIGTRAP: "SIGTRAP"
      case SIGKILL: "SIGKILL"
      case SIGSYS: "SIGSYS"
      default: "signal \(signal)"
      }
    }
  }
}
