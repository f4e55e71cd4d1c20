/// The events that a `Link` has for its owner: it delivers them at the end of the loop's turn, so that the owner is
/// never called within a call of its own.
final class LinkEventQueue {
  private let loop: SocketLoop
  private let deliver: (LinkEvent) -> Void
  private var events: [LinkEvent] = []
  private var isClosed = false

  init(_ loop: SocketLoop, deliver: @escaping (LinkEvent) -> Void) {
    self.loop = loop
    self.deliver = deliver
  }

  func append(_ event: LinkEvent) {
    guard !isClosed else { return }
    events.append(event)
    if events.count == 1 { loop.soon { [self] in tell() } }
  }

  private func tell() {
    let due = events
    events = []
    for event in due where !isClosed { deliver(event) }
  }

  /// Ends delivery.
  func close() { isClosed = true }
}
