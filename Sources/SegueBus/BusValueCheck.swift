import SegueCore

/// Checks values before they are written, so that libdbus never meets a value for which it would end the process, and a
/// message is written whole or not at all.
struct BusValueCheck {
  private var values = 0
  private var bytes = 0
  private(set) var descriptors = 0

  /// The signature of the values together. Throws `.invalidArgument` or `.limitExceeded`.
  static func signature(of values: [BusValue]) throws(SegueError) -> String {
    var check = BusValueCheck()
    var signature = ""
    for value in values { signature += try check.signature(of: value, depth: 0) }
    guard isSignature(signature) else { throw invalid("The values have no valid signature.") }
    return signature
  }

  private mutating func signature(of value: BusValue, depth: Int) throws(SegueError) -> String {
    guard depth <= Limits.messageDepth else { throw exceeded("nested deeper than \(Limits.messageDepth)") }
    try count(8)
    switch value {
    case .string(let string):
      try check(string)
    case .objectPath(let path):
      try count(bytes: path.string.utf8.count)
    case .signature(let signature):
      guard isSignature(signature) else { throw invalid("A signature is malformed.") }
    case .bytes(let bytes):
      try count(bytes: bytes.count)
    case .array(let element, let elements):
      guard isSingleSignature(element) else { throw invalid("The signature of an array's elements is malformed.") }
      for value in elements {
        guard try elementSignature(of: value, in: element, depth: depth &+ 1) == element else {
          throw invalid("An array's element has another type than the array.")
        }
      }
    case .dictionary(let dictionary):
      for entry in dictionary.entries {
        try check(entry.key)
        try checkVariant(entry.value, depth: depth &+ 2)
      }
    case .structure(let members):
      guard !members.isEmpty else { throw invalid("A structure is empty.") }
      var signature = "("
      for member in members { signature += try self.signature(of: member, depth: depth &+ 1) }
      return signature + ")"
    case .variant(let content):
      try checkVariant(content, depth: depth &+ 1)
    case .descriptor(let file):
      guard file.raw >= 0 else { throw invalid("A descriptor was taken away already.") }
      descriptors &+= 1
      guard descriptors <= Limits.descriptorsPerMessage else { throw exceeded("with too many descriptors") }
    case .byte, .bool, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double:
      break
    }
    return value.signature
  }

  private mutating func elementSignature(
    of value: BusValue, in element: String, depth: Int
  ) throws(SegueError) -> String {
    guard element.utf8.first == UInt8(ascii: "{"), case .structure(let members) = value else {
      return try signature(of: value, depth: depth)
    }
    var signature = "{"
    for member in members { signature += try self.signature(of: member, depth: depth &+ 1) }
    return signature + "}"
  }

  private mutating func checkVariant(_ content: BusValue, depth: Int) throws(SegueError) {
    let signature = try signature(of: content, depth: depth)
    guard isSignature(signature) else { throw invalid("A variant's content has no valid signature.") }
  }

  private mutating func check(_ string: String) throws(SegueError) {
    guard !string.utf8.contains(0) else { throw invalid("A string contains U+0000.") }
    try count(bytes: string.utf8.count)
  }

  private mutating func count(_ size: Int) throws(SegueError) {
    values &+= 1
    guard values <= Limits.messageValues else { throw exceeded("with too many values") }
    try count(bytes: size)
  }

  private mutating func count(bytes size: Int) throws(SegueError) {
    bytes &+= size
    guard bytes <= Limits.messageLength else { throw exceeded("too long") }
  }
}

private func invalid(_ message: String) -> SegueError { SegueError(.invalidArgument, message) }

private func exceeded(_ how: String) -> SegueError { SegueError(.limitExceeded, "A bus message would be \(how).") }
