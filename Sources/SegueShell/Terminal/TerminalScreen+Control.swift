import SegueCore

// Sequences: those of the filter's list.

extension TerminalScreen {
  /// The length of the sequence that begins here.
  mutating func takeSequence(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let body = bytes.dropFirst()
    switch body.first {
    case UInt8(ascii: "["):
      let parameters = body.dropFirst().prefix { !(0x40...0x7E).contains($0) }
      guard let final = bytes[parameters.endIndex...].first else { return bytes.count }
      if let sequence = ControlSequence(Array(parameters), final: final) { control(sequence) }
      return parameters.count + 3
    case UInt8(ascii: "P"):
      let text = body.dropFirst().prefix { $0 != 0x1B }
      answer(setting: String(decoding: text, as: UTF8.self))
      return min(bytes.count, text.count + 4)
    case let place? where (0x20...0x2F).contains(place):
      guard let final = body.dropFirst().first else { return bytes.count }
      if place == UInt8(ascii: "#") { fill() } else { cursor.charsets.designate(place, final) }
      return 3
    case let final?:
      escape(Character(Unicode.Scalar(final)))
      return 2
    case nil: return 1
    }
  }

  private mutating func escape(_ letter: Character) {
    switch letter {
    case "7": save()
    case "8": restore()
    case "D": lineFeed()
    case "E":
      lineFeed()
      cursor.column = 0
    case "H":
      tabs[cursor.column] = true
      hasSetTabs = true
    case "M":
      cursor.isPending = false
      if cursor.row == region.lowerBound { scrollDown(1) } else { cursor.row = max(0, cursor.row - 1) }
    case "N": cursor.charsets.useOnce(2)
    case "O": cursor.charsets.useOnce(3)
    case "n": cursor.charsets.use(2)
    case "o": cursor.charsets.use(3)
    case "=", ">": changeModes { $0.hasKeypad = letter == "=" }
    case "c": reset()
    default: break
    }
  }

  private mutating func control(_ sequence: ControlSequence) {
    let letter = Character(Unicode.Scalar(sequence.final))
    switch (sequence.prefix, sequence.intermediates.first) {
    case (nil, nil) where letter == "m": cursor.pen.apply(sequence)
    case (nil, nil): plainControl(sequence.numbers ?? [], letter)
    case (UInt8(ascii: "?"), nil): privateControl(sequence.numbers ?? [], letter)
    case (nil, UInt8(ascii: " ")):
      changeModes { $0.cursorShape = sequence.numbers?.first.flatMap { $0 } ?? 0 }
    case (nil, UInt8(ascii: "!")): resetSoftly()
    case (nil, UInt8(ascii: "\"")):
      if sequence.numbers?.first.flatMap({ $0 }) == 1 {
        cursor.pen.attributes.insert(.protected)
        hasProtected = true
      } else {
        cursor.pen.attributes.remove(.protected)
      }
    case (UInt8(ascii: ">"), nil): answers += Array("\u{1B}[>0;100;0c".utf8)
    case (UInt8(ascii: "?"), UInt8(ascii: "$")): answer(mode: sequence.numbers?.first.flatMap { $0 } ?? 0)
    default: break
    }
  }

  private mutating func plainControl(_ numbers: [Int?], _ letter: Character) {
    let number = numbers.first.flatMap { $0 } ?? 0
    let count = max(1, number)
    switch letter {
    case "A": moveUp(count)
    case "B": moveDown(count)
    case "C", "a": moveTo(column: cursor.column + count)
    case "D": moveTo(column: cursor.column - count)
    case "E":
      moveDown(count)
      cursor.column = 0
    case "F":
      moveUp(count)
      cursor.column = 0
    case "G", "`": moveTo(column: count - 1)
    case "H", "f": moveTo(row: count - 1, column: max(1, (numbers.count > 1 ? numbers[1] : nil) ?? 1) - 1)
    case "d": moveTo(row: count - 1, column: cursor.column)
    case "e": moveTo(row: cursor.row - top + count, column: cursor.column)
    case "I": tab(count)
    case "Z": tab(-count)
    case "g": clearTabs(number)
    case "J": eraseScreen(number, selectively: false)
    case "K": eraseLine(number, selectively: false)
    case "X":
      cursor.isPending = false
      erase(cursor.row, cursor.column..<min(size.columns, cursor.column + count))
    case "@":
      cursor.isPending = false
      insertCells(count)
    case "P": deleteCells(count)
    case "L": insertLines(count)
    case "M": deleteLines(count)
    case "S":
      unwrap(region.upperBound)
      scrollUp(count)
    case "T": scrollDown(count)
    case "r": setRegion(numbers)
    case "s": save()
    case "u": restore()
    case "h", "l":
      for case let mode? in numbers { changeModes { $0.setPlain(mode, letter == "h") } }
    case "n", "c": answer(letter, number)
    default: break
    }
  }

