import SegueCore
import Testing

@Suite struct PluginReportTests {
  @Test func thereAndBack() {
    let reports: [PluginReport] = [
      .stage("the getter of position/line"), .finding(severity: "error", message: "It fails.", advice: "Mend it."),
      .finding(severity: "warning", message: "Odd.", advice: ""), .finding(severity: "note", message: "", advice: ""),
      .done,
    ]
    for report in reports { #expect(PluginReport(line: report.line) == report) }
  }

  /// A plugin's own texts stay on one line.
  @Test func oneLine() {
    #expect(PluginReport.stage("a\tb\nc\u{202E}d").line == "stage\ta b cd")
    let finding = PluginReport.finding(
      severity: "note", message: "a\n\tb", advice: String(repeating: "x", count: 2_000))
    #expect(finding.line == "note\ta  b\t" + String(repeating: "x", count: 1_024))
  }

  @Test(arguments: [
    "", "\t", "stage", "stage\ta\tb", "error\ta", "error\ta\tb\tc", "Error\ta\tb", "fatal\ta\tb", "done\t", "Done",
    " done",
  ])
  func noReport(_ line: String) { #expect(PluginReport(line: line) == nil) }
}
