import SegueEngine
import SegueState

/// The program that opens web pages, looked for while the declarations are read: where no list names one, a thousand
/// desktop files are looked into.
struct BrowserLook {
  let handler: WebHandler?
  private let before: [FileIdentity?]
  private let time: Int64

  /// `now`: the time, as files have it.
  init(_ handlers: WebHandlers, at now: Int64 = fileTime()) {
    time = now
    before = handlers.identities
    handler = handlers.handler(ofScheme: "https")
  }

  /// Whether a look that begins now would find the same: what decides it has not changed, and had not just changed.
  func isCurrent(_ handlers: WebHandlers) -> Bool {
    before.allSatisfy { $0?.isSettled(at: time) ?? true } && handlers.identities == before
  }
}
