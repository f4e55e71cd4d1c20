import SegueCore
import SegueState

/// The user's mimeapps.list ("Association between MIME types and applications" 1.0.1), of which the programs of one type
/// are changed. All other lines stay as they are.
struct MimeApplications {
  static let defaults = "Default Applications"
  static let added = "Added Associations"

  private var lines: [String]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

  var text: String { lines.joined(separator: "\n") }

  /// The ids of desktop files, the best first.
  func programs(_ group: String, _ type: String) -> [String] {
    guard let line = line(group, type) else { return [] }
    return lines[line].split(separator: "=", maxSplits: 1).dropFirst().joined().split(separator: ";")
      .map { $0.trimmed }.filter { !$0.isEmpty }
  }

  /// None: the line goes.
  mutating func set(_ group: String, _ type: String, to programs: [String]) {
    let entry = "\(type)=\(programs.map { $0 + ";" }.joined())"
    switch (line(group, type), programs.isEmpty) {
    case (let line?, true): lines.remove(at: line)
    case (let line?, false): lines[line] = entry
    case (nil, true): break
    case (nil, false):
      if let header = lines.firstIndex(where: { $0.trimmed == "[\(group)]" }) {
        lines.insert(entry, at: header + 1)
      } else {
        while lines.last == "" { lines.removeLast() }
        lines += (lines.isEmpty ? [] : [""]) + ["[\(group)]", entry, ""]
      }
    }
  }

  private func line(_ group: String, _ type: String) -> Int? {
    var isInGroup = false
    for (number, line) in lines.enumerated() {
      let line = line.trimmed
      if line.hasPrefix("[") { isInGroup = line == "[\(group)]" }
      let key = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
      if isInGroup, line.contains("="), String(key).trimmed == type { return number }
    }
    return nil
  }
}

extension StringProtocol {
  /// Without space at both ends.
  fileprivate var trimmed: String {
    let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
    return String(self[..<end].drop { $0.isWhitespace })
  }
}
