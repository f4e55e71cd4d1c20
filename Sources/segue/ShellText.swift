import SegueCore

/// Words of a command line that is shown, to be copied into a shell.
enum ShellText {
  /// The word as POSIX shells read it: as it is where nothing in it is special, else in single quotes.
  static func quote(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'" + word.parts(at: "'", omittingEmpty: false).joined(separator: "'\\''") + "'"
  }
}
