import SegueControl
import SegueCore

/// The report of the process that tries a plugin, as far as it has come.
struct CheckerReport {
  private(set) var findings: [Finding] = []
  /// The step that the process was about to take.
  private(set) var stage = "its start"
  private(set) var isDone = false
  /// More was found than is kept.
  private(set) var isCut = false
  /// An error is among that.
  private(set) var hasCutError = false
  private var length = 0
  /// The messages of the findings: the same error is often found again, or logged too.
  private var messages: Set<String> = []
  /// The begin of a line.
  private var line: [UInt8] = []

  /// Takes bytes of the report. A line that is no report is skipped: the plugin can write there too.
  mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let report = PluginReport(line: String(decoding: line, as: UTF8.self)) { take(report) }
        line.removeAll(keepingCapacity: true)
      } else if line.count < Limits.pluginReportLine {
        line.append(byte)
      }
    }
  }

  private mutating func take(_ report: PluginReport) {
    switch report {
    case .stage(let what): stage = what
    case .done: isDone = true
    case .finding(let word, let message, let advice):
      guard let severity = Finding.Severity(rawValue: word) else { return }
      // A finding that is not shown is not kept: a plugin can write without end.
      guard !isCut else {
        if severity == .error { hasCutError = true }
        return
      }
      guard messages.insert(word + message).inserted,
        !messages.contains(Finding.Severity.error.rawValue + message) || severity == .error
      else { return }
      if severity == .error, let last = findings.last, last.message == message { findings.removeLast() }
      length += word.utf8.count + message.utf8.count + advice.utf8.count
      if length <= Limits.pluginReportLength {
        findings.append(Finding(severity: severity, message: message, advice: advice))
      } else {
        isCut = true
        hasCutError = severity == .error
      }
    }
  }
}
