/// Reads values, or only checks them; `CBOR` says in which form, and that no other is accepted. Where nothing is built,
/// a text, data or a container is checked byte by byte as always, and stays empty.
///
/// It recurses no deeper than `Limits.valueDepth`. It reserves room for no more elements than bytes follow, and
/// counts them against `Limits.valueNodes` when they are announced, so all reservations together are bounded too.
struct CBORDecoder {
  private let bytes: [UInt8]
  private var offset = 0
  private var nodes = Limits.valueNodes &- 1
  private var isBuilding: Bool
  /// The encoding of the key at the top whose value is built in any case, and that value.
  private let wanted: [UInt8]
  private(set) var found: Value?

  init(_ bytes: [UInt8], isBuilding: Bool = true, wanted: [UInt8] = []) {
    self.bytes = bytes
    self.isBuilding = isBuilding
    self.wanted = wanted
  }

  mutating func decode() throws(SegueError) -> Value {
    let value = try value(depth: 0, isKey: false)
    guard offset == bytes.count else { throw failure(offset, "bytes after the value") }
    return value
  }

  private mutating func value(depth: Int, isKey: Bool) throws(SegueError) -> Value {
    let start = offset
    let head = try head()
    switch head.major {
    case CBORMajor.unsigned, CBORMajor.negative: return .integer(try integer(head, start))
    case CBORMajor.bytes:
      let range = try range(head.argument, isKey: isKey, start)
      return .data(isBuilding ? [UInt8](bytes[range]) : [])
    case CBORMajor.text: return .string(try text(head.argument, isKey: isKey, start))
    case CBORMajor.tag: return try tagged(head.argument, depth: depth, isKey: isKey, start)
    case CBORMajor.simple: return try simple(head, start)
    default: break
    }
    guard !isKey else { throw failure(start, "a container as a key") }
    try check(depth: depth, start)
    if head.major == CBORMajor.array { return .array(try elements(head.argument, depth: depth, start)) }
    return .dictionary(try entries(head.argument, depth: depth, start))
  }

  private func integer(_ head: Head, _ start: Int) throws(SegueError) -> Int64 {
    guard let magnitude = Int64(exactly: head.argument) else { throw failure(start, "an integer beyond 64 bits") }
    return head.major == CBORMajor.negative ? ~magnitude : magnitude
  }

  private mutating func simple(_ head: Head, _ start: Int) throws(SegueError) -> Value {
    switch head.additional {
    case 20: return .bool(false)
    case 21: return .bool(true)
    case 22: return .null
    case 25, 26, 27: return .double(try float(head, start))
    default: throw failure(start, "an unknown simple value")
    }
  }

  private func float(_ head: Head, _ start: Int) throws(SegueError) -> Double {
    let float: CBORFloat
    switch head.additional {
    case 25: float = .half(UInt16(truncatingIfNeeded: head.argument))
    case 26: float = .single(UInt32(truncatingIfNeeded: head.argument))
    default: float = .double(head.argument)
    }
    let value = float.value
    guard CBORFloat(value) == float else { throw failure(start, "a float that is not in its shortest form") }
    return value
  }

  private mutating func tagged(
    _ tag: UInt64, depth: Int, isKey: Bool, _ start: Int
  ) throws(SegueError) -> Value {
    let contentStart = offset
    let content = try head()
    switch (tag, content.major) {
    case (CBORTag.date, CBORMajor.unsigned), (CBORTag.date, CBORMajor.negative):
      let seconds = Double(try integer(content, contentStart))
      // A larger integer is rounded to the double 2^53 or more; that is refused, except 2^53 itself.
      guard let exact = integralSeconds(seconds), exact == (try integer(content, contentStart)) else {
        throw failure(contentStart, "a date beyond 2^53 as an integer")
      }
      return .date(seconds)
    case (CBORTag.date, CBORMajor.simple) where content.additional >= 25:
      let seconds = try float(content, contentStart)
      guard seconds.isFinite else { throw failure(contentStart, "a date that is not finite") }
      guard integralSeconds(seconds) == nil else { throw failure(contentStart, "an integral date as a float") }
      return .date(seconds)
    case (CBORTag.url, CBORMajor.text):
      let url = try text(content.argument, isKey: isKey, isLookedAt: true, contentStart)
      guard Value.isURL(url) else { throw failure(contentStart, "not a URL with a scheme") }
      return .url(url)
    case (CBORTag.uuid, CBORMajor.bytes):
      let range = try range(content.argument, isKey: isKey, contentStart)
      guard let identifier = Identifier(bytes: bytes[range]) else { throw failure(contentStart, "not a UUID") }
      return .uuid(identifier)
    case (CBORTag.set, CBORMajor.array):
      guard !isKey else { throw failure(start, "a container as a key") }
      try check(depth: depth, start)
      return .set(try members(content.argument, depth: depth, contentStart))
    case (CBORTag.date, _), (CBORTag.url, _), (CBORTag.uuid, _), (CBORTag.set, _):
      throw failure(contentStart, "not what its tag is for")
    default: throw failure(start, "an unknown tag")
    }
  }
}

// MARK: Containers
extension CBORDecoder {
  private mutating func elements(_ argument: UInt64, depth: Int, _ start: Int) throws(SegueError) -> [Value] {
    let count = try claim(argument, each: 1, start)
    var elements: [Value] = []
    if isBuilding { elements.reserveCapacity(count) }
    for _ in 0..<count {
      let element = try value(depth: depth &+ 1, isKey: false)
      if isBuilding { elements.append(element) }
    }
    return elements
  }

