import CVTerm
import Foundation
import SegueCore
import Testing

@testable import SegueShell

/// The output of real programs, recorded by Recordings/record: the screen shows what another terminal shows, and a
/// drawing at any moment goes on like the terminal that has seen all of the output.
@Suite struct RecordingTests {
  static let names = ["bash", "vim", "less", "man", "top", "tmux"]

  static func recording(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Recordings/\(name).recording")))
  }

  @Test(arguments: names) func aDrawingAtAnyMomentGoesOnAsTheOne(_ name: String) throws {
    let bytes = try Self.recording(name)
    var random = Seeded(name.count)
    for size in [TerminalSize.usual, TerminalSize(rows: 24, columns: 79), TerminalSize(rows: 10, columns: 33)] {
      for _ in 0..<20 {
        var session = ShownTerminal(.usual)
        let cut = Int.random(in: 0...bytes.count, using: &random)
        session.show(Array(bytes[..<cut]))
        session.screen.resize(size)
        var viewer = ShownTerminal(size)
        viewer.show("\u{1B}[41;2;8mrubbish\u{1B}7\u{1B}[3g\u{1B}[2;3r\u{1B}[?6h\u{1B}[4h\u{1B}(0\u{1B}[?7l")
        viewer.screen.hasSetTabs = session.screen.hasSetTabs
        viewer.screen.hasProtected = session.screen.hasProtected
        if !session.screen.hasSetTabs { viewer.screen.tabs = TerminalScreen.usualTabs }
        let drawing = session.drawing
        #expect(viewer.filter.filter(drawing).shown == drawing)
        viewer.show(drawing)
        expectSame(viewer.screen, session.screen, "\(name) at \(cut)")
        let rest = Array(bytes[cut...].prefix(4_000))
        // The session's own filter continues a sequence that the cut has split.
        let passed = session.filter.filter(rest)
        _ = session.screen.write(passed.screen)
        let leaves = session.screen.modes.isAlternate != viewer.screen.modes.isAlternate || passed.leftAlternate
        viewer.show(passed.shown)
        if !leaves { expectSame(viewer.screen, session.screen, "\(name) from \(cut) on") }
      }
    }
  }

  /// libvterm knows neither dim nor concealed text, and fewer kinds of lines; what it knows is the same.
  @Test(arguments: names) func libvtermShowsTheSame(_ name: String) throws {
    let bytes = try Self.recording(name)
    let other = try #require(vterm_new(24, 80))
    defer { vterm_free(other) }
    vterm_set_utf8(other, 1)
    let screen = try #require(vterm_obtain_screen(other))
    vterm_screen_enable_altscreen(screen, 1)
    vterm_screen_reset(screen, 1)
    var session = ShownTerminal(.usual)
    for start in stride(from: 0, to: bytes.count, by: 1_000) {
      let passed = session.filter.filter(Array(bytes[start..<min(bytes.count, start + 1_000)]))
      _ = session.screen.write(passed.screen)
      passed.screen.withUnsafeBytes {
        _ = vterm_input_write(other, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
      }
      var place = VTermPos()
      vterm_state_get_cursorpos(vterm_obtain_state(other), &place)
      #expect(session.screen.cursor.row == Int(place.row) && session.screen.cursor.column == Int(place.col), "\(start)")
      for row in 0..<24 {
        for column in 0..<80 {
          var theirs = VTermScreenCell()
          _ = vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: Int32(column)), &theirs)
          let ours = session.screen.rows[row].cells[column]
          let difference = Self.difference(ours, theirs)
          #expect(difference == nil, "\(name) at \(start), row \(row), column \(column)")
          if difference != nil { return }
        }
      }
    }
  }

  private static func difference(_ ours: Cell, _ theirs: VTermScreenCell) -> String? {
    // The right half of a wide character is all ones there.
    guard theirs.chars.0 != UInt32.max else { return ours.isTail ? nil : "half a character" }
    let (one, two) = (ours.isErased ? 0x20 : ours.character, theirs.chars.0 == 0 ? 0x20 : theirs.chars.0)
    if one != two { return "\(one) is not \(two)" }
    let looks: [(Pen.Attributes, UInt32)] = [
      (.bold, theirs.attrs.bold), (.italic, theirs.attrs.italic), (.reverse, theirs.attrs.reverse),
      (.struck, theirs.attrs.strike),
    ]
    // An erased place has no look but its colour.
    for (attribute, value) in looks where !ours.isErased && ours.pen.attributes.contains(attribute) != (value != 0) {
      return "attribute \(attribute.rawValue)"
    }
    if !ours.isErased, (ours.pen.underline != 0) != (theirs.attrs.underline != 0) { return "underline" }
    if !ours.isErased, color(theirs.fg) != color(ours.pen.foreground) { return "colour \(ours.pen.foreground)" }
    if color(theirs.bg) != color(ours.pen.background) { return "background \(ours.pen.background)" }
    return nil
  }

  private static func color(_ color: VTermColor) -> [UInt8] {
    let type = UInt32(color.type)
    if type & (VTERM_COLOR_DEFAULT_FG.rawValue | VTERM_COLOR_DEFAULT_BG.rawValue) != 0 { return [] }
    if type & VTERM_COLOR_TYPE_MASK.rawValue == VTERM_COLOR_INDEXED.rawValue { return [color.indexed.idx] }
    return [color.rgb.red, color.rgb.green, color.rgb.blue]
  }

  private static func color(_ color: Pen.Color) -> [UInt8] {
    switch color {
    case .usual: []
    case .basic(let index), .indexed(let index): [index]
    case .rgb(let red, let green, let blue): [red, green, blue]
    }
  }
}
