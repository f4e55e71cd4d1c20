// Reading and writing values. Every lookup gives nil for a key that is not there, and throws, with the line, for one
// whose value is not of the type that is asked for.

extension KeyFile {
  /// A string, its escapes (\s \n \t \r \\) resolved.
  public func string(_ group: String, _ key: String) throws(SegueError) -> String? {
    guard let entry = entry(group, key) else { return nil }
    return try Self.string(entry)
  }

  /// The string in the first of `locales` that the file has, else the one without a locale.
  ///
  /// For each locale (`lang_COUNTRY.ENCODING@MODIFIER`, all but the first optional) the specification's order is
  /// tried: with country and modifier, with country, with modifier, language alone. The encoding is ignored.
  public func localized(_ group: String, _ key: String, locales: [String]) throws(SegueError) -> String? {
    try string(group, firstOf: Self.localizedKeys(key, locales))
  }

  /// A key as it is looked for in a user's locales, the best first.
  public static func localizedKeys(_ key: String, _ locales: [String]) -> [String] {
    var keys: [String] = []
    for locale in locales {
      for name in variants(locale) { keys.append("\(key)[\(name)]") }
    }
    return keys + [key]
  }

  /// The string of the first of the keys that the file has.
  public func string(_ group: String, firstOf keys: [String]) throws(SegueError) -> String? {
    for key in keys {
      if let entry = entry(group, key) { return try Self.string(entry) }
    }
    return nil
  }

  /// The strings of a key that may be there several times, in the order of the file (`Mode.repeating`).
  public func strings(_ group: String, _ key: String) throws(SegueError) -> [String] {
    var strings: [String] = []
    for entry in entries(group, key) { strings.append(try Self.string(entry)) }
    return strings
  }

  /// Whether the file has a key.
  public func has(_ group: String, _ key: String) -> Bool { entry(group, key) != nil }

  /// The strings of a list, which are separated by semicolons; one at the end is optional. `\;` is a semicolon inside.
  public func list(_ group: String, _ key: String) throws(SegueError) -> [String]? {
    guard let entry = entry(group, key) else { return nil }
    guard entry.value.utf8.contains(UInt8(ascii: "\\")) else { return Self.items(entry.value) }
    var items: [String] = []
    var item: [UInt8] = []
    var isEscaped = false
    var isOpen = false
    for byte in entry.value.utf8 {
      if byte == UInt8(ascii: ";"), !isEscaped {
        items.append(try Self.unescape(item, in: entry, isList: true))
        item.removeAll(keepingCapacity: true)
        isOpen = false
        continue
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      item.append(byte)
      isOpen = true
    }
    if isOpen { items.append(try Self.unescape(item, in: entry, isList: true)) }
    return items
  }

  /// The items of a list in which nothing is escaped.
  private static func items(_ value: String) -> [String] {
    var items = value.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if items.last?.isEmpty == true { items.removeLast() }
    return items
  }

  /// `true` or `false`.
  public func bool(_ group: String, _ key: String) throws(SegueError) -> Bool? {
    guard let entry = entry(group, key) else { return nil }
    switch entry.value {
    case "true": return true
    case "false": return false
    default: throw Self.failure(entry, "is neither true nor false")
    }
  }

  /// A decimal integer.
  public func integer(_ group: String, _ key: String) throws(SegueError) -> Int64? {
    guard let entry = entry(group, key) else { return nil }
    var value: Int64 = 0
    let isNegative = entry.value.utf8.first == UInt8(ascii: "-")
    let digits = entry.value.utf8.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty else { throw Self.failure(entry, "is not an integer") }
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
        throw Self.failure(entry, "is not an integer")
      }
      let digit = Int64(byte &- UInt8(ascii: "0"))
      let shifted = value.multipliedReportingOverflow(by: 10)
      let sum =
        isNegative
        ? shifted.partialValue.subtractingReportingOverflow(digit)
        : shifted.partialValue.addingReportingOverflow(digit)
      guard !shifted.overflow, !sum.overflow else { throw Self.failure(entry, "is beyond 64 bits") }
      value = sum.partialValue
    }
    return value
  }

  /// An error about the value of a key, with its line; `what` follows the key in the sentence, which has no full stop.
  public func failure(_ group: String, _ key: String, _ what: String) -> SegueError {
    let place = line(group, key).map { "Line \($0): " } ?? ""
    return SegueError(.invalidArgument, "\(place)\(key) \(what)")
  }

  private static func failure(_ entry: Entry, _ what: String) -> SegueError {
    SegueError(.invalidArgument, "Line \(entry.line): \(entry.key) \(what)")
  }

  private static func string(_ entry: Entry) throws(SegueError) -> String {
    guard entry.value.utf8.contains(UInt8(ascii: "\\")) else { return entry.value }
    return try unescape(Array(entry.value.utf8), in: entry, isList: false)
  }

  private static func unescape(_ bytes: [UInt8], in entry: Entry, isList: Bool) throws(SegueError) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var isEscaped = false
    for byte in bytes {
      guard isEscaped else {
        if byte == UInt8(ascii: "\\") { isEscaped = true } else { plain.append(byte) }
        continue
      }
      isEscaped = false
      switch byte {
      case UInt8(ascii: "s"): plain.append(UInt8(ascii: " "))
      case UInt8(ascii: "n"): plain.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "t"): plain.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "r"): plain.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "\\"): plain.append(byte)
      case UInt8(ascii: ";") where isList: plain.append(byte)
      default: throw failure(entry, "has an unknown escape")
      }
    }
    guard !isEscaped else { throw failure(entry, "ends in a backslash") }
    return String(decoding: plain, as: UTF8.self)
  }

  /// A locale's names in the order in which a file is searched.
  private static func variants(_ locale: String) -> [String] {
    var language: [UInt8] = []
    var country: [UInt8] = []
    var modifier: [UInt8] = []
    var part = UInt8(0)
    for byte in locale.utf8 {
      switch byte {
      case UInt8(ascii: "_") where part == 0, UInt8(ascii: ".") where part != UInt8(ascii: "@"), UInt8(ascii: "@"):
        part = byte
      default: break
      }
      switch part {
      case 0: language.append(byte)
      case UInt8(ascii: "_"): country.append(byte)
      case UInt8(ascii: "@"): modifier.append(byte)
      default: break
      }
    }
    var variants: [String] = []
    for name in [language + country + modifier, language + country, language + modifier, language] {
      let string = String(decoding: name, as: UTF8.self)
      if !string.isEmpty, !variants.contains(string) { variants.append(string) }
    }
    return variants
  }
}

