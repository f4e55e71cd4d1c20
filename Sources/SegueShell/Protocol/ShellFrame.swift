import SegueCore

/// A message between a viewer and a session: a type, the payload's length (4 bytes, big-endian), and the payload. Pure.
struct ShellFrame: Equatable {
  let type: UInt8
  let payload: [UInt8]

  static let headLength = 5

  var bytes: [UInt8] {
    let length = UInt32(truncatingIfNeeded: payload.count)
    return [type] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + payload
  }
}

/// Finds frames in bytes that come in pieces. Pure.
struct FrameReader {
  private var bytes: [UInt8] = []
  private var start = 0

  mutating func append(_ more: [UInt8]) {
    bytes.removeFirst(start)
    start = 0
    bytes += more
  }

  /// Whether every frame that has come was taken, to its last byte.
  var isEmpty: Bool { start == bytes.count }

  /// The next whole frame, nil if there is none yet.
  mutating func next() throws(ProtocolFailure) -> ShellFrame? {
    guard bytes.count - start >= ShellFrame.headLength else { return nil }
    let length = bytes[start + 1..<start + ShellFrame.headLength].reduce(0) { $0 << 8 | Int($1) }
    guard length <= Limits.shellFrameLength else { throw ProtocolFailure("a frame of \(length) bytes") }
    let end = start + ShellFrame.headLength + length
    guard end <= bytes.count else { return nil }
    defer { start = end }
    return ShellFrame(type: bytes[start], payload: Array(bytes[start + ShellFrame.headLength..<end]))
  }
}

/// The other end does not keep to the protocol.
struct ProtocolFailure: Error, Equatable {
  let what: String
  init(_ what: String) { self.what = what }
}

/// Reads the fields of a payload, one after the other. Pure.
struct FieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ payload: [UInt8]) { rest = payload[...] }

  mutating func byte() throws(ProtocolFailure) -> UInt8 {
    guard let byte = rest.popFirst() else { throw ProtocolFailure("a frame that is too short") }
    return byte
  }

  mutating func number16() throws(ProtocolFailure) -> Int { Int(try byte()) << 8 | Int(try byte()) }

  mutating func number32() throws(ProtocolFailure) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 { number = number << 8 | UInt32(try byte()) }
    return number
  }

  /// A text that has its length, in one byte, before it.
  mutating func text() throws(ProtocolFailure) -> String {
    let count = Int(try byte())
    guard rest.count >= count else { throw ProtocolFailure("a text that is too short") }
    defer { rest = rest.dropFirst(count) }
    guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
      throw ProtocolFailure("a text that is none")
    }
    return text
  }

  mutating func size() throws(ProtocolFailure) -> TerminalSize {
    TerminalSize(rows: try number16(), columns: try number16())
  }

  /// The bytes that have not been read yet.
  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  func end() throws(ProtocolFailure) {
    guard rest.isEmpty else { throw ProtocolFailure("a frame that is too long") }
  }
}

/// The fields of a payload. Pure.
enum Fields {
  static func number16(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  static func number32(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  /// At most so long that its length fits into a byte.
  static func text(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8.prefix(255))
    while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    return [UInt8(bytes.count)] + bytes
  }

  /// A list of texts, at most as many as a session can have viewers.
  static func texts(_ texts: [String]) -> [UInt8] {
    let some = texts.prefix(Limits.shellViewers)
    return [UInt8(some.count)] + some.flatMap { text($0) }
  }

  static func size(_ size: TerminalSize) -> [UInt8] { number16(size.rows) + number16(size.columns) }
}
