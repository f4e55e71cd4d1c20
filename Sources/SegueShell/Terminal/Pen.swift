import CVTerm

/// Colours and attributes with which characters are drawn.
struct Pen: Equatable {
  enum Color: Equatable {
    case usual
    case indexed(UInt8)
    case rgb(UInt8, UInt8, UInt8)
  }
  var isBold = false
  var underline = 0
  var isItalic = false
  var blinks = false
  var isReverse = false
  var isStruck = false
  var foreground = Color.usual
  var background = Color.usual

  static let plain: [UInt8] = Array("\u{1B}[m".utf8)

  init() {}

  init(of cell: VTermScreenCell) {
    isBold = cell.attrs.bold != 0
    underline = Int(cell.attrs.underline)
    isItalic = cell.attrs.italic != 0
    blinks = cell.attrs.blink != 0
    isReverse = cell.attrs.reverse != 0
    isStruck = cell.attrs.strike != 0
    foreground = Color(cell.fg)
    background = Color(cell.bg)
  }

  /// What the next character would be drawn with.
  init(of state: OpaquePointer) {
    func value(_ attribute: VTermAttr) -> VTermValue {
      var value = VTermValue()
      _ = vterm_state_get_penattr(state, attribute, &value)
      return value
    }
    isBold = value(VTERM_ATTR_BOLD).boolean != 0
    underline = Int(value(VTERM_ATTR_UNDERLINE).number)
    isItalic = value(VTERM_ATTR_ITALIC).boolean != 0
    blinks = value(VTERM_ATTR_BLINK).boolean != 0
    isReverse = value(VTERM_ATTR_REVERSE).boolean != 0
    isStruck = value(VTERM_ATTR_STRIKE).boolean != 0
    foreground = Color(value(VTERM_ATTR_FOREGROUND).color)
    background = Color(value(VTERM_ATTR_BACKGROUND).color)
  }

  var isPlain: Bool { self == Pen() }

  /// Sets a terminal to this pen, from any other.
  var bytes: [UInt8] {
    guard !isPlain else { return Self.plain }
    var text = "\u{1B}[0"
    if isBold { text += ";1" }
    if isItalic { text += ";3" }
    // The curly one too: not every terminal knows it.
    if underline != 0 { text += underline == 2 ? ";21" : ";4" }
    if blinks { text += ";5" }
    if isReverse { text += ";7" }
    if isStruck { text += ";9" }
    text += foreground.parameters(30) + background.parameters(40)
    return Array((text + "m").utf8)
  }

  /// Draws a row's cells; what is empty up to its end is left out. Whether the last cell was drawn.
  @discardableResult mutating func draw(
    _ cells: UnsafeBufferPointer<VTermScreenCell>, into bytes: inout [UInt8]
  ) -> Bool {
    var end = cells.count
    while end > 0, cells[end - 1].chars.0 == 0, Pen(of: cells[end - 1]).isPlain { end -= 1 }
    var index = 0
    while index < end {
      let cell = cells[index]
      let pen = Pen(of: cell)
      if pen != self {
        self = pen
        bytes += pen.bytes
      }
      let isWide = cell.width == 2
      // Half of a wide character is not drawn: where it is cut, and where its other half is missing.
      if isWide && index + 1 >= cells.count || cell.chars.0 == UInt32.max {
        bytes.append(0x20)
      } else {
        Self.append(cell, to: &bytes)
      }
      index += isWide ? 2 : 1
    }
    return end == cells.count
  }

  private static func append(_ cell: VTermScreenCell, to bytes: inout [UInt8]) {
    if cell.chars.0 >= 0x20, cell.chars.0 < 0x7F, cell.chars.1 == 0 { return bytes.append(UInt8(cell.chars.0)) }
    let characters = [
      cell.chars.0, cell.chars.1, cell.chars.2, cell.chars.3, cell.chars.4, cell.chars.5,
    ].prefix { $0 != 0 }
    guard !characters.isEmpty else { return bytes.append(0x20) }
    for character in characters {
      if let scalar = Unicode.Scalar(character) {
        bytes += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}

extension Pen.Color {
  init(_ color: VTermColor) {
    let type = UInt32(color.type)
    if type & (VTERM_COLOR_DEFAULT_FG.rawValue | VTERM_COLOR_DEFAULT_BG.rawValue) != 0 {
      self = .usual
    } else if type & VTERM_COLOR_TYPE_MASK.rawValue == VTERM_COLOR_INDEXED.rawValue {
      self = .indexed(color.indexed.idx)
    } else {
      self = .rgb(color.rgb.red, color.rgb.green, color.rgb.blue)
    }
  }

  /// SGR's numbers for it, `base` being 30 for a foreground and 40 for a background.
  func parameters(_ base: Int) -> String {
    switch self {
    case .usual: ""
    case .indexed(let index) where index < 8: ";\(base + Int(index))"
    case .indexed(let index) where index < 16: ";\(base + 52 + Int(index))"
    case .indexed(let index): ";\(base + 8);5;\(index)"
    case .rgb(let red, let green, let blue): ";\(base + 8);2;\(red);\(green);\(blue)"
    }
  }
}
