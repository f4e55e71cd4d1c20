/// Keys that the user types for the viewer itself, after the Enter key, as in ssh. Pure.
///
/// `~.` detaches, `~?` shows these keys, `~^Z` stops the viewer, `~~` types one `~`.
///
/// They count only if they are typed. Pasted text belongs to the program, even if it has these keys at the start of a
/// line: text that the terminal marks as pasted (bracketed paste), and keys that are read together with more behind
/// them. Otherwise, the text behind a pasted `~.` would be typed into the outer shell. So the last key of a text waits
/// for a moment (`isWaiting`).
struct EscapeKeys {
  enum Action: Equatable {
    case type([UInt8])
    case detach
    case help
    case stop
  }

  private enum State: Equatable {
    case elsewhere, lineStart, tilde
    /// With this key behind it, at the end of what was read.
    case complete(UInt8)
  }
  /// As at the start of a line: nothing has been typed yet.
  private var state = State.lineStart
  private var marks = PasteMarks()

  private static let tilde = UInt8(ascii: "~")

  /// Keys have come that count if no more come behind them: the caller calls `quiet` when none has, for a moment.
  var isWaiting: Bool { if case .complete = state { true } else { false } }

  /// `bytes` were read at once.
  mutating func take(_ bytes: [UInt8]) -> [Action] {
    guard !bytes.isEmpty else { return [] }
    var typed: [UInt8] = []
    if case .complete(let key) = state {
      typed = [Self.tilde, key]
      state = .elsewhere
    }
    for (index, byte) in bytes.enumerated() {
      let isLast = index == bytes.count - 1
      marks.take(byte)
      guard !marks.isPasting else {
        state = .elsewhere
        typed.append(byte)
        continue
      }
      switch (state, byte) {
      case (.lineStart, Self.tilde):
        state = .tilde
        continue
      case (.tilde, UInt8(ascii: ".")) where isLast, (.tilde, UInt8(ascii: "?")) where isLast,
        (.tilde, 0x1A) where isLast:
        state = .complete(byte)
        continue
      case (.tilde, Self.tilde) where isLast: break
      case (.tilde, _): typed.append(Self.tilde)
      default: break
      }
      typed.append(byte)
      state = byte == 0x0D || byte == 0x0A ? .lineStart : .elsewhere
    }
    return typed.isEmpty ? [] : [.type(typed)]
  }

  /// The last key counts, if it is one of these, since nothing has come behind it.
  mutating func quiet() -> Action? {
    guard case .complete(let key) = state else { return nil }
    state = .lineStart
    return key == UInt8(ascii: ".") ? .detach : key == 0x1A ? .stop : .help
  }
}

/// The marks of a terminal around pasted text, CSI 200 ~ and CSI 201 ~, in however many pieces they come. Pure.
private struct PasteMarks {
  private(set) var isPasting = false
  private static let start = Array("\u{1B}[200~".utf8)
  private static let end = Array("\u{1B}[201~".utf8)
  /// How much of the next mark has come.
  private var count = 0

  mutating func take(_ byte: UInt8) {
    let mark = isPasting ? Self.end : Self.start
    guard byte == mark[count] else {
      count = byte == mark[0] ? 1 : 0
      return
    }
    count += 1
    guard count == mark.count else { return }
    count = 0
    isPasting.toggle()
  }
}
