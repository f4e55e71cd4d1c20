import Foundation
import SegueBus
import SegueControl
import SegueCore
import Testing

@testable import segue

/// The command line's view of a process that tries a plugin, however that ends. The real one's findings are tested in
/// Tests/system.
@Suite struct CheckerProcessTests {
  /// Runs a shell script in the checker's place; its first argument is the plugin, its second the descriptor.
  private func run(
    _ script: String, time: UInt64 = 60_000
  ) throws -> (report: CheckerReport, end: CheckerProcess.End) {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write("#!/bin/sh\n\(script)\n", to: folder + "/checker")
    return try CheckerProcess(program: folder + "/checker", plugin: "/a/b.so", time: time).run()
  }

  /// A process of its own writes the file: if it were open for writing here, a child of a test beside this one could
  /// keep it open, and then it could not be run ("Text file busy").
  private func write(_ script: String, to path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\"", path, script]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  private func findings(_ script: String, time: UInt64 = 60_000) throws -> [String] {
    let (report, end) = try run(script, time: time)
    let findings = PluginCommand.Check.findings(report, end, debugger: "gdb x", time: time)
    return Findings.text(findings).split(separator: "\n").map(String.init)
  }

  @Test func toItsEnd() throws {
    let (report, end) = try run(
      #"printf 'stage\tinit\nnote\t%s %s\tx\ndone\nstage\tthe end\n' "$1" "$2" >&3"#)
    #expect(report.findings == [Finding(severity: .note, message: "/a/b.so 3", advice: "x")])
    #expect(report.isDone && !report.isCut)
    #expect(report.stage == "the end")
    #expect(end == .exited(0))
    #expect(try findings(#"printf 'note\tgood.\t\ndone\n' >&3"#) == ["good."])
  }

  /// Output of the plugin is no finding, and bytes that it writes into the pipe do no harm.
  @Test func garbage() throws {
    #expect(try findings(#"echo 'error\tx\ty'; printf '\0\377nonsense\nerror\na\tb\ndone\n' >&3"#) == [])
    #expect(
      try findings(#"exec 3>&-; exit 0"#).first == "error: It ended the process, with the status 0, in its start.")
  }

  @Test func ended() throws {
    #expect(
      try findings(#"printf 'stage\tinit\n' >&3; exit 7"#).first
        == "error: It ended the process, with the status 7, in init.")
    #expect(
      try findings(#"printf 'stage\tinit\ndone\nstage\tthe end\n' >&3; exit 7"#).first
        == "error: It ended the process, with the status 7, in the end.")
  }

  @Test(arguments: [("SEGV", "SIGSEGV"), ("ABRT", "SIGABRT"), ("ILL", "SIGILL"), ("TERM", "signal 15")])
  func crashed(_ signal: String, _ name: String) throws {
    let lines = try findings(#"printf 'stage\tthe getter of a/b\n' >&3; kill -\#(signal) $$"#)
    #expect(
      lines == [
        "error: It crashed (\(name)) in the getter of a/b.",
        "  An application would have crashed with it. See where: gdb x",
      ])
  }

  /// The process goes, and what it has started.
  @Test func hangs() throws {
    let lines = try findings(
      #"printf 'error\tone thing.\tmend it\nstage\tcreate of a\n' >&3; sleep 1000 & exec sleep 1000"#, time: 200)
    #expect(
      lines == [
        "error: one thing.", "  mend it", "error: It did not return within 200 ms from create of a.",
        "  A plugin is called on the application's thread, and never waits.",
      ])
  }

  /// A child of the plugin's that keeps the pipe open does not keep us.
  @Test func leavesAChild() throws {
    #expect(try findings(#"sleep 1000 & printf 'done\n' >&3"#) == [])
  }

  /// Past the limit findings are not kept, but where it is and that it came to its end.
  @Test func saysTooMuch() throws {
    let script = #"""
      for a in 1 2 3 4 5 6 7 8 9 10; do
        for b in 1 2 3 4 5 6 7 8 9 10; do
          for c in 1 2 3; do printf 'note\t%01000d\t\n' $a$b$c; done
        done
      done >&3
      printf '%0100000d\nstage\tlate\ndone\n' 1 >&3
      """#
    let (report, end) = try run(script)
    #expect(report.isCut && report.isDone)
    #expect(report.stage == "late")
    #expect(end == .exited(0))
    #expect(report.findings.count == Limits.pluginReportLength / 1_004)
    #expect(try findings(script).suffix(2).first == "warning: There is more, which is not shown.")
    // An error fails the check, even if it is hidden.
    #expect(
      try findings(script + "\n" + #"printf 'error\tx\ty\ndone\n' >&3"#).suffix(2).first
        == "error: There is more, which is not shown.")
  }

  /// The checker comes upon the same error again, and the library logs it before the checker reports it.
  @Test func saysItTwice() throws {
    #expect(
      try findings(#"printf 'note\ta.\t\nerror\ta.\tb\nerror\ta.\tb\nnote\ta.\t\nnote\tc.\t\ndone\n' >&3"#)
        == ["error: a.", "  b", "c."])
  }

  @Test func isNotThere() {
    let error = #expect(throws: SegueError.self) {
      try CheckerProcess(program: "/no/such/checker", plugin: "/a.so", time: 1_000).run()
    }
    #expect(error?.message.contains("/no/such/checker cannot be run") == true)
  }

  /// Bytes of a line beyond its bound are not read.
  @Test(arguments: [0, 1]) func aLineIsSoLong(_ more: Int) {
    var report = CheckerReport()
    let message = String(repeating: "x", count: Limits.pluginReportLine - "note\t\tz".utf8.count + more)
    report.append(Array("note\t\(message)\tz\n".utf8))
    #expect(report.findings.map { $0.message } == [message])
    #expect(report.findings.first?.advice == (more == 0 ? "z" : ""))
  }
}
