import SegueCore

/// The command lines of desktop files and D-Bus service files. They are read to find an application's program; Segue
/// runs none of them.
public enum ExecLine {
  /// The words of a command line, quoted as a shell does: by '…', by "…", in which \ protects $ ` " \, and by \.
  public static func split(_ line: String) throws(SegueError) -> [String] {
    guard line.utf8.contains(where: isQuoting) else {
      let words = line.utf8.split(whereSeparator: isBlank).map { String(decoding: $0, as: UTF8.self) }
      guard !words.isEmpty else { throw isEmpty }
      return words
    }
    var words: [String] = []
    var word: [UInt8] = []
    var isOpen = false
    var quote: UInt8?
    var bytes = Array(line.utf8)[...]
    while let byte = bytes.popFirst() {
      switch (quote, byte) {
      case (nil, let byte) where isBlank(byte):
        if isOpen { words.append(String(decoding: word, as: UTF8.self)) }
        word.removeAll(keepingCapacity: true)
        isOpen = false
        continue
      case (nil, UInt8(ascii: "\"")), (nil, UInt8(ascii: "'")):
        quote = byte
      case (nil, UInt8(ascii: "\\")):
        guard let next = bytes.popFirst() else { throw SegueError(.invalidArgument, "Exec ends in a backslash") }
        word.append(next)
      case (UInt8(ascii: "\""), UInt8(ascii: "\\")):
        if let next = bytes.first, "$`\"\\".utf8.contains(next) {
          word.append(next)
          bytes.removeFirst()
        } else {
          word.append(byte)
        }
      case (let open, byte) where open == byte:
        quote = nil
      default:
        word.append(byte)
      }
      isOpen = true
    }
    guard quote == nil else { throw SegueError(.invalidArgument, "Exec has a quote that does not end") }
    if isOpen { words.append(String(decoding: word, as: UTF8.self)) }
    guard words.first?.isEmpty == false else { throw isEmpty }
    return words
  }

  private static let isEmpty = SegueError(.invalidArgument, "Exec is empty")

  private static func isQuoting(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
  }

  /// The command that `env` runs, if the words call `env`; otherwise the words.
  public static func withoutEnv(_ words: [String]) -> [String] {
    guard let first = words.first, first == "env" || first.ends(with: "/env") else { return words }
    let command = words.dropFirst().drop { $0.begins(with: "-") || $0.utf8.contains(UInt8(ascii: "=")) }
    return command.isEmpty ? words : Array(command)
  }
}
