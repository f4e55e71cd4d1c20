import Foundation
import Segue

/// Wires the model, its views and Segue together.
@MainActor
final class Controller {
  static let id = "org.segue.Outline"
  private static let activityType = "org.segue.outline.writing"

  let application: Application
  private(set) var title = "Outline"
  private(set) var outline = Outline()
  private(set) var list = OutlineView()
  private(set) var editor = EditorView()
  private var document: Document?
  private var activity: UserActivity?
  private unowned let face: any Face
  /// Whether it is known if the program was launched for an activity of another device.
  private(set) var isSettled = false
  /// Whether one is coming.
  private(set) var isComing = false

  init(face: any Face) throws {
    self.face = face
    application = try Application(id: Self.id)
    application.onWillContinue = { [unowned self] continuation in
      isComing = true
      face.say("coming: \(continuation.title) from \(continuation.deviceName)")
      face.settled(self)
      return true
    }
    application.onContinue = { [unowned self] in try resume($0, $1) }
    application.onOpenDocument = { [unowned self] in try resume($0, $1, $2) }
    application.onFail = { [unowned self] continuation, error in
      isComing = false
      face.say("failed: \(continuation.title): \(error)")
      face.settled(self)
    }
    application.onStateChange = { [unowned self] state, _ in
      face.say("state: \(state)")
      if !isSettled, state != .registering { settle() }
    }
  }

  /// The application is registered, or cannot be now. Whether it was launched for an activity is known before `ready`.
  private func settle() {
    isSettled = true
    isComing = application.launchType != nil
    do {
      try application.ready()
    } catch {
      face.say("error: \(error)")
    }
    face.settled(self)
  }

  /// The user begins an outline.
  func write(_ lines: [String], title: String) throws {
    begin(Outline(lines: lines), title: title)
    let made = try UserActivity(type: Self.activityType, in: application)
    made.title = title
    take(made)
  }

  /// A file that the user has opened. In a folder that devices share, it is an activity by itself: its lines are in the
  /// file, and the selection and the draft go with it.
  func open(_ url: URL) throws {
    begin(try Outline(reading: url), title: url.lastPathComponent)
    let opened = try Document(url, mimeType: "text/plain", in: application)
    opened.onActivityChange = { [face] in face.say("document: \($0?.type ?? "no activity")") }
    try opened.addResponder(list)
    try opened.addResponder(editor)
    document = opened
    face.say("opened: \(outline.lines.count) lines")
  }

  /// An activity of another device goes on here.
  private func resume(_ activity: UserActivity, _ restoration: Restoration) throws -> Bool {
    guard activity.type == Self.activityType else { return false }
    isComing = false
    begin(Outline(), title: activity.title ?? "Outline")
    try restoration(outline, list, editor, Restored { [unowned self] in face.show(self) })
    take(activity)
    Task {
      do {
        let streams = try await activity.continuationStreams()
        try await streams.writeMessage(Data("history".utf8))
        let answer = try await streams.readMessage().map { String(decoding: $0, as: UTF8.self) } ?? ""
        face.say("history: \(answer)")
      } catch {
        face.say("history: \(error)")
      }
    }
    return true
  }

  /// The activity is of a document that this device has, too.
  private func resume(_ url: URL, _ activity: UserActivity, _ restoration: Restoration) throws -> Bool {
    isComing = false
    try open(url)
    try restoration(list, editor, Restored { [unowned self] in face.show(self) })
    return true
  }

  /// In the place of the outline that was there.
  private func begin(_ outline: Outline, title: String) {
    activity?.invalidate()
    activity = nil
    document?.close()
    document = nil
    self.outline = outline
    self.title = title
    list = OutlineView()
    editor = EditorView()
  }

  private func take(_ activity: UserActivity) {
    self.activity = activity
    // Of one that has come, too: it may go on elsewhere.
    activity.supportsContinuationStreams = true
    outline.userActivity = activity
    list.userActivity = activity
    editor.userActivity = activity
    activity.onWasContinued = { [face] _ in face.say("continued elsewhere") }
    activity.onReceiveStreams = { [unowned self] _, streams in
      let history = outline.history.joined(separator: ", ")
      Task {
        guard try await streams.readMessage(maximum: 64) == Data("history".utf8) else { return }
        try await streams.writeMessage(Data(history.utf8))
      }
    }
  }

  func change(_ index: Int, to text: String) throws {
    outline.replace(index, by: text)
    if let url = document?.url { try outline.write(to: url) }
  }

  /// What is written becomes the line that is selected.
  func putIn() throws {
    try change(list.selection, to: editor.text)
    editor.edit("", caret: 0)
  }
}
