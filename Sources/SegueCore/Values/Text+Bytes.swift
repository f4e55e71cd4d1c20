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
