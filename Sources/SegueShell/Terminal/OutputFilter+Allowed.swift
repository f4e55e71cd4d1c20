import SegueCore

// The allow-list itself. docs/shell.md has it in words.

extension OutputFilter {
  /// ESC with one letter, or with an intermediate byte and one.
  mutating func escape(final: UInt8) {
    let letter = Character(Unicode.Scalar(final))
    switch (held.first.map { Character(Unicode.Scalar($0)) }, letter) {
    case (nil, "="), (nil, ">"):
      changeModes { $0.hasKeypad = letter == "=" }
      pass([0x1B, final])
    case (nil, "7"), (nil, "8"), (nil, "D"), (nil, "E"), (nil, "H"), (nil, "M"), (nil, "N"), (nil, "O"), (nil, "n"),
      (nil, "o"), (nil, "|"), (nil, "}"), (nil, "~"):
      pass([0x1B, final])
    case (nil, "c"):
      // A terminal that is reset would forget its text from before the session.
      resetModes()
      passed.screen += [0x1B, final]
      passed.shown += Array("\u{1B}[?1049l".utf8) + TerminalModes.usual + Array("\u{1B}[?25h\u{1B}[H\u{1B}[2J".utf8)
      passed.leftAlternate = true
    case ("("?, "0"), ("("?, "A"), ("("?, "B"), (")"?, "0"), (")"?, "A"), (")"?, "B"), ("*"?, "0"), ("*"?, "A"),
      ("*"?, "B"), ("+"?, "0"), ("+"?, "A"), ("+"?, "B"):
      guard held.count == 1 else { return }
      pass([0x1B, held[0], final])
    case ("#"?, "8") where held.count == 1:
      pass([0x1B, held[0], final])
    default: break
    }
  }

  mutating func control(_ sequence: ControlSequence) {
    let letter = Character(Unicode.Scalar(sequence.final))
    let intermediate = sequence.intermediates.first.map { Character(Unicode.Scalar($0)) }
    switch (sequence.prefix.map { Character(Unicode.Scalar($0)) }, intermediate) {
    case (nil, nil): plainControl(sequence, letter)
    case ("?"?, nil): privateControl(sequence, letter)
    case (nil, " "?) where letter == "q":
      guard let shape = sequence.numbers, shape.count <= 1, (0...6).contains(shape.first.flatMap { $0 } ?? 0) else {
        return
      }
      changeModes { $0.cursorShape = shape.first.flatMap { $0 } ?? 0 }
      pass(sequence.bytes)
    case (nil, "!"?) where letter == "p" && sequence.parameters.isEmpty:
      changeModes { $0.resetSoftly() }
      pass(sequence.bytes)
    case (nil, "\""?) where letter == "q": pass(sequence.bytes)
    // Questions for the terminal's type, and for whether a mode is set: the session's screen answers.
    case (">"?, nil) where letter == "c", ("?"?, "$"?) where letter == "p": passed.screen += sequence.bytes
    default: break
    }
  }

  private mutating func plainControl(_ sequence: ControlSequence, _ letter: Character) {
    guard letter != "m" else { return pass(sequence.bytes) }
    guard let numbers = sequence.numbers else { return }
    let first = numbers.first.flatMap { $0 }
    switch letter {
    case "@", "A", "B", "C", "D", "E", "F", "G", "H", "I", "K", "L", "M", "P", "S", "X", "Z", "`", "a", "d", "e", "f",
      "g":
      pass(sequence.bytes)
    // The scrollback is cleared in the session alone: on a viewer's terminal, it begins with lines that are not the
    // session's.
    case "J" where numbers.count <= 1 && first == 3: passed.clearsHistory = true
    case "J" where numbers.count <= 1 && (0...2).contains(first ?? 0): pass(sequence.bytes)
    // With more parameters they would be other sequences.
    case "T" where numbers.count <= 1, "s" where numbers.isEmpty, "u" where numbers.isEmpty: pass(sequence.bytes)
    case "b" where numbers.count <= 1: repeatLast(first ?? 1)
    case "r" where numbers.count <= 2: pass(sequence.bytes)
    case "h", "l":
      for case let mode? in numbers where TerminalModes.knownPlain[mode] != nil {
        changeModes { $0.setPlain(mode, letter == "h") }
        pass(sequence.bytes(parameters: [[mode]]))
      }
    // Questions for the cursor's place, the terminal's state, and its type.
    case "n" where numbers.count == 1 && (first == 5 || first == 6), "c" where (first ?? 0) == 0 && numbers.count <= 1:
      passed.screen += sequence.bytes
    default: break
    }
  }

  private mutating func privateControl(_ sequence: ControlSequence, _ letter: Character) {
    guard let numbers = sequence.numbers else { return }
    switch letter {
    case "h", "l":
      for case let number? in numbers {
        // The oldest one for the alternate screen, which libvterm does not know.
        let mode = number == 47 ? 1047 : number
        guard TerminalModes.known[mode] != nil else { continue }
        if letter == "l", mode == 1047 || mode == 1049, modes.isAlternate { passed.leftAlternate = true }
        changeModes { $0.set(mode, letter == "h") }
        pass(sequence.bytes(parameters: [[mode]]))
      }
    case "J", "K":
      guard numbers.count <= 1, (0...2).contains(numbers.first.flatMap { $0 } ?? 0) else { return }
      pass(sequence.bytes)
    case "n" where numbers == [6]: passed.screen += sequence.bytes
    default: break
    }
  }

  /// OSC: only the title. A viewer sets it by itself.
  mutating func command(_ text: [UInt8]) {
    guard text.count >= 2, text[0] == UInt8(ascii: "0") || text[0] == UInt8(ascii: "2"), text[1] == UInt8(ascii: ";")
    else { return }
    passed.title = DisplayText.clean(String(decoding: text.dropFirst(2), as: UTF8.self), maximum: Limits.shellName)
  }

  /// DCS: a few questions for settings (DECRQSS), which the session's screen answers.
  mutating func deviceString(_ text: [UInt8]) {
    let asked = String(decoding: text, as: UTF8.self)
    guard ["$qm", "$qr", "$q q", "$q\"q"].contains(asked) else { return }
    passed.screen += [0x1B, UInt8(ascii: "P")] + text + [0x1B, UInt8(ascii: "\\")]
  }
}
