import SegueCore

/// A place in a book by EPUB's fragment identifier (CFI), in the standard's form: `epubcfi(/6/8!/4/2/1:3)`, the fourth
/// document of the spine. calibre leaves the way to the spine out and counts from the document itself:
/// `epubcfi(/8/2/4/2/1:3)`, with the element html as /2. Compared by numbers.
struct BookPlace: Equatable, Comparable {
  /// The document's step in the spine.
  private let document: Int
  /// The way in it, with its first slash.
  private let rest: String

  /// Nil for what is not a place of this form, as one of a range, and for what is longer than the limit.
  init?(cfi: String) {
    guard let (document, rest) = Self.parts(cfi, from: "epubcfi(/6/", separator: "!"), rest.begins(with: "/") else {
      return nil
    }
    (self.document, self.rest) = (document, rest)
  }

  /// As calibre says it.
  init?(calibre: String) {
    guard let (document, rest) = Self.parts(calibre, from: "epubcfi(/", separator: "/"),
      let rest = rest.rest(after: "2"),
      rest.isEmpty || rest.begins(with: "/")
    else { return nil }
    (self.document, self.rest) = (document, rest)
  }

  var cfi: String { "epubcfi(/6/\(document)!\(rest))" }
  var calibre: String { "epubcfi(/\(document)/2\(rest))" }

  private static func parts(_ text: String, from start: String, separator: Unicode.Scalar) -> (Int, String)? {
    guard text.utf8.count <= Limits.bridgePlace, let inner = text.rest(after: start)?.rest(before: ")") else {
      return nil
    }
    let parts = inner.parts(at: separator, maxSplits: 1, omittingEmpty: false)
    guard parts.count == 2, let step = parts[0].parts(at: "[", maxSplits: 1).first,
      isAssertion(parts[0].rest(after: step)),
      step.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let document = Int(step), document >= 2,
      document.isMultiple(of: 2), parts[1].utf8.allSatisfy(isPlain)
    else { return nil }
    return (document, parts[1])
  }

  private static func isAssertion(_ text: String?) -> Bool {
    guard let text, !text.isEmpty else { return true }
    return text.begins(with: "[") && text.ends(with: "]") && text.utf8.allSatisfy(isPlain)
  }

  /// Letters, digits, and the marks of steps, offsets and assertions; none that separates the ends of a range.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "/:.@~[]_-;=^".utf8.contains(byte)
    }
  }

  /// The numbers of the steps, in the book's order.
  private var steps: [Double] {
    var steps = [Double(document)]
    var isAsserted = false
    var number = ""
    for scalar in (rest + "/").unicodeScalars {
      switch scalar {
      case "[": isAsserted = true
      case "]": isAsserted = false
      case _ where isAsserted: continue
      case "0"..."9", ".": number.unicodeScalars.append(scalar)
      default:
        if let step = Double(number) { steps.append(step) }
        number = ""
      }
    }
    return steps
  }

  static func < (left: BookPlace, right: BookPlace) -> Bool { left.steps.lexicographicallyPrecedes(right.steps) }
}
