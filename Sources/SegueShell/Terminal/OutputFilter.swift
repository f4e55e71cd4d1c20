import SegueCore

/// The part of a program's output that may reach a terminal: an allow-list, which docs/shell.md writes down. Pure.
///
/// A session filters its program's output, and each viewer its session's: so a viewer's terminal does only what is
/// allowed here, even if a session of another device has gone bad. Sequences that make a terminal answer are left out
/// for viewers: their answers would be typed into the session, once for each viewer. The session's own screen answers
/// in their place.
///
/// The output always consists of whole sequences and whole characters, however the input was cut: so bytes that are
/// sent to a viewer between two of them cannot end up inside of one.
public struct OutputFilter: Sendable {
  /// The result of filtering some output.
  public struct Passed: Sendable {
    /// For viewers.
    public var shown: [UInt8] = []
    /// For the session's own screen: the same bytes, and questions that it answers.
    public var screen: [UInt8] = []
    /// The last title that was set, cleaned.
    public var title: String?
    /// The alternate screen was left, or everything reset: a viewer that did not see the usual screen before needs a
    /// drawing.
    public var leftAlternate = false
    public var clearsHistory = false
  }

  public private(set) var modes = TerminalModes()

  enum State {
    case ground
    /// `rest` bytes of a character are missing; the bytes so far are in `held`.
    case character(rest: Int)
    /// After ESC, with intermediate bytes in `held`.
    case escape
    /// After CSI, with what came so far in `held`.
    case control
    /// After CSI or ESC: too long, or with bytes that do not belong there. Ends as the sequence does.
    case refusedControl
    /// OSC, DCS, or another one whose text is skipped; whether the last byte was ESC.
    case string(StringKind, escaped: Bool)
  }
  /// `longCommand`: an OSC whose text is too long. It is skipped, and ends as every OSC does.
  enum StringKind { case command, longCommand, device, skipped }

  private var state = State.ground
  var held: [UInt8] = []
  /// The last character, for being repeated, and how many bytes may still come of that in this output.
  private var last: [UInt8] = []
  private var repeats = 0
  var passed = Passed()

  public init() {}

