/// What a user types for the viewer itself, after the key Enter: as ssh has it. Pure.
///
/// `~.` detaches, `~?` shows these keys, `~^Z` stops the viewer, `~~` types one `~`.
struct EscapeKeys {
  enum Action: Equatable {
    case type([UInt8])
    case detach
    case help
    case stop
  }

  private enum State { case elsewhere, lineStart, tilde }
  /// As at the start of a line: nothing has been typed yet.
  private var state = State.lineStart

  mutating func take(_ bytes: [UInt8]) -> [Action] {
    var actions: [Action] = []
    var typed: [UInt8] = []
    func isEnter(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }
    for byte in bytes {
      switch (state, byte) {
      case (.lineStart, UInt8(ascii: "~")):
        state = .tilde
        continue
      case (.tilde, UInt8(ascii: ".")), (.tilde, UInt8(ascii: "?")), (.tilde, 0x1A):
        if !typed.isEmpty { actions.append(.type(typed)) }
        typed = []
        state = .lineStart
        actions.append(byte == UInt8(ascii: ".") ? .detach : byte == 0x1A ? .stop : .help)
        if byte == UInt8(ascii: ".") { return actions }
        continue
      case (.tilde, UInt8(ascii: "~")): break
      case (.tilde, _): typed.append(UInt8(ascii: "~"))
      default: break
      }
      typed.append(byte)
      state = isEnter(byte) ? .lineStart : .elsewhere
    }
    if !typed.isEmpty { actions.append(.type(typed)) }
    return actions
  }
}
