import SegueCore

/// Where a page is scrolled to, as far as it is known.
struct Place: Equatable {
  /// Pixels.
  var x: Double?
  var y: Double?
  /// The fraction of the page's height, 0 to 1.
  var fraction: Double?
  /// The first text in the view.
  var text: String?
  /// How far down in the view it stands, in pixels.
  var below: Double?

  /// No page is longer.
  private static let far = 0x1p40

  /// From the browser; nil where a member is not what it should be.
  init?(_ members: TextMap<JSON>) {
    func number(_ name: String, _ range: ClosedRange<Double>) -> Double?? {
      guard let value = members[name] else { return .some(nil) }
      return value.number.flatMap { range.contains($0) ? .some($0) : nil }
    }
    guard let x = number("x", -Self.far...Self.far), let y = number("y", -Self.far...Self.far),
      let fraction = number("fraction", 0...1), let below = number("below", 0...Self.far)
    else { return nil }
    (self.x, self.y, self.fraction, self.below) = (x, y, fraction, below)
    if let value = members["text"] {
      guard let text = value.string else { return nil }
      self.text = Self.cut(text)
    }
  }

  /// From an activity; nil where that says nothing of a place. An entry that is not what it should be is left out.
  init?(userInfo: [Value: Value]) {
    func number(_ key: String, _ range: ClosedRange<Double>) -> Double? {
      guard let value = userInfo[.string(key)], let number = value.double ?? value.integer.map({ Double($0) }),
        range.contains(number)
      else { return nil }
      return number
    }
    x = number("scroll-x", -Self.far...Self.far)
    y = number("scroll-y", -Self.far...Self.far)
    fraction = number("fraction", 0...1)
    text = userInfo[.string("text")]?.string.map { Self.cut($0) }
    below = number("text-below", 0...Self.far)
    guard x != nil || y != nil || fraction != nil || text != nil else { return nil }
  }

  private static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(Limits.browserText)) }

  var userInfo: [Value: Value] {
    var entries: [Value: Value] = [:]
    entries[.string("scroll-x")] = x.map { .double($0) }
    entries[.string("scroll-y")] = y.map { .double($0) }
    entries[.string("fraction")] = fraction.map { .double($0) }
    entries[.string("text")] = text.map { .string($0) }
    entries[.string("text-below")] = below.map { .double($0) }
    return entries
  }

  var json: JSON {
    var members: TextMap<JSON> = [:]
    members["x"] = x.map { .number($0) }
    members["y"] = y.map { .number($0) }
    members["fraction"] = fraction.map { .number($0) }
    members["text"] = text.map { .string($0) }
    members["below"] = below.map { .number($0) }
    return .object(members)
  }
}
