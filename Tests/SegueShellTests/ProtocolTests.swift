import SegueCore
import Testing

@testable import SegueShell

@Suite struct ProtocolTests {
  private static let viewer: [ViewerMessage] = [
    .hello(version: 1, name: "desk", size: .usual, session: "build"), .input([1, 2, 3]), .input([]),
    .resized(TerminalSize(rows: 500, columns: 1000)), .leaves, .asks(version: 1), .redraw, .brings(hello: []),
    .brings(hello: [1, 2]), .shares(true), .shares(false), .names("build"), .names(""), .putsOut(device: "lap"),
  ]
  private static let session: [SessionMessage] = [
    .welcome(version: 1, session: "7", id: "f00d"), .output(Array(repeating: 9, count: Limits.shellFrameLength)),
    .status(title: "vim", others: ["desk", "lap"]), .ended(status: 255), .refused("no"),
    .description(
      SessionDescription(
        label: "build", program: "bash", folder: "src", viewers: ["desk", "lap"], isShared: true, seconds: 70_000)),
  ]

  @Test func messagesArriveAsTheyWere() throws {
    for message in Self.viewer { #expect(try ViewerMessage(message.frame) == message) }
    for message in Self.session { #expect(try SessionMessage(message.frame) == message) }
  }

  @Test func framesMayComeInPieces() throws {
    let bytes = Self.viewer.flatMap { $0.frame.bytes }
    var reader = FrameReader()
    var messages: [ViewerMessage] = []
    for byte in bytes {
      reader.append([byte])
      while let frame = try reader.next() { messages.append(try ViewerMessage(frame)) }
    }
    #expect(messages == Self.viewer)
  }

  @Test(
    arguments: [
      [2, 0, 1, 0, 1], [2, 0xFF, 0xFF, 0xFF, 0xFF], [66, 0x80, 0, 0, 0],
    ] as [[UInt8]])
  func attack27_lengthsThatLie(_ bytes: [UInt8]) {
    var reader = FrameReader()
    reader.append(bytes)
    #expect(throws: ProtocolFailure.self) { try reader.next() }
  }

  @Test func attack27_whatIsNoMessage() {
    for message in Self.viewer where ![2, 7].contains(message.frame.type) {
      let frame = message.frame
      #expect(throws: ProtocolFailure.self) {
        try ViewerMessage(ShellFrame(type: frame.type, payload: frame.payload + [0]))
      }
      guard !frame.payload.isEmpty else { continue }
      #expect(throws: ProtocolFailure.self) {
        try ViewerMessage(ShellFrame(type: frame.type, payload: Array(frame.payload.dropLast())))
      }
    }
    for message in Self.session where message.frame.type != 66 {
      let frame = message.frame
      #expect(throws: ProtocolFailure.self) {
        try SessionMessage(ShellFrame(type: frame.type, payload: frame.payload + [0]))
      }
      #expect(throws: ProtocolFailure.self) {
        try SessionMessage(ShellFrame(type: frame.type, payload: Array(frame.payload.dropLast())))
      }
    }
    for type in UInt8.min...UInt8.max {
      for payload in [[], [255], [1, 2, 3, 4, 5, 0xFF], Array(repeating: 0xFF, count: 40)] as [[UInt8]] {
        _ = try? ViewerMessage(ShellFrame(type: type, payload: payload))
        _ = try? SessionMessage(ShellFrame(type: type, payload: payload))
      }
    }
    // A name that is no text.
    #expect(throws: ProtocolFailure.self) {
      try ViewerMessage(ShellFrame(type: 1, payload: [1, 0, 24, 0, 80, 2, 0xC3, 0x28, 0]))
    }
  }

  @Test func attack25_namesAreCleaned() throws {
    let hello = ViewerMessage.hello(version: 1, name: "de\u{1B}]0;x\u{7}s\u{202E}k", size: .usual, session: "")
    guard case .hello(_, let name, _, _) = try ViewerMessage(hello.frame) else { return #expect(Bool(false)) }
    #expect(name == "de]0;xsk")
    let long = SessionMessage.status(title: String(repeating: "ä", count: 300), others: [])
    guard case .status(let title, _) = try SessionMessage(long.frame) else { return #expect(Bool(false)) }
    #expect(title.utf8.count <= Limits.shellName)
  }

  /// The messages between sessions and the service, at the bound of their texts and one past it.
  @Test func attack25_theServicesNamesAreCleaned() throws {
    let name = String(repeating: "x", count: Limits.shellName)
    for (sent, came) in [(name, name), (name + "x", name), ("d\u{1B}]0;\u{7}k", "d]0;k")] {
      let messages: [(ServiceMessage, ServiceMessage)] = [
        (
          .shares(.init(name: sent, id: sent, label: sent), title: sent, idle: 4_000_000_001),
          .shares(.init(name: came, id: came, label: came), title: came, idle: 4_000_000_001)
        ),
        (.titled(sent, label: sent), .titled(came, label: came)),
        (.stream(device: sent, alias: sent, own: sent), .stream(device: came, alias: came, own: came)),
        (
          .wants(device: sent, alias: sent, activity: sent), .wants(device: came, alias: came, activity: came)
        ),
        (.named(sent), .named(came)),
      ]
      for (message, expected) in messages { #expect(try ServiceMessage(message.frame) == expected) }
    }
  }

  /// Another version is told from this one, whatever it says besides.
  @Test func theVersionComesFirst() throws {
    guard case .hello(9, _, _, _) = try ViewerMessage(ShellFrame(type: 1, payload: [9, 255])),
      case .welcome(9, _, _) = try SessionMessage(ShellFrame(type: 65, payload: [9]))
    else { return #expect(Bool(false)) }
  }

  @Test func aSessionHasThreeNames() {
    let session = ServiceMessage.Session(name: "1", id: "f00d", label: "build")
    for name in ["1", "f00d", "build"] { #expect(session.isCalled(name)) }
    for name in ["", "2", "f00", "buil"] { #expect(!session.isCalled(name)) }
    #expect(!ServiceMessage.Session(name: "1", id: "f00d", label: "").isCalled(""))
  }

  @Test func sizesAreWithinBounds() {
    #expect(TerminalSize(rows: 0, columns: 0) == .usual)
    #expect(
      TerminalSize(rows: 65_535, columns: 65_535) == TerminalSize(rows: Limits.shellRows, columns: Limits.shellColumns))
    #expect(TerminalSize(rows: 1, columns: 1).columns == 2)
  }
}

@Suite struct EscapeKeysTests {
  /// The texts are what was read at once, each; nothing came behind the last one, nor behind an empty one.
  private func take(_ texts: String...) -> [EscapeKeys.Action] {
    var keys = EscapeKeys()
    return (texts + [""]).flatMap { text in
      text.isEmpty ? [keys.quiet()].compactMap { $0 } : keys.take(Array(text.utf8))
    }
  }
  private func type(_ text: String) -> EscapeKeys.Action { .type(Array(text.utf8)) }

  @Test func theyCountAtTheStartOfALine() {
    #expect(take("~.") == [.detach])
    #expect(take("ls\r", "~", ".") == [type("ls\r"), .detach])
    #expect(take("ls ~.\r") == [type("ls ~.\r")])
    #expect(take("\r~?", "", "x") == [type("\r"), .help, type("x")])
    #expect(take("\n~\u{1A}") == [type("\n"), .stop])
    // And again.
    #expect(take("~?", "", "~?") == [.help, .help])
  }

  @Test func whatIsPastedIsTheProgramsText() {
    // A line that came at once, with more behind it, also where that came a moment later.
    #expect(take("ls\r~.\rrm x\r") == [type("ls\r~.\rrm x\r")])
    #expect(take("~.rm") == [type("~.rm")])
    #expect(take("ls\r~.", "\rrm x\r") == [type("ls\r"), type("~.\rrm x\r")])
    #expect(take("ls\r~", ".\rrm x\r") == [type("ls\r"), type("~.\rrm x\r")])
    #expect(take("a\r~?b") == [type("a\r~?b")])
    #expect(take("a\r~\u{1A}b") == [type("a\r~\u{1A}b")])
    #expect(take("~~.") == [type("~~.")])
    // Text that the terminal marks as pasted, in whatever pieces, at the end too.
    let paste = "\u{1B}[200~ls\r~.\u{1B}[201~"
    #expect(take(paste) == [type(paste)])
    #expect(take("\r", "\u{1B}[200~", "~.", "", "\u{1B}[201~").last == type("\u{1B}[201~"))
    for cut in 1..<paste.utf8.count {
      let (first, second) = (String(paste.prefix(cut)), String(paste.dropFirst(cut)))
      #expect(take(first, "", second).allSatisfy { if case .type = $0 { true } else { false } })
    }
    // Then keys count again, behind Enter.
    #expect(take(paste, "", "~.") == [type(paste), type("~.")])
    #expect(take(paste, "", "\r~.") == [type(paste), type("\r"), .detach])
    // Bytes that begin like a mark, and are none.
    #expect(take("\u{1B}[20\u{1B}[200~\r~.") == [type("\u{1B}[20\u{1B}[200~\r~.")])
    #expect(take("\u{1B}[20~\r~.") == [type("\u{1B}[20~\r"), .detach])
  }

  @Test func otherwiseTheyAreTyped() {
    #expect(take("~", "~") == [type("~")])
    #expect(take("~/bin\r~x") == [type("~/bin\r~x")])
    #expect(take("~\r~.") == [type("~\r"), .detach])
  }
}