  private mutating func members(_ argument: UInt64, depth: Int, _ start: Int) throws(SegueError) -> Set<Value> {
    let count = try claim(argument, each: 1, start)
    var members = Set<Value>(minimumCapacity: isBuilding ? count : 0)
    var previous = 0..<0
    for _ in 0..<count {
      let start = offset
      let member = try value(depth: depth &+ 1, isKey: false)
      if isBuilding { members.insert(member) }
      try check(previous, precedes: start..<offset, "set members")
      previous = start..<offset
    }
    return members
  }

  private mutating func entries(_ argument: UInt64, depth: Int, _ start: Int) throws(SegueError) -> [Value: Value] {
    guard argument <= UInt64(Limits.dictionaryEntries) else {
      throw failure(start, "more than \(Limits.dictionaryEntries) entries", .limitExceeded)
    }
    let count = try claim(argument, each: 2, start)
    var entries = [Value: Value](minimumCapacity: isBuilding ? count : 0)
    var previous = 0..<0
    for _ in 0..<count {
      let start = offset
      let key = try value(depth: depth, isKey: true)
      try check(previous, precedes: start..<offset, "keys")
      previous = start..<offset
      if depth == 0, !isBuilding, bytes[previous].elementsEqual(wanted) {
        isBuilding = true
        found = try value(depth: 1, isKey: false)
        isBuilding = false
      } else {
        let value = try value(depth: depth &+ 1, isKey: false)
        if isBuilding { entries[key] = value }
      }
    }
    return entries
  }

  /// The number of elements of a container, if so many can follow and are allowed.
  private mutating func claim(_ argument: UInt64, each nodesEach: Int, _ start: Int) throws(SegueError) -> Int {
    guard argument <= UInt64(nodes / nodesEach) else {
      throw failure(start, "more than \(Limits.valueNodes) values", .limitExceeded)
    }
    let count = Int(truncatingIfNeeded: argument)
    guard count &* nodesEach <= bytes.count &- offset else { throw failure(start, "too few bytes") }
    nodes &-= count &* nodesEach
    return count
  }

  private func check(depth: Int, _ start: Int) throws(SegueError) {
    guard depth < Limits.valueDepth else {
      throw failure(start, "a container inside \(Limits.valueDepth) others", .limitExceeded)
    }
  }

  /// Items must rise strictly; then none is there twice either. An empty `previous` precedes everything.
  private func check(_ previous: Range<Int>, precedes next: Range<Int>, _ what: String) throws(SegueError) {
    var a = previous.lowerBound
    var b = next.lowerBound
    while a < previous.upperBound, b < next.upperBound {
      if bytes[a] != bytes[b] {
        guard bytes[a] < bytes[b] else { throw failure(next.lowerBound, "\(what) out of order") }
        return
      }
      a &+= 1
      b &+= 1
    }
    guard previous.isEmpty else { throw failure(next.lowerBound, "\(what) that are equal") }
  }
}

// MARK: Bytes
extension CBORDecoder {
  /// An item's first byte, taken apart, and its argument.
  private struct Head {
    let major: UInt8
    let additional: UInt8
    let argument: UInt64
  }

  private mutating func head() throws(SegueError) -> Head {
    let start = offset
    guard start < bytes.count else { throw failure(start, "too few bytes") }
    let first = bytes[start]
    offset = start &+ 1
    let major = first >> 5
    let additional = first & 31
    guard additional >= 24 else { return Head(major: major, additional: additional, argument: UInt64(additional)) }
    guard additional < 28 else {
      throw failure(start, additional == 31 ? "an indefinite length" : "a reserved length")
    }
    let count = 1 << Int(additional &- 24)
    guard count <= bytes.count &- offset else { throw failure(start, "too few bytes") }
    var argument: UInt64 = 0
    for index in offset..<(offset &+ count) { argument = argument << 8 | UInt64(bytes[index]) }
    offset &+= count
    if major != CBORMajor.simple {
      // The shortest form's argument does not fit the next shorter one.
      let least: UInt64 = additional == 24 ? 24 : 1 << UInt64(count &* 4)
      guard argument >= least else { throw failure(start, "a number that is not in its shortest form") }
    }
    return Head(major: major, additional: additional, argument: argument)
  }

  private mutating func range(_ argument: UInt64, isKey: Bool, _ start: Int) throws(SegueError) -> Range<Int> {
    let limit = isKey ? Limits.keyLength : Limits.valueLength
    guard argument <= UInt64(limit) else { throw failure(start, "more than \(limit) bytes", .limitExceeded) }
    let count = Int(truncatingIfNeeded: argument)
    guard count <= bytes.count &- offset else { throw failure(start, "too few bytes") }
    let range = offset..<(offset &+ count)
    offset &+= count
    return range
  }

  /// `isLookedAt`: the text is needed although nothing is built.
  private mutating func text(
    _ argument: UInt64, isKey: Bool, isLookedAt: Bool = false, _ start: Int
  ) throws(SegueError) -> String {
    let slice = bytes[try range(argument, isKey: isKey, start)]
    guard isBuilding || isLookedAt || !TextCheck.validUTF8(slice) else { return "" }
    guard !TextCheck.hasNUL(slice) else { throw failure(start, "a NUL inside text") }
    guard isBuilding || isLookedAt, let text = String(validating: slice, as: UTF8.self) else {
      throw failure(start, "invalid UTF-8")
    }
    return text
  }

  private func failure(_ offset: Int, _ what: String, _ code: SegueError.Code = .invalidArgument) -> SegueError {
    SegueError(code, "Encoded value, byte \(offset): \(what)")
  }
}
