import Segue

/// The line that is being written: its part of the state is the text that nobody has saved yet, and the caret in it.
@MainActor
final class EditorView: Responder {
  /// The part that travels, as a type of its own.
  private struct Draft: Codable {
    var text: String
    /// In Unicode scalars.
    var caret: Int
  }

  let responderState = ResponderState()
  private(set) var text = ""
  private(set) var caret = 0

  func type(_ added: String) { edit(text + added, caret: (text + added).unicodeScalars.count) }

  func edit(_ text: String, caret: Int) {
    guard text != self.text || caret != self.caret else { return }
    self.text = text
    self.caret = caret
    setNeedsSave()
  }

  func updateUserActivityState(_ activity: UserActivity) throws {
    try activity.addPayload(Draft(text: text, caret: caret), for: "draft")
  }

  func restoreUserActivityState(_ activity: UserActivity) throws {
    let draft = try activity.payload(Draft.self, for: "draft")
    text = draft.text
    caret = min(max(draft.caret, 0), text.unicodeScalars.count)
  }
}
