import SegueCore

/// A pattern of an association file (semantics W5): text, `*` for any characters, `?` for any one, and `$(name)` for
/// one of a list. The pattern is compared with the whole of a URL's path, query, query item or fragment.
///
/// Matching takes time that grows with the product of both lengths, and no faster: the matcher backtracks only to the
/// last `*`, and follows variables with texts of several lengths on all their ways at once.
struct URLPattern: Equatable, Sendable {
  /// One step of a pattern. A step below 256 stands for that byte.
  typealias Step = UInt16

  enum Code {
    static let one: Step = 256
    static let any: Step = 257
    static let alpha: Step = 258
    static let upper: Step = 259
    static let lower: Step = 260
    static let alnum: Step = 261
    static let digit: Step = 262
    static let xdigit: Step = 263
    /// Two bytes each.
    static let language: Step = 264
    static let region: Step = 265
    static let foldedRegion: Step = 266
  }

  /// The alternatives of a custom variable, each a list of steps; and which one comes next.
  enum Part: Equatable, Sendable {
    case steps([Step])
    case oneOf([[Step]])
  }

  let ignoresCase: Bool
  private let steps: [Step]
  /// The pattern's parts if it has custom variables; nil: `steps` is all.
  private let parts: [Part]?

  /// The number of steps that matching follows.
  let cost: Int

  /// A pattern of the older form, which has no variables: a `$(name)` in it is text.
  init(plain text: String) {
    ignoresCase = false
    var steps: [Step] = []
    for scalar in text.unicodeScalars { Self.append(scalar, to: &steps, false) }
    self.steps = steps
    parts = nil
    cost = steps.count + 1
  }

