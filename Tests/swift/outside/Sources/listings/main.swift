import Foundation
import SegueCompatibility

// An application of the listings (swift/Tests/SegueCompatibilityTests/Listings.swift), which is copied beside this file. A
// command on each line of standard input, and what happens on standard output:
//   list NAME POSITION   2-3, 2-4, 2-5    browse   2-2, 2-9    scene   the scene's delegate from now on    quit

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

@MainActor
final class Program {
  let application = NSApplication.shared
  let delegate = Delegate()
  let scene = SceneDelegate()
  let list = ListController()
  let document = DocumentController()
  private var source: (any DispatchSourceRead)?

  func run() throws {
    document.wasContinued = { say("was continued") }
    delegate.controller.didRestore = { say("restored: \($0.list) \($0.position)") }
    delegate.onAnswer = { say("answer: \($0)") }
    scene.controller.didRestore = { say("scene: \($0.list) \($0.position)") }
    scene.willContinue = { say("scene: will \($0)") }
    application.delegate = delegate
    try application.register(id: "org.segue.test.Listings")
    let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .main)
    source.setEventHandler { [unowned self] in MainActor.assumeIsolated { read() } }
    source.activate()
    self.source = source
    application.segue?.onStateChange = { state, _ in say("state: \(state)") }
    try application.run()
  }

  private func read() {
    for line in String(decoding: FileHandle.standardInput.availableData, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ").map { String($0) }
      switch words.first {
      case "list" where words.count == 3:
        list.show(words[1])
        list.position = Double(words[2]) ?? 0
        list.userActivity?.needsSave = true
      case "browse": document.begin()
      case "scene": application.sceneDelegate = scene
      default: application.terminate(nil)
      }
    }
  }
}

do {
  try Program().run()
} catch {
  say("error: \(error)")
}
