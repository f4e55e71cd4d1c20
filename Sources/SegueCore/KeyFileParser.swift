/// Takes a key file apart, line by line.
struct KeyFileParser {
  enum Line {
    case group(String)
    case entry(KeyFile.Entry)
  }

  /// The group that the last header opened.
  private(set) var group: String?
  private let bytes: [UInt8]
  private let mode: KeyFile.Mode
  private var offset = 0
  private var number = 0

  init(_ bytes: [UInt8], mode: KeyFile.Mode) throws(SegueError) {
    guard bytes.count <= Limits.fileLength else {
      throw SegueError(.limitExceeded, "The file has \(bytes.count) bytes, more than \(Limits.fileLength)")
    }
    self.bytes = bytes
    self.mode = mode
  }

  func failure(_ what: String) -> SegueError { SegueError(.invalidArgument, "Line \(number): \(what)") }

  /// The next line that is no comment, nil at the end.
  mutating func next() throws(SegueError) -> Line? {
    while offset < bytes.count {
      let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      var line = bytes[offset..<end]
      offset = end &+ 1
      number &+= 1
      if mode == .lenient {
        while line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        line = line.drop(while: isBlank)
      }
      guard TextCheck.validUTF8(line) else { throw failure("not UTF-8, or a NUL") }
      guard line.first != UInt8(ascii: "#"), !line.allSatisfy(isBlank) else { continue }
      if mode == .strict, line.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }) {
        throw failure("a control character")
      }
      return line.first == UInt8(ascii: "[") ? try header(line) : try entry(line)
    }
    return nil
  }

  private mutating func header(_ line: ArraySlice<UInt8>) throws(SegueError) -> Line {
    var line = line
    if mode == .lenient { while let last = line.last, isBlank(last) { line = line.dropLast() } }
    let name = line.dropFirst().dropLast()
    guard line.last == UInt8(ascii: "]"), Self.isGroup(name) else { throw failure("not a group's name") }
    let string = String(decoding: name, as: UTF8.self)
    group = string
    return .group(string)
  }

  private func entry(_ line: ArraySlice<UInt8>) throws(SegueError) -> Line {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw failure("neither a comment, a group nor a key with a value")
    }
    var key = line[..<equals]
    while let last = key.last, isBlank(last) { key = key.dropLast() }
    guard Self.isKey(key, mode: mode) else { throw failure("not a key before =") }
    let value = line[(equals &+ 1)...].drop(while: isBlank)
    return .entry(
      KeyFile.Entry(
        key: String(decoding: key, as: UTF8.self), value: String(decoding: value, as: UTF8.self), line: number))
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
  static func isKey(_ key: ArraySlice<UInt8>, mode: KeyFile.Mode) -> Bool {
    var name = key
    if let bracket = key.firstIndex(of: UInt8(ascii: "[")) {
      name = key[..<bracket]
      let locale = key[(bracket &+ 1)...].dropLast()
      guard key.last == UInt8(ascii: "]"), isLocale(locale, mode: mode) else { return false }
    }
    return !name.isEmpty
      && name.allSatisfy { mode == .strict ? isNameByte($0) : isNameByte($0) || isPrintable($0) }
  }

  /// lang_COUNTRY.ENCODING@MODIFIER, as far as its bytes go. KDE has other things in that place, such as `$e`.
  private static func isLocale(_ locale: ArraySlice<UInt8>, mode: KeyFile.Mode) -> Bool {
    !locale.isEmpty
      && locale.allSatisfy {
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
