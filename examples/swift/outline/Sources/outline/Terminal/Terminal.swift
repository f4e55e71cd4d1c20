import Dispatch
import Foundation

/// The terminal face: a command on each line of standard input, and what happens on standard output.
@MainActor
final class Terminal: Face {
  static let usage = "write TITLE | change N TEXT | select N | type TEXT | put | open FILE | show | quit"

  private var rest = Data()
  private var source: (any DispatchSourceRead)?

  func say(_ line: String) { writeLine(line) }

  func settled(_ controller: Controller) {}

  func show(_ controller: Controller) {
    say("lines: \(controller.outline.lines.joined(separator: " | "))")
    let editor = controller.editor
    say("selection: \(controller.list.selection + 1), draft: \(editor.text), caret: \(editor.caret)")
  }

  func run() throws {
    let controller = try Controller(face: self)
    let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .main)
    source.setEventHandler { [unowned self] in MainActor.assumeIsolated { read(controller) } }
    source.activate()
    self.source = source
    try controller.application.run()
  }

  private func read(_ controller: Controller) {
    let part = FileHandle.standardInput.availableData
    guard !part.isEmpty else { return controller.application.quit() }
    rest += part
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = Data(rest[rest.index(after: end)...])
      do {
        try perform(line, controller)
      } catch {
        say("error: \(error)")
      }
    }
  }

  private func perform(_ line: String, _ controller: Controller) throws {
    let words = line.split(separator: " ", maxSplits: 1).map { String($0) }
    let text = words.count > 1 ? words[1] : ""
    switch words.first {
    case "write": try controller.write(["first", "second", "third"], title: text)
    case "type": controller.editor.type(text)
    case "select": controller.list.selection = max(0, (Int(text) ?? 1) - 1)
    case "change":
      let parts = text.split(separator: " ", maxSplits: 1).map { String($0) }
      guard parts.count == 2, let number = Int(parts[0]) else { return say(Self.usage) }
      try controller.change(number - 1, to: parts[1])
    case "put": try controller.putIn()
    case "open": try controller.open(URL(fileURLWithPath: text))
    case "show": show(controller)
    case "quit": controller.application.quit()
    default: say(Self.usage)
    }
  }
}
