/// The modes of a terminal that a program has set, as far as the allow-list of `OutputFilter` lets it. Pure.
public struct TerminalModes: Equatable, Sendable {
  /// The private modes that are let through, and their initial states.
  static let known: [Int: Bool] = [
    1: false, 5: false, 6: false, 7: true, 12: false, 25: true, 1000: false, 1002: false, 1003: false, 1004: false,
    1005: false, 1006: false, 1015: false, 1047: false, 1048: false, 1049: false, 2004: false,
  ]
  /// The same for modes without a question mark.
  static let knownPlain: [Int: Bool] = [4: false, 20: false]

  /// The modes that differ from their initial state.
  private var changed: Set<Int> = []
  private var changedPlain: Set<Int> = []
  public private(set) var isAlternate = false
  var hasKeypad = false
  /// As DECSCUSR numbers them; 0: the terminal's own.
  var cursorShape = 0

  public init() {}

  mutating func set(_ mode: Int, _ isOn: Bool) {
    switch mode {
    case 1047, 1049: isAlternate = isOn
    case 1048: break
    default:
      // One of them, whichever was set last.
      for group in [[1000, 1002, 1003], [1005, 1006, 1015]] where group.contains(mode) { changed.subtract(group) }
      if Self.known[mode] == isOn { changed.remove(mode) } else { changed.insert(mode) }
    }
  }

  mutating func setPlain(_ mode: Int, _ isOn: Bool) {
    if isOn { changedPlain.insert(mode) } else { changedPlain.remove(mode) }
  }

  /// Takes back the modes that DECSTR, the soft reset, resets.
  mutating func resetSoftly() {
    for mode in [1, 6, 7, 25] { changed.remove(mode) }
    changedPlain = []
    hasKeypad = false
  }

  /// Modes for a caller that does not know which are set: on the alternate screen.
  static var everything: TerminalModes {
    var modes = TerminalModes()
    modes.isAlternate = true
    return modes
  }

  /// Nil for a mode that is not known.
  func isSet(_ mode: Int) -> Bool? {
    switch mode {
    case 1047, 1049: isAlternate
    default: Self.known[mode].map { $0 != changed.contains(mode) }
    }
  }

  var hasOrigin: Bool { changed.contains(6) }
  var wrapsLines: Bool { !changed.contains(7) }
  var isCursorVisible: Bool { !changed.contains(25) }
  var inserts: Bool { changedPlain.contains(4) }
  var startsLines: Bool { changedPlain.contains(20) }

  /// Sets a terminal that is as `TerminalModes.usual` leaves it to these modes, but for the screen that is shown, and
  /// for where the cursor is, what that refers to, and whether it is visible.
  var bytes: [UInt8] {
    var text = ""
    for mode in changed.sorted() where mode != 25 && mode != 6 {
      text += "\u{1B}[?\(mode)\(Self.known[mode] == false ? "h" : "l")"
    }
    for mode in changedPlain.sorted() { text += "\u{1B}[\(mode)h" }
    if hasKeypad { text += "\u{1B}=" }
    if cursorShape != 0 { text += "\u{1B}[\(cursorShape) q" }
    return Array(text.utf8)
  }

  /// Takes every mode back, but for the screen that is shown.
  static let usual =
    Array(
      ("\u{1B}[r\u{1B}[?1l\u{1B}[?5l\u{1B}[?6l\u{1B}[?7h\u{1B}[?12l\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1004l"
        + "\u{1B}[?1005l\u{1B}[?1006l\u{1B}[?1015l\u{1B}[?2004l\u{1B}[4l\u{1B}[20l\u{1B}>\u{1B}[0 q"
        + "\u{1B}[m").utf8) + Charsets.usualBytes

  /// The bytes that a viewer's terminal gets when the viewer leaves it, `rows` high: its own screen, with the cursor on
  /// a free line.
  public static func farewell(from modes: TerminalModes, rows: Int) -> [UInt8] {
    let screen = modes.isAlternate ? "\u{1B}[?1049l" : ""
    return Array(screen.utf8) + usual + Array("\u{1B}[?25h\u{1B}[\(rows);1H\r\n".utf8)
  }
}
