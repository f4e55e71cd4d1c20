import SegueCore

/// Reads JSON strictly (RFC 8259): one value, no key twice in an object, no depth or size without bound. Text that two
/// parsers could read differently is an error that names the line.
public struct JSONReader {
  /// The limits of a document, and the strings that it may have.
  public struct Rules: Sendable {
    let length: Int
    let depth: Int
    let values: Int
    /// Whether strings may have all that JavaScript's may: U+0000, and half of a surrogate pair, which becomes U+FFFD.
    let isOfJavaScript: Bool

    public init(length: Int, depth: Int, values: Int, isOfJavaScript: Bool) {
      (self.length, self.depth, self.values, self.isOfJavaScript) = (length, depth, values, isOfJavaScript)
    }

    /// A domain's association file.
    public static let file = Rules(
      length: Limits.associationLength, depth: Limits.associationDepth, values: Limits.associationValues,
      isOfJavaScript: false)
    /// A message of a browser's extension.
    public static let message = Rules(
      length: Limits.browserMessage, depth: Limits.browserNesting, values: Limits.browserMessage, isOfJavaScript: true)
  }

  private let bytes: [UInt8]
  private let rules: Rules
  private var place = 0
  private var line = 1
  private var values = 0

  private init(_ bytes: [UInt8], _ rules: Rules) {
    self.bytes = bytes
    self.rules = rules
  }

  public static func read(_ bytes: [UInt8], _ rules: Rules) throws(SegueError) -> JSONNode {
    guard bytes.count <= rules.length else {
      throw SegueError(.limitExceeded, "It has more than \(rules.length) bytes.")
    }
    var reader = JSONReader(bytes, rules)
    let node = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.place == bytes.count else { throw reader.failure("something follows the value") }
    return node
  }

  private func failure(_ what: String, line: Int? = nil) -> SegueError {
    SegueError(.invalidArgument, "Line \(line ?? self.line): \(what).")
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      default: return
      }
      place += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) throws(SegueError) -> JSONNode {
    skipSpace()
    values += 1
    guard values <= rules.values else { throw failure("there are too many values") }
    let start = line
    guard let next else { throw failure("it ends where a value is expected") }
    switch next {
    case UInt8(ascii: "{"): return JSONNode(.object(try object(depth: depth + 1)), line: start)
    case UInt8(ascii: "["): return JSONNode(.array(try array(depth: depth + 1)), line: start)
    case UInt8(ascii: "\""): return JSONNode(.string(try string()), line: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSONNode(.number(try number()), line: start)
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw failure("a value is expected")
    }
  }

  private mutating func word(_ word: String, _ value: JSONNode.Value) throws(SegueError) -> JSONNode {
    guard bytes[place...].starts(with: word.utf8) else { throw failure("a value is expected") }
    place += word.utf8.count
    return JSONNode(value, line: line)
  }

  private mutating func array(depth: Int) throws(SegueError) -> [JSONNode] {
    try enter(depth)
    var items: [JSONNode] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return items }
    while true {
      items.append(try value(depth: depth))
      skipSpace()
      if take(UInt8(ascii: "]")) { return items }
      guard take(UInt8(ascii: ",")) else { throw failure("a comma or ] is expected") }
    }
  }

  private mutating func object(depth: Int) throws(SegueError) -> [JSONMember] {
    try enter(depth)
    var members: [JSONMember] = []
    var keys: TextSet = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return members }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a key in quotation marks is expected") }
      let start = line
      let key = try string()
      guard keys.insert(key) else {
        throw failure("the key \(DisplayText.quoted(key, maximum: Limits.shownName)) is there twice", line: start)
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon is expected") }
      members.append(JSONMember(key: key, node: try value(depth: depth)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return members }
      guard take(UInt8(ascii: ",")) else { throw failure("a comma or } is expected") }
    }
  }

  private mutating func enter(_ depth: Int) throws(SegueError) {
    guard depth <= rules.depth else {
      throw failure("it is nested more than \(rules.depth) deep")
    }
    place += 1
  }

  // MARK: Numbers

  private mutating func digits() -> Int {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    return place - start
  }

  private mutating func number() throws(SegueError) -> String {
    let start = place
    _ = take(UInt8(ascii: "-"))
    let isZero = next == UInt8(ascii: "0")
    let count = digits()
    guard count > 0, !isZero || count == 1 else { throw failure("this is not a number") }
    if take(UInt8(ascii: ".")), digits() == 0 { throw failure("this is not a number") }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
      guard digits() > 0 else { throw failure("this is not a number") }
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  // MARK: Strings

  private mutating func string() throws(SegueError) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""):
        let string = rules.isOfJavaScript ? String(validating: text, as: UTF8.self) : TextCheck.string(text)
        guard let string else { throw failure("a string is not UTF-8, or has a NUL in it") }
        return string
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw failure("a control character is in a string")
      default: text.append(byte)
      }
    }
    throw failure("it ends inside of a string")
  }

  private mutating func escape(into text: inout [UInt8]) throws(SegueError) {
    guard let byte = next else { throw failure("it ends inside of a string") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
    default: throw failure("an escape that JSON does not have")
    }
  }

  /// The scalar of an escaped UTF-16 unit, or of two if the first is the first half of a surrogate pair.
  private mutating func scalar() throws(SegueError) -> Unicode.Scalar {
    let code = try unit()
    if let scalar = Unicode.Scalar(code) { return scalar }
    let end = place
    if code < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
      let low = try unit()
      if (0xDC00..<0xE000).contains(low), let scalar = Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    guard rules.isOfJavaScript else { throw failure("half of a surrogate pair") }
    place = end
    return "\u{FFFD}"
  }

  private mutating func unit() throws(SegueError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Self.hexadecimal(byte) else { throw failure("an escape that is cut short") }
      code = code << 4 | UInt32(digit)
      place += 1
    }
    return code
  }

  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
