// Text of files, paths and protocols is compared and taken apart by its bytes, as every other program does it.
//
// Swift's own operations go by what a person sees as one character: "\r\n" is one, a letter and its accent are one, and
// "é" in two forms is equal. So a line would not end, a path would not begin with "/", and two keys would be one.
// scripts/check-text finds what goes by characters.

// The comparisons are inlinable: else other modules would call them without knowing the types, byte by byte.
extension StringProtocol {
  /// Whether the first bytes are those of `text`.
  @inlinable public func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }

  /// Whether the last bytes are those of `text`.
  @inlinable public func ends(with text: String) -> Bool {
    utf8.count >= text.utf8.count && utf8.suffix(text.utf8.count).elementsEqual(text.utf8)
  }

  /// Whether the bytes are those of `text`.
  @inlinable public func isSame(as text: some StringProtocol) -> Bool { utf8.elementsEqual(text.utf8) }

  /// The rest behind `text`; nil for a string that does not begin with `text`.
  public func rest(after text: String) -> String? {
    begins(with: text) ? String(decoding: Array(utf8.dropFirst(text.utf8.count)), as: UTF8.self) : nil
  }

  /// The part before `text`; nil for a string that does not end with `text`.
  public func rest(before text: String) -> String? {
    ends(with: text) ? String(decoding: Array(utf8.dropLast(text.utf8.count)), as: UTF8.self) : nil
  }

  /// Whether a scalar is in it.
  public func has(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }

  /// The parts between the separators, with the options of `split`.
  public func parts(
    at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmpty: Bool = true
  ) -> [String] {
    var parts: [String] = []
    for part in unicodeScalars.split(
      separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmpty)
    {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: part)
      parts.append(String(text))
    }
    return parts
  }
}

// The same of strings, which Swift prefers where both are strings: eight bytes at a time.
extension String {
  /// Whether the bytes are those of `text`.
  public func isSame(as text: String) -> Bool {
    guard utf8.count == text.utf8.count else { return false }
    return withBytes { own in text.withBytes { own.isSame(as: $0) } }
  }

  /// Whether the first bytes are those of `text`.
  public func begins(with text: String) -> Bool {
    guard utf8.count >= text.utf8.count else { return false }
    return withBytes { own in text.withBytes { UnsafeRawBufferPointer(rebasing: own.prefix($0.count)).isSame(as: $0) } }
  }

  /// Whether the last bytes are those of `text`.
  public func ends(with text: String) -> Bool {
    guard utf8.count >= text.utf8.count else { return false }
    return withBytes { own in text.withBytes { UnsafeRawBufferPointer(rebasing: own.suffix($0.count)).isSame(as: $0) } }
  }

  /// Calls `body` with the bytes, where they are if that can be.
  private func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
    utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
      ?? Array(utf8).withUnsafeBytes { body($0) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are those of another buffer.
  func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var place = 0
    while place &+ 8 <= count {
      let left = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard left == other.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
      place &+= 8
    }
    while place < count {
      guard self[place] == other[place] else { return false }
      place &+= 1
    }
    return true
  }
}

extension String {
  /// The folder of a path, and the name in it; nil where there is no slash.
  public var pathParts: (folder: String, name: String)? {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return (
      String(decoding: Array(utf8[..<slash]), as: UTF8.self),
      String(decoding: Array(utf8[utf8.index(after: slash)...]), as: UTF8.self)
    )
  }
}
