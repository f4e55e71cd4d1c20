import CPage

/// The user's entries in the page's forms: a dictionary of the host's from name to text, or to an array of texts where
/// several fields have one name.
final class Fields {
  /// This object alone can change it, so that it stays as it was checked.
  let value: OpaquePointer
  private let values: UnsafePointer<segue_plugin_values>
  private var bytes = 0
  private var texts = 0

  // Beyond what userInfo may be, nothing at all would be handed over: 256 entries and 4,096 values in a dictionary,
  // 128 bytes in a key, 100 KiB.
  private static let most = 256
  private static let mostTexts = 1024
  private static let mostBytes = 64 * 1024
  private static let mostNameBytes = 128

  /// No fields.
  init(host: UnsafePointer<segue_plugin_host>) throws(Failure) {
    values = host.pointee.values
    var made: OpaquePointer?
    let result = values.pointee.new_dictionary(&made)
    guard result >= 0, let made else { throw Failure(result: result < 0 ? result : -ENOMEM) }
    value = made
  }

  deinit { _ = values.pointee.unref(value) }

  /// A copy of what was given, without what shall not be handed over. Throws for anything but texts by name.
  convenience init(copying given: OpaquePointer, host: UnsafePointer<segue_plugin_host>) throws(Failure) {
    try self.init(host: host)
    guard !isKind(given, SEGUE_VALUE_NULL) else { return }
    let count = try count(given, SEGUE_VALUE_DICTIONARY)
    guard count <= Self.most else { throw .tooLarge }
    var leftOut = 0
    for index in 0..<count {
      var key: OpaquePointer?
      var field: OpaquePointer?
      guard values.pointee.get_entry(given, index, &key, &field) >= 0, let key, let field, let name = text(key) else {
        throw .malformed
      }
      if strlen(name) > Self.mostNameBytes || isSecret(name) {
        leftOut &+= 1
      } else {
        try add(field, name)
      }
    }
    if leftOut > 0 { _ = host.pointee.log(host, "page.fields: \(leftOut) left out, by their names") }
  }

  private func add(_ field: OpaquePointer, _ name: UnsafePointer<CChar>) throws(Failure) {
    try count(bytes: strlen(name))
    if let text = text(field) {
      try count(bytes: strlen(text))
    } else {
      for index in 0..<(try count(field, SEGUE_VALUE_ARRAY)) {
        var element: OpaquePointer?
        guard values.pointee.get_at(field, index, &element) >= 0, let element, let text = text(element) else {
          throw .malformed
        }
        try count(bytes: strlen(text))
      }
    }
    let result = values.pointee.set_for_name(value, name, field)
    guard result >= 0 else { throw Failure(result: result) }
  }

  private func count(bytes more: Int) throws(Failure) {
    texts &+= 1
    bytes &+= more
    guard texts <= Self.mostTexts, bytes <= Self.mostBytes else { throw .tooLarge }
  }

  /// How many elements a container of one kind has, and none of another.
  private func count(_ container: OpaquePointer, _ kind: Int) throws(Failure) -> Int {
    var count = 0
    guard isKind(container, kind), values.pointee.get_count(container, &count) >= 0, count >= 0 else {
      throw .malformed
    }
    return count
  }

  private func isKind(_ value: OpaquePointer, _ kind: Int) -> Bool { Int(values.pointee.get_kind(value)) == kind }

  /// A string's text; nil for other kinds.
  private func text(_ value: OpaquePointer) -> UnsafePointer<CChar>? {
    var text: UnsafePointer<CChar>?
    guard isKind(value, SEGUE_VALUE_STRING), values.pointee.get_string(value, &text) >= 0 else { return nil }
    return text
  }
}

/// Whether a field's name says that nobody else should have what is in it. The name is all there is to go by; which
/// fields are of type password the browser knows, and does not hand over.
private func isSecret(_ name: UnsafePointer<CChar>) -> Bool {
  var letters: [UInt8] = []
  for byte in String(cString: name).utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letters.append(byte)
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte | 0x20)
    default: break
    }
  }
  let words = [
    "passw", "passphrase", "passcode", "pwd", "secret", "token", "csrf", "onetimecode", "cardnumber", "ccnumber",
    "cccsc", "cvc", "cvv",
  ]
  let reduced = String(decoding: letters, as: UTF8.self)
  return words.contains { strstr(reduced, $0) != nil }
}
