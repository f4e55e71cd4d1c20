// Answers to the questions that programs ask a terminal.

extension TerminalScreen {
  /// DSR and DA: whether all is well, where the cursor is, and what the terminal is.
  mutating func answer(_ letter: Character, _ number: Int) {
    switch (letter, number) {
    case ("n", 5): answers += Array("\u{1B}[0n".utf8)
    case ("n", 6): answers += place("")
    // A VT100 with the option for better drawing, as libvterm and others say.
    case ("c", 0): answers += Array("\u{1B}[?1;2c".utf8)
    default: break
    }
  }

  func place(_ prefix: String) -> [UInt8] {
    Array("\u{1B}[\(prefix)\(cursor.row - top + 1);\(cursor.column + 1)R".utf8)
  }

  /// DECRQM: 1 for set, 2 for reset, 0 for a mode that is not known.
  mutating func answer(mode: Int) {
    let value = modes.isSet(mode).map { $0 ? 1 : 2 } ?? 0
    answers += Array("\u{1B}[?\(mode);\(value)$y".utf8)
  }

  /// DECRQSS.
  mutating func answer(setting: String) {
    let value: String
    switch setting {
    case "$qm": value = "\(cursor.pen.parameters)m"
    case "$qr": value = "\(region.lowerBound + 1);\(region.upperBound + 1)r"
    case "$q q": value = "\(modes.cursorShape == 0 ? 1 : modes.cursorShape) q"
    case "$q\"q": value = "\(cursor.pen.attributes.contains(.protected) ? 1 : 0)\"q"
    default: return
    }
    answers += Array("\u{1B}P1$r\(value)\u{1B}\\".utf8)
  }
}
