import SegueCore

/// A mimeapps.list of which the programs of one type are changed. All other lines stay as they are, byte for byte.
struct MimeApplications {
  /// Without the line feeds between them.
  private var lines: [[UInt8]]
  private var file: KeyFile

  /// Throws `invalidArgument` for bytes that are no such list.
  init(_ bytes: [UInt8]) throws(SegueError) {
    lines = bytes.split(separator: Self.lineFeed, omittingEmptySubsequences: false).map { Array($0) }
    file = try KeyFile(bytes, mode: .lenient)
  }

  var bytes: [UInt8] { Array(lines.joined(separator: [Self.lineFeed])) }

  /// The ids of desktop files, the best first.
  func programs(_ group: String, _ type: String) throws(SegueError) -> [String] { try file.list(group, type) ?? [] }

  /// None: the line goes.
  mutating func set(_ group: String, _ type: String, to programs: [String]) throws(SegueError) {
    let entry = Array("\(type)=\(programs.map { $0 + ";" }.joined())".utf8)
    if let line = file.line(group, type) {
      let end = Self.end(lines[line - 1])
      lines.replaceSubrange((line - 1)..<line, with: programs.isEmpty ? [] : [entry + end])
    } else if programs.isEmpty {
      return
    } else if let header = file.line(group) {
      if header == lines.count { lines.append([]) }
      lines.insert(entry + Self.end(lines[header - 1]), at: header)
    } else {
      while lines.last.map({ $0 == Self.end($0) }) == true { lines.removeLast() }
      // The file's first line shows how all of its lines end.
      let end = lines.first.map { Self.end($0) } ?? []
      lines += (lines.isEmpty ? [] : [end]) + [Array("[\(group)]".utf8) + end, entry + end, []]
    }
    self = try MimeApplications(bytes)
    // An earlier line of that key would count again.
    if programs.isEmpty, file.line(group, type) != nil { try set(group, type, to: []) }
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// The carriage return before the line feed, if there is one, as editors of other systems write it.
  private static func end(_ line: [UInt8]) -> [UInt8] {
    line.last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []
  }
}
