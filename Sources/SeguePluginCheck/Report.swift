import Glibc
import SegueCore

/// Writes each line at once, since lines in a buffer would be lost when the plugin crashes.
final class Report {
  private let descriptor: Int32
  /// The number of errors so far.
  private(set) var errors = 0
  private(set) var stage = ""

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Names the step that runs next: a crash belongs to it.
  func enter(_ stage: String) {
    self.stage = stage
    write(.stage(stage))
  }

  func error(_ message: String, advice: String) {
    errors += 1
    write(.finding(severity: "error", message: Self.sentence(message), advice: advice))
  }

  func note(_ message: String) { write(.finding(severity: "note", message: Self.sentence(message), advice: "")) }

  func done() {
    write(.done)
    enter("the end of the process")
  }

  private static func sentence(_ text: String) -> String { text.ends(with: ".") ? text : text + "." }

  private func write(_ line: PluginReport) {
    var rest = Array((line.line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
