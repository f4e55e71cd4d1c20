import Foundation
import Segue

/// The model: lines of text, and how they were changed. The lines are its part of the state.
@MainActor
final class Outline: Responder {
  let responderState = ResponderState()
  private(set) var lines: [String]
  private(set) var history: [String] = []

  init(lines: [String] = []) { self.lines = lines }

  convenience init(reading url: URL) throws {
    self.init(lines: try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { String($0) })
  }

  func write(to url: URL) throws {
    try (lines.joined(separator: "\n") + "\n").write(to: url, atomically: true, encoding: .utf8)
  }

  func replace(_ index: Int, by text: String) {
    guard lines.indices.contains(index) else { return }
    history.append("\(index + 1): \(lines[index])")
    lines[index] = text
    setNeedsSave()
  }

  func updateUserActivityState(_ activity: UserActivity) throws { try activity.addPayload(lines, for: "lines") }

  func restoreUserActivityState(_ activity: UserActivity) throws {
    lines = try activity.payload([String].self, for: "lines")
  }
}
