import SegueBus
import SegueCore

/// A desktop notification for a user who has clicked a link that nothing opened: the desktop shows nobody the standard
/// error of the program that it starts.
enum LinkNotice {
  /// Shows it, as far as there is a notification server; waits for that no longer than `Limits.busTime`.
  static func show(_ error: SegueError) {
    guard let loop = try? EventLoop(), let bus = try? Connection.openBus(on: loop, ready: { _ in }) else { return }
    defer { bus.close() }
    let call = DesktopNotifications.call(DesktopNotifications.notify)
    // The summary is plain text, and the body markup: only the first may quote a name.
    let summary = DisplayText.clean(error.message, maximum: Limits.sentenceLength)
    let arguments: [BusValue] = [
      .string("Segue"), .uint32(0), .string(""), .string(summary), .string(error.advice), .strings([]),
      .dictionary([:]), .int32(-1),
    ]
    guard (try? call.append(arguments)) != nil else { return }
    var isAnswered = false
    bus.call(call, timeout: Limits.busTime) { _ in isAnswered = true }
    while !isAnswered { loop.wait(milliseconds: -1) }
  }
}
