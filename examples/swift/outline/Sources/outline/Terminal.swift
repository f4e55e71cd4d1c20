import Dispatch
import Foundation

/// The terminal face: a command on each line of standard input, and what happens on standard output.
@MainActor
final class Terminal {
  static let usage = "write TITLE | change N TEXT | select N | type TEXT | open FILE | show | quit"

  private let controller: Controller
  private var rest = Data()
  private var source: (any DispatchSourceRead)?

  init() throws { controller = try Controller { Terminal.say($0) } }

  static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  func run() throws {
    let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    source.activate()
    self.source = source
    try controller.application.ready()
    try controller.application.run()
  }

  private func read() {
    let part = FileHandle.standardInput.availableData
    guard !part.isEmpty else { return controller.application.quit() }
    rest += part
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = Data(rest[rest.index(after: end)...])
      do {
        try perform(line)
      } catch {
        Self.say("error: \(error)")
      }
    }
  }

  private func perform(_ line: String) throws {
    let words = line.split(separator: " ", maxSplits: 1).map { String($0) }
    let text = words.count > 1 ? words[1] : ""
    switch words.first {
    case "write": try controller.write(["first", "second", "third"], title: text)
    case "type": controller.editor.type(text)
    case "select": controller.list.selection = max(0, (Int(text) ?? 1) - 1)
    case "change":
      let parts = text.split(separator: " ", maxSplits: 1).map { String($0) }
      guard parts.count == 2, let number = Int(parts[0]) else { return Self.say(Self.usage) }
      controller.change(number - 1, to: parts[1])
    case "open": try controller.open(URL(fileURLWithPath: text))
    case "show": controller.show()
    case "quit": controller.application.quit()
    default: Self.say(Self.usage)
    }
  }
}