  /// Throws the problem with the pattern, without a full stop.
  init(_ text: String, ignoresCase: Bool, variables: TextMap<[String]>) throws(SegueError) {
    self.ignoresCase = ignoresCase
    var parts: [Part] = []
    var steps: [Step] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      guard scalar == "$", rest.dropFirst().first == "(" else {
        rest = rest.dropFirst()
        Self.append(scalar, to: &steps, ignoresCase)
        continue
      }
      guard let end = rest.firstIndex(of: ")") else {
        throw SegueError(.invalidArgument, "a variable without its )")
      }
      let name = String(Substring(rest[rest.index(rest.startIndex, offsetBy: 2)..<end]))
      rest = rest[rest.index(after: end)...]
      if let code = Self.predefined(name, ignoresCase) {
        steps.append(code)
      } else if let values = variables[name] {
        if !steps.isEmpty { parts.append(.steps(steps)) }
        steps = []
        parts.append(
          .oneOf(
            values.map { value in
              var steps: [Step] = []
              for scalar in value.unicodeScalars { Self.append(scalar, to: &steps, ignoresCase) }
              return steps
            }))
      } else {
        throw SegueError(
          .invalidArgument, "no variable is called \(DisplayText.quoted(name, maximum: Limits.shownName))")
      }
    }
    self.steps = parts.isEmpty ? steps : []
    if !parts.isEmpty, !steps.isEmpty { parts.append(.steps(steps)) }
    self.parts = parts.isEmpty ? nil : parts
    cost =
      steps.count + 1
      + parts.reduce(0) { sum, part in
        switch part {
        case .steps(let steps): sum + steps.count
        case .oneOf(let values): sum + values.reduce(1) { $0 + $1.count + 1 }
        }
      }
  }

  private static func append(_ scalar: Unicode.Scalar, to steps: inout [Step], _ ignoresCase: Bool) {
    switch scalar {
    // Several `*` in a row mean the same as one.
    case "*": if steps.last != Code.any { steps.append(Code.any) }
    case "?": steps.append(Code.one)
    default: for byte in String(scalar).utf8 { steps.append(Step(ignoresCase ? folded(byte) : byte)) }
    }
  }

  private static func predefined(_ name: String, _ ignoresCase: Bool) -> Step? {
    switch name {
    case "alpha": Code.alpha
    case "upper": ignoresCase ? Code.alpha : Code.upper
    case "lower": ignoresCase ? Code.alpha : Code.lower
    case "alnum": Code.alnum
    case "digit": Code.digit
    case "xdigit": Code.xdigit
    case "lang": Code.language
    case "region": ignoresCase ? Code.foldedRegion : Code.region
    default: nil
    }
  }

  /// Whether it matches everything.
  var matchesAll: Bool { parts == nil && steps == [Code.any] }

  /// `text`: with its case folded where the pattern ignores it.
  func matches(_ text: [UInt8]) -> Bool {
    guard let parts else {
      return steps.withUnsafeBufferPointer { steps in text.withUnsafeBufferPointer { Self.match(steps, $0) } }
    }
    // All places of the text that the parts so far can end at.
    var places = [Bool](repeating: false, count: text.count + 1)
    places[0] = true
    for part in parts {
      switch part {
      case .steps(let steps): places = Self.follow(steps, text, places)
      case .oneOf(let values):
        var reached = [Bool](repeating: false, count: text.count + 1)
        for value in values {
          let ends = Self.follow(value, text, places)
          for place in ends.indices where ends[place] { reached[place] = true }
        }
        places = reached
      }
      if !places.contains(true) { return false }
    }
    return places[text.count]
  }

  /// Where the steps can end that begin at one of these places.
  private static func follow(_ steps: [Step], _ text: [UInt8], _ places: [Bool]) -> [Bool] {
    text.withUnsafeBufferPointer { text in
      var places = places
      for step in steps {
        var reached = [Bool](repeating: false, count: places.count)
        if step == Code.any {
          if let first = places.firstIndex(of: true) { for place in first..<reached.count { reached[place] = true } }
        } else {
          for place in places.indices where places[place] {
            let length = length(step, text, place)
            if length > 0 { reached[place + length] = true }
          }
        }
        places = reached
      }
      return places
    }
  }

  /// One way, with a return to the last `*` alone.
  private static func match(_ steps: UnsafeBufferPointer<Step>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (step, place) = (0, 0)
    var star: (step: Int, place: Int)?
    while true {
      if step < steps.count, steps[step] == Code.any {
        step += 1
        if step == steps.count { return true }
        star = (step, place)
        continue
      }
      if step == steps.count, place == text.count { return true }
      let length = step < steps.count ? length(steps[step], text, place) : 0
      if length > 0 {
        step += 1
        place += length
        continue
      }
      guard let last = star, last.place < text.count else { return false }
      // The `*` takes one byte more.
      star = (last.step, last.place + 1)
      (step, place) = (last.step, last.place + 1)
    }
  }

  /// How many bytes of the text the step takes at that place; 0 if it does not match there.
  @inline(__always)
  private static func length(_ step: Step, _ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
    guard place < text.count else { return 0 }
    let byte = text[place]
    if step < 256 { return Step(byte) == step ? 1 : 0 }
    switch step {
    case Code.one: return scalarLength(text, place)
    case Code.alpha: return isLower(byte) || isUpper(byte) ? 1 : 0
    case Code.upper: return isUpper(byte) ? 1 : 0
    case Code.lower: return isLower(byte) ? 1 : 0
    case Code.alnum: return isLower(byte) || isUpper(byte) || isDigit(byte) ? 1 : 0
    case Code.digit: return isDigit(byte) ? 1 : 0
    case Code.xdigit: return JSONReader.hexadecimal(byte) != nil ? 1 : 0
    case Code.language: return place + 1 < text.count && LocaleCodes.isLanguage(byte, text[place + 1]) ? 2 : 0
    case Code.region: return place + 1 < text.count && LocaleCodes.isRegion(byte, text[place + 1]) ? 2 : 0
    case Code.foldedRegion:
      return place + 1 < text.count && LocaleCodes.isFoldedRegion(byte, text[place + 1]) ? 2 : 0
    default: return 0
    }
  }

  /// A character beyond ASCII is one to `?`, where the text is not percent-encoded.
  private static func scalarLength(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
    guard text[place] >= 0xC0 else { return 1 }
    var end = place + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end - place
  }

  static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  static func folded(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }
}
