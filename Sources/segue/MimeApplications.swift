import SegueCore

/// A mimeapps.list of which the programs of one type are changed. All other lines stay as they are.
struct MimeApplications {
  private var lines: [Substring]
  private var file: KeyFile

  /// Throws `invalidArgument` for what is no such list.
  init(_ text: String) throws(SegueError) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    file = try KeyFile(Array(text.utf8), mode: .lenient)
  }

  var text: String { lines.joined(separator: "\n") }

  /// The ids of desktop files, the best first.
  func programs(_ group: String, _ type: String) throws(SegueError) -> [String] { try file.list(group, type) ?? [] }

  /// None: the line goes.
  mutating func set(_ group: String, _ type: String, to programs: [String]) throws(SegueError) {
    let entry = "\(type)=\(programs.map { $0 + ";" }.joined())"
    let header = "[\(group)]"
    if let line = file.line(group, type) {
      lines.replaceSubrange((line - 1)..<line, with: programs.isEmpty ? [] : [entry[...]])
    } else if programs.isEmpty {
      return
    } else if let line = lines.firstIndex(where: { $0.drop { $0 == " " }.hasPrefix(header) }) {
      lines.insert(entry[...], at: line + 1)
    } else {
      while lines.last == "" { lines.removeLast() }
      lines += (lines.isEmpty ? [] : [""]) + [header[...], entry[...], ""]
    }
    self = try MimeApplications(text)
  }
}