  public mutating func filter(_ bytes: [UInt8]) -> Passed {
    passed = Passed()
    repeats = Limits.shellRepeats
    passed.shown.reserveCapacity(bytes.count)
    passed.screen.reserveCapacity(bytes.count)
    bytes.withUnsafeBufferPointer { buffer in
      var index = 0
      while index < buffer.count {
        if case .ground = state {
          // Most output is plain text.
          var end = index
          while end < buffer.count, buffer[end] >= 0x20, buffer[end] < 0x7F { end += 1 }
          if end > index {
            let text = buffer[index..<end]
            passed.shown.append(contentsOf: text)
            passed.screen.append(contentsOf: text)
            last = [buffer[end - 1]]
            index = end
            continue
          }
        }
        take(buffer[index])
        index += 1
      }
    }
    return passed
  }

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: takeInGround(byte)
    case .character(let rest): takeCharacter(byte, rest)
    case .escape: takeEscape(byte)
    case .control, .refusedControl: takeControl(byte)
    case .string(let kind, let escaped): takeString(byte, kind, escaped)
    }
  }

  // MARK: Text

  private mutating func takeInGround(_ byte: UInt8) {
    switch byte {
    case 0x1B: begin(.escape)
    // BEL, BS, HT, LF, VT, FF, CR, SO, SI. Not ENQ, which a terminal answers.
    case 0x07...0x0F: pass([byte])
    case 0x20...0x7E:
      last = [byte]
      pass(last)
    case 0xC2...0xDF: begin(.character(rest: 1), with: byte)
    case 0xE0...0xEF: begin(.character(rest: 2), with: byte)
    case 0xF0...0xF4: begin(.character(rest: 3), with: byte)
    case 0x80...0xFF: replaceCharacter()
    default: break
    }
  }

  private mutating func begin(_ state: State, with byte: UInt8? = nil) {
    held.removeAll(keepingCapacity: true)
    if let byte { held.append(byte) }
    self.state = state
  }

  private mutating func takeCharacter(_ byte: UInt8, _ rest: Int) {
    guard (0x80...0xBF).contains(byte) else {
      replaceCharacter()
      state = .ground
      return take(byte)
    }
    held.append(byte)
    guard rest == 1 else { return state = .character(rest: rest - 1) }
    state = .ground
    // Too long forms, surrogates, and what is past the last character.
    guard TextCheck.validUTF8(held) else { return replaceCharacter() }
    // U+0080 to U+009F are controls, and U+009B is CSI.
    if held.count == 2, held[0] == 0xC2, held[1] < 0xA0 { return }
    last = held
    pass(held)
  }

  private mutating func replaceCharacter() {
    last = [0xEF, 0xBF, 0xBD]
    pass(last)
  }

  mutating func pass(_ bytes: [UInt8]) {
    passed.shown += bytes
    passed.screen += bytes
  }

  // MARK: Sequences

  private mutating func takeEscape(_ byte: UInt8) {
    switch byte {
    case 0x1B: begin(.escape)
    case 0x18, 0x1A: state = .ground
    case 0x20...0x2F:
      held.append(byte)
      if held.count > 2 { state = .refusedControl }
    case 0x30...0x7E:
      if held.isEmpty {
        switch byte {
        case UInt8(ascii: "["): return begin(.control)
        case UInt8(ascii: "]"): return begin(.string(.command, escaped: false))
        case UInt8(ascii: "P"): return begin(.string(.device, escaped: false))
        case UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"): return begin(.string(.skipped, escaped: false))
        default: break
        }
      }
      state = .ground
      escape(final: byte)
    case 0x80...0xFF:
      state = .ground
      take(byte)
    // Other controls count as if they stood before.
    default: break
    }
  }

  private mutating func takeControl(_ byte: UInt8) {
    switch byte {
    case 0x1B: begin(.escape)
    case 0x18, 0x1A: state = .ground
    case 0x20...0x3F:
      held.append(byte)
      if held.count > Limits.shellSequence { state = .refusedControl }
    case 0x40...0x7E:
      let isRefused = if case .refusedControl = state { true } else { false }
      state = .ground
      if !isRefused, let sequence = ControlSequence(held, final: byte) { control(sequence) }
    case 0x80...0xFF:
      state = .ground
      take(byte)
    default: break
    }
  }

  private mutating func takeString(_ byte: UInt8, _ kind: StringKind, _ escaped: Bool) {
    if escaped {
      state = .ground
      if byte == UInt8(ascii: "\\") { return endString(kind) }
      begin(.escape)
      return take(byte)
    }
    switch byte {
    case 0x1B: state = .string(kind, escaped: true)
    case 0x07 where kind == .command || kind == .longCommand:
      state = .ground
      endString(kind)
    case 0x18, 0x1A: state = .ground
    default:
      guard kind == .command || kind == .device else { return }
      held.append(byte)
      guard held.count > Limits.shellText else { return }
      held.removeAll()
      state = .string(kind == .command ? .longCommand : .skipped, escaped: false)
    }
  }

  private mutating func endString(_ kind: StringKind) {
    switch kind {
    case .command: command(held)
    case .device: deviceString(held)
    case .longCommand, .skipped: break
    }
  }

  /// The last character once more, so often.
  mutating func repeatLast(_ count: Int) {
    for _ in 0..<min(count, Limits.shellColumns) where repeats >= last.count {
      repeats -= last.count
      pass(last)
    }
  }

  /// Brings the filter to its initial state.
  mutating func resetModes() { modes = TerminalModes() }
  mutating func changeModes(_ body: (inout TerminalModes) -> Void) { body(&modes) }
}