  private mutating func privateControl(_ numbers: [Int?], _ letter: Character) {
    let number = numbers.first.flatMap { $0 } ?? 0
    switch letter {
    case "J": eraseScreen(number, selectively: true)
    case "K": eraseLine(number, selectively: true)
    case "n": answers += place("?")
    case "h", "l":
      for case let mode? in numbers { set(mode, letter == "h") }
    default: break
    }
  }

  private mutating func set(_ mode: Int, _ isOn: Bool) {
    switch mode {
    case 1047:
      if !isOn, modes.isAlternate { eraseAll() }
      show(alternate: isOn)
    case 1048: if isOn { save() } else { restore() }
    case 1049 where isOn:
      if !modes.isAlternate { save() }
      show(alternate: true)
      eraseAll()
    case 1049:
      guard modes.isAlternate else { return restore() }
      show(alternate: false)
      restore()
    default:
      changeModes { $0.set(mode, isOn) }
      if mode == 6 { moveTo(row: 0, column: 0) }
    }
  }

  // MARK: The cursor

  /// The row from which rows are counted.
  var top: Int { modes.hasOrigin ? region.lowerBound : 0 }

  mutating func moveTo(column: Int) {
    cursor.isPending = false
    cursor.column = min(max(0, column), size.columns - 1)
  }

  mutating func moveTo(row: Int, column: Int) {
    moveTo(column: column)
    cursor.row = min(max(0, top + row), modes.hasOrigin ? region.upperBound : size.rows - 1)
  }

  private mutating func moveUp(_ count: Int) {
    cursor.isPending = false
    let first = cursor.row >= region.lowerBound ? region.lowerBound : 0
    cursor.row = max(first, cursor.row - count)
  }

  private mutating func moveDown(_ count: Int) {
    cursor.isPending = false
    let last = cursor.row <= region.upperBound ? region.upperBound : size.rows - 1
    cursor.row = min(last, cursor.row + count)
  }

  private mutating func setRegion(_ numbers: [Int?]) {
    let first = max(1, numbers.first.flatMap { $0 } ?? 1) - 1
    let given = numbers.count > 1 ? numbers[1] ?? 0 : 0
    let last = (given == 0 ? size.rows : min(given, size.rows)) - 1
    guard first < last else { return }
    region = first...last
    moveTo(row: 0, column: 0)
  }

  private mutating func save() {
    saved = cursor
    saved.hasOrigin = modes.hasOrigin
  }

  private mutating func restore() {
    let hasOrigin = saved.hasOrigin
    cursor = saved
    changeModes { $0.set(6, hasOrigin) }
  }

  // MARK: Tabs

  mutating func tab(_ count: Int) {
    cursor.isPending = false
    let step = count < 0 ? -1 : 1
    for _ in 0..<min(abs(count), size.columns) {
      repeat { cursor.column += step } while (1..<size.columns - 1).contains(cursor.column) && !tabs[cursor.column]
      cursor.column = min(max(0, cursor.column), size.columns - 1)
    }
  }

  private mutating func clearTabs(_ which: Int) {
    switch which {
    case 0: tabs[cursor.column] = false
    case 3: tabs = Array(repeating: false, count: tabs.count)
    default: return
    }
    hasSetTabs = true
  }
}
