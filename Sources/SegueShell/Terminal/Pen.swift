import SegueCore

/// Colours and attributes with which characters are drawn. Pure.
///
/// It holds every attribute that terminals show, so that text that is drawn anew looks as it did.
struct Pen: Equatable, Sendable {
  enum Color: Equatable, Sendable {
    case usual
    /// One of the sixteen that have numbers of their own, which some terminals brighten for bold text.
    case basic(UInt8)
    case indexed(UInt8)
    case rgb(UInt8, UInt8, UInt8)
  }
  struct Attributes: OptionSet, Sendable {
    let rawValue: UInt16
    static let bold = Attributes(rawValue: 1)
    static let dim = Attributes(rawValue: 2)
    static let italic = Attributes(rawValue: 4)
    static let blinking = Attributes(rawValue: 8)
    static let blinkingFast = Attributes(rawValue: 16)
    static let reverse = Attributes(rawValue: 32)
    static let concealed = Attributes(rawValue: 64)
    static let struck = Attributes(rawValue: 128)
    static let overlined = Attributes(rawValue: 256)
    /// Against selective erasing; no other look.
    static let protected = Attributes(rawValue: 512)
  }
  var attributes: Attributes = []
  /// 0: none; 1 to 5: single, double, curly, dotted, dashed.
  var underline: UInt8 = 0
  var foreground = Color.usual
  var background = Color.usual
  var underlineColor = Color.usual

  static let plain: [UInt8] = Array("\u{1B}[m".utf8)

  init() {}

  /// Erases.
  init(background: Color) { self.background = background }

  var isPlain: Bool { self == Pen() }
}

// MARK: SGR

extension Pen {
  mutating func apply(_ sequence: ControlSequence) {
    let parameters = sequence.parameters
    guard !parameters.isEmpty else { return reset() }
    var index = 0
    while index < parameters.count {
      let parameter = parameters[index]
      let number = parameter.first.flatMap { $0 } ?? 0
      index += 1
      switch number {
      case 4:
        let style = parameter.count > 1 ? parameter[1] ?? 1 : 1
        if (0...5).contains(style) { underline = UInt8(style) }
      case 38: foreground = color(parameters, &index) ?? foreground
      case 48: background = color(parameters, &index) ?? background
      case 58: underlineColor = color(parameters, &index) ?? underlineColor
      default: if parameter.count == 1 { apply(number) }
      }
    }
  }

  private mutating func reset() {
    let isProtected = attributes.contains(.protected)
    self = Pen()
    if isProtected { attributes.insert(.protected) }
  }

  private mutating func apply(_ number: Int) {
    switch number {
    case 0: reset()
    case 1: attributes.insert(.bold)
    case 2: attributes.insert(.dim)
    case 3: attributes.insert(.italic)
    case 5: attributes.insert(.blinking)
    case 6: attributes.insert(.blinkingFast)
    case 7: attributes.insert(.reverse)
    case 8: attributes.insert(.concealed)
    case 9: attributes.insert(.struck)
    case 21: underline = 2
    case 22: attributes.subtract([.bold, .dim])
    case 23: attributes.remove(.italic)
    case 24: underline = 0
    case 25: attributes.subtract([.blinking, .blinkingFast])
    case 27: attributes.remove(.reverse)
    case 28: attributes.remove(.concealed)
    case 29: attributes.remove(.struck)
    case 30...37: foreground = .basic(UInt8(number - 30))
    case 39: foreground = .usual
    case 40...47: background = .basic(UInt8(number - 40))
    case 49: background = .usual
    case 53: attributes.insert(.overlined)
    case 55: attributes.remove(.overlined)
    case 59: underlineColor = .usual
    case 90...97: foreground = .basic(UInt8(number - 82))
    case 100...107: background = .basic(UInt8(number - 92))
    default: break
    }
  }

  /// The colour after 38, 48 or 58: behind colons in the same parameter, or in the next ones. Nil where it is none.
  private func color(_ parameters: [[Int?]], _ index: inout Int) -> Color? {
    let own = parameters[index - 1].dropFirst()
    let isOwn = !own.isEmpty
    let rest = isOwn ? Array(own) : parameters[index...].prefix { $0.count == 1 }.map { $0[0] }
    guard let kind = rest.first.flatMap({ $0 }) else { return nil }
    // With colons, what stands before red may be the name of a colour space.
    let skipped = isOwn && rest.count > 4 ? 1 : 0
    let values = rest.dropFirst(1 + skipped).map { $0 ?? 0 }
    let count = kind == 2 ? 3 : kind == 5 ? 1 : 0
    if !isOwn { index += min(rest.count, 1 + count) }
    guard count > 0, values.count >= count, values.prefix(count).allSatisfy({ $0 <= 255 }) else { return nil }
    return kind == 5 ? .indexed(UInt8(values[0])) : .rgb(UInt8(values[0]), UInt8(values[1]), UInt8(values[2]))
  }

  /// Sets a terminal to this pen, from any other but for protection.
  var bytes: [UInt8] {
    guard !look.isEmpty else { return Self.plain }
    // As many as fit into a sequence.
    var text = ""
    var count = 0
    for group in [["0"]] + look {
      if count > 0, count + group.count <= Limits.shellParameters {
        text += ";"
      } else {
        text += count > 0 ? "m\u{1B}[" : "\u{1B}["
        count = 0
      }
      text += group.joined(separator: group[0] == "4" || group[0] == "58" ? ":" : ";")
      count += group.count
    }
    return Array((text + "m").utf8)
  }

  /// Its SGR parameters in full, for the program that asks.
  var parameters: String {
    (["0"] + look.map { $0.joined(separator: $0[0] == "4" || $0[0] == "58" ? ":" : ";") }).joined(separator: ";")
  }

  private var look: [[String]] {
    var groups: [[String]] = []
    for (attribute, number) in Self.numbers where attributes.contains(attribute) { groups.append([number]) }
    if underline > 0 { groups.append(underline == 1 ? ["4"] : underline == 2 ? ["21"] : ["4", String(underline)]) }
    if foreground != .usual { groups.append(foreground.parameters(30)) }
    if background != .usual { groups.append(background.parameters(40)) }
    switch underlineColor {
    case .usual: break
    case .basic(let index), .indexed(let index): groups.append(["58", "5", String(index)])
    case .rgb(let red, let green, let blue):
      groups.append(["58", "2", "", String(red), String(green), String(blue)])
    }
    return groups
  }

  private static let numbers: [(Attributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.blinking, "5"), (.blinkingFast, "6"), (.reverse, "7"),
    (.concealed, "8"), (.struck, "9"), (.overlined, "53"),
  ]
}

extension Pen.Color {
  /// SGR's numbers for it, `base` being 30 for a foreground and 40 for a background.
  fileprivate func parameters(_ base: Int) -> [String] {
    switch self {
    case .usual: []
    case .basic(let index) where index < 8: [String(base + Int(index))]
    case .basic(let index): [String(base + 52 + Int(index))]
    case .indexed(let index): [String(base + 8), "5", String(index)]
    case .rgb(let red, let green, let blue): [String(base + 8), "2", String(red), String(green), String(blue)]
    }
  }
}