// MARK: Writing
extension KeyFile {
  /// Sets a string, in a locale if one is given. Group, key and locale must be what strict mode accepts, the string
  /// free of controls but \n \t \r.
  public mutating func set(
    _ group: String, _ key: String, locale: String? = nil, to string: String
  ) throws(SegueError) {
    try set(group, key, locale, escaped: Self.escape(string, isList: false))
  }

  /// Sets a list of strings.
  public mutating func set(_ group: String, _ key: String, to list: [String]) throws(SegueError) {
    var escaped = ""
    for item in list { escaped += Self.escape(item, isList: true) + ";" }
    try set(group, key, nil, escaped: escaped)
  }

  /// Adds a string to those that the key has (`Mode.repeating`).
  public mutating func add(_ group: String, _ key: String, _ string: String) throws(SegueError) {
    try add(group, entry(group, key, nil, escaped: Self.escape(string, isList: false)))
  }

  /// Sets `true` or `false`.
  public mutating func set(_ group: String, _ key: String, to bool: Bool) throws(SegueError) {
    try set(group, key, nil, escaped: bool ? "true" : "false")
  }

  /// Sets a decimal integer.
  public mutating func set(_ group: String, _ key: String, to integer: Int64) throws(SegueError) {
    try set(group, key, nil, escaped: "\(integer)")
  }

  /// The file: reading it gives an equal one, unless it has grown past `Limits.fileLength`.
  public var text: String {
    var text = ""
    for group in all {
      if !text.isEmpty { text += "\n" }
      text += "[\(group.name)]\n"
      for entry in group.entries { text += "\(entry.key)=\(entry.value)\n" }
    }
    return text
  }

  private mutating func set(
    _ group: String, _ key: String, _ locale: String?, escaped: String
  ) throws(SegueError) {
    set(group, try entry(group, key, locale, escaped: escaped))
  }

  private func entry(
    _ group: String, _ key: String, _ locale: String?, escaped: String
  ) throws(SegueError) -> Entry {
    let full = locale.map { "\(key)[\($0)]" } ?? key
    let bytes = Array(full.utf8)
    guard KeyFileParser.isGroup(group.utf8), KeyFileParser.isKey(bytes, bytes.indices, mode: .strict),
      !escaped.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { throw SegueError(.invalidArgument, "\(DisplayText.clean(full)) cannot be written to a key file") }
    return Entry(key: full, value: escaped, line: entry(group, full)?.line ?? 0)
  }

  /// Spaces at the start would be taken for space around the equals sign, and at the end are easily lost.
  private static func escape(_ string: String, isList: Bool) -> String {
    var escaped: [UInt8] = []
    let bytes = Array(string.utf8)
    for index in bytes.indices {
      switch bytes[index] {
      case UInt8(ascii: " ") where index == 0 || index == bytes.count &- 1: escaped += "\\s".utf8
      case UInt8(ascii: "\n"): escaped += "\\n".utf8
      case UInt8(ascii: "\t"): escaped += "\\t".utf8
      case UInt8(ascii: "\r"): escaped += "\\r".utf8
      case UInt8(ascii: "\\"): escaped += "\\\\".utf8
      case UInt8(ascii: ";") where isList: escaped += "\\;".utf8
      default: escaped.append(bytes[index])
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

extension KeyFile {
  /// Groups and keys that `known` does not have, as `[Group] Key`: most likely typing errors.
  public func unknown(besides known: [String: [String]]) -> [String] {
    var found: [String] = []
    for group in groups {
      guard let expected = known[group] else {
        found.append("[\(DisplayText.clean(group, maximum: Limits.shownName))]")
        continue
      }
      for key in keys(group) where !expected.contains(key) {
        found.append("[\(group)] \(DisplayText.clean(key, maximum: Limits.shownName))")
      }
    }
    return found
  }
}
