import Foundation
import Segue

/// Wires the model, its views and Segue together.
@MainActor
final class Controller {
  static let activityType = "org.segue.outline.writing"

  let application: Application
  let list = OutlineView()
  let editor = EditorView()
  private(set) var outline = Outline()
  private var document: Document?
  private var activity: UserActivity?
  /// Says what happened.
  private let say: (String) -> Void

  init(say: @escaping (String) -> Void) throws {
    self.say = say
    application = try Application(id: "org.segue.Outline")
    application.onWillContinue = { continuation in
      say("coming: \(continuation.title) from \(continuation.deviceName)")
      return true
    }
    application.onContinue = { [unowned self] in try resume($0, $1) }
    application.onFail = { say("failed: \($0.title): \($1)") }
    application.onStateChange = { state, _ in say("state: \(state)") }
  }

  /// The user writes an outline of their own.
  func write(_ lines: [String], title: String) throws {
    outline = Outline(lines: lines)
    let made = try UserActivity(type: Self.activityType, in: application)
    made.title = title
    made.supportsContinuationStreams = true
    take(made)
  }

  /// A file that the user has opened. In a folder that devices share, it is an activity by itself.
  func open(_ url: URL) throws {
    outline = try Outline(reading: url)
    document = try Document(url, mimeType: "text/plain", in: application)
    document?.onActivityChange = { [say] in say("document: \($0?.type ?? "no activity")") }
    say("opened: \(outline.lines.count) lines")
  }

  /// An activity of another device goes on here.
  private func resume(_ activity: UserActivity, _ restoration: Restoration) throws -> Bool {
    outline = Outline()
    try restoration(outline, list, editor)
    take(activity)
    Task {
      do {
        let streams = try await activity.continuationStreams()
        try await streams.writeMessage(Data("history".utf8))
        let answer = try await streams.readMessage().map { String(decoding: $0, as: UTF8.self) } ?? ""
        say("history: \(answer)")
      } catch {
        say("history: \(error)")
      }
      show()
    }
    return true
  }

  private func take(_ activity: UserActivity) {
    self.activity = activity
    outline.userActivity = activity
    list.userActivity = activity
    editor.userActivity = activity
    activity.onWasContinued = { [say] _ in say("continued elsewhere") }
    activity.onReceiveStreams = { [unowned self] _, streams in
      let history = outline.history.joined(separator: ", ")
      Task {
        guard try await streams.readMessage(maximum: 64) == Data("history".utf8) else { return }
        try await streams.writeMessage(Data(history.utf8))
      }
    }
  }

  func change(_ index: Int, to text: String) {
    outline.replace(index, by: text)
  }

  func show() {
    say("lines: \(outline.lines.joined(separator: " | "))")
    say("selection: \(list.selection + 1), draft: \(editor.text), caret: \(editor.caret)")
  }
}
