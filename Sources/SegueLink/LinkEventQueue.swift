import SegueCore

/// The events of a `Link`, its channels and its pairing port, in one order. The queue delivers them at the end of the
/// loop's turn, so that no owner is called within a call of its own.
final class LinkEventQueue {
  private enum Entry {
    case link(LinkEvent)
    case channel(LinkChannel, LinkChannel.Event)
    case pairing(PairingPort, PairingLinkEvent)
  }

  private let loop: SocketLoop
  private let deliver: (LinkEvent) -> Void
  private var entries: [Entry] = []
  private var isClosed = false

  init(_ loop: SocketLoop, deliver: @escaping (LinkEvent) -> Void) {
    self.loop = loop
    self.deliver = deliver
  }

  func append(_ event: LinkEvent) { append(.link(event)) }
  func append(_ event: LinkChannel.Event, of channel: LinkChannel) { append(.channel(channel, event)) }
  func append(_ event: PairingLinkEvent, of port: PairingPort) { append(.pairing(port, event)) }

  private func append(_ entry: Entry) {
    guard !isClosed else { return }
    entries.append(entry)
    if entries.count == 1 { loop.soon { [self] in tell() } }
  }

  private func tell() {
    let due = entries
    entries = []
    for entry in due where !isClosed {
      switch entry {
      case .link(let event): deliver(event)
      case .channel(let channel, let event): channel.tell(event)
      case .pairing(let port, let event): port.take?(event)
      }
    }
  }

  /// Ends delivery.
  func close() { isClosed = true }
}
