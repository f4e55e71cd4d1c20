/// Takes a key file apart, line by line.
struct KeyFileParser {
  /// Where in the bytes it is.
  enum Line {
    case group(Range<Int>)
    case entry(key: Range<Int>, value: Range<Int>)
  }

  /// The number of the line that was given last, from 1.
  private(set) var number = 0
  private let bytes: [UInt8]
  private let mode: KeyFile.Mode
  /// All of it is ASCII without a NUL, so that no line has to be looked at for that.
  private let isASCII: Bool
  private var offset = 0

  init(_ bytes: [UInt8], mode: KeyFile.Mode) throws(SegueError) {
    guard bytes.count <= Limits.fileLength else {
      throw SegueError(.limitExceeded, "The file has \(bytes.count) bytes, more than \(Limits.fileLength)")
    }
    self.bytes = bytes
    self.mode = mode
    // Without a way out of the loop, which then takes many bytes at once.
    var all = UInt8(0)
    var nuls = UInt8(0)
    for byte in bytes {
      all |= byte
      nuls |= byte == 0 ? 1 : 0
    }
    isASCII = all < 0x80 && nuls == 0
  }

  func failure(_ what: String) -> SegueError { SegueError(.invalidArgument, "Line \(number): \(what)") }

  func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Whether this text stands there.
  func holds(_ text: String, in range: Range<Int>) -> Bool {
    guard text.utf8.count == range.count else { return false }
    var place = range.lowerBound
    for byte in text.utf8 {
      guard bytes[place] == byte else { return false }
      place &+= 1
    }
    return true
  }

  /// The next line that is no comment, nil at the end.
  mutating func next() throws(SegueError) -> Line? {
    while offset < bytes.count {
      var start = offset
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end &+= 1 }
      offset = end &+ 1
      number &+= 1
      if mode == .lenient {
        while end > start, bytes[end &- 1] == UInt8(ascii: "\r") { end &-= 1 }
        start = afterBlanks(start..<end)
      }
      let isComment = afterBlanks(start..<end) == end || bytes[start] == UInt8(ascii: "#")
      if isComment, mode == .lenient { continue }
      guard isASCII || TextCheck.validUTF8(bytes[start..<end]) else {
        if mode == .lenient, isLocalized(start..<end) { continue }
        throw failure("not UTF-8, or a NUL")
      }
      guard !isComment else { continue }
      if mode != .lenient,
        bytes[start..<end].contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F })
      {
        throw failure("a control character")
      }
      return bytes[start] == UInt8(ascii: "[") ? try header(start..<end) : try entry(start..<end)
    }
    return nil
  }

  /// Whether a line is an entry whose key has a locale, as files from before UTF-8 have them in several encodings.
  private func isLocalized(_ line: Range<Int>) -> Bool {
    guard case .entry(let key, let value)? = try? entry(line) else { return false }
    return bytes[key.upperBound &- 1] == UInt8(ascii: "]") && !bytes[value].contains(0)
  }

  private func header(_ line: Range<Int>) throws(SegueError) -> Line {
    let end = mode == .lenient ? beforeBlanks(line) : line.upperBound
    guard end &- line.lowerBound > 2, bytes[end &- 1] == UInt8(ascii: "]") else { throw failure(Self.badGroup) }
    let name = (line.lowerBound &+ 1)..<(end &- 1)
    guard Self.isGroup(bytes[name]) else { throw failure(Self.badGroup) }
    return .group(name)
  }

  private static let badGroup = "not a group's name"

  private func entry(_ line: Range<Int>) throws(SegueError) -> Line {
    var equals = line.lowerBound
    while equals < line.upperBound, bytes[equals] != UInt8(ascii: "=") { equals &+= 1 }
    guard equals < line.upperBound else { throw failure("neither a comment, a group nor a key with a value") }
    let key = line.lowerBound..<beforeBlanks(line.lowerBound..<equals)
    guard Self.isKey(bytes, key, mode: mode) else { throw failure("not a key before =") }
    return .entry(key: key, value: afterBlanks((equals &+ 1)..<line.upperBound)..<line.upperBound)
  }

  /// The first place in a range where no blank is; its end where all are blanks.
  private func afterBlanks(_ range: Range<Int>) -> Int {
    var place = range.lowerBound
    while place < range.upperBound, isBlank(bytes[place]) { place &+= 1 }
    return place
  }

  /// The end of a range without the blanks before it.
  private func beforeBlanks(_ range: Range<Int>) -> Int {
    var place = range.upperBound
    while place > range.lowerBound, isBlank(bytes[place &- 1]) { place &-= 1 }
    return place
  }

  /// Printable ASCII without brackets.
  static func isGroup(_ name: some Collection<UInt8>) -> Bool {
    !name.isEmpty
      && name.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
  }

  /// A key, and a locale in brackets if there is one.
  ///
  /// The specification allows A-Z a-z 0-9 and -. In strict mode, for names as keys, also _ and dots; in lenient mode
  /// all that is printable ASCII.
  static func isKey(_ bytes: [UInt8], _ key: Range<Int>, mode: KeyFile.Mode) -> Bool {
    var end = key.lowerBound
    while end < key.upperBound, bytes[end] != UInt8(ascii: "[") {
      guard isNameByte(bytes[end]) || mode == .lenient && isPrintable(bytes[end]) else { return false }
      end &+= 1
    }
    guard end > key.lowerBound else { return false }
    guard end < key.upperBound else { return true }
    guard bytes[key.upperBound &- 1] == UInt8(ascii: "]"), key.upperBound &- end > 2 else { return false }
    return isLocale(bytes[(end &+ 1)..<(key.upperBound &- 1)], mode: mode)
  }

  /// lang_COUNTRY.ENCODING@MODIFIER, as far as its bytes go. KDE has other things in that place, such as `$e`.
  private static func isLocale(_ locale: ArraySlice<UInt8>, mode: KeyFile.Mode) -> Bool {
    locale.allSatisfy {
      isNameByte($0) || $0 == UInt8(ascii: "@") || mode == .lenient && $0 == UInt8(ascii: "$")
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "]")
  }
}

/// Whether `byte` is a space or a tab.
private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
