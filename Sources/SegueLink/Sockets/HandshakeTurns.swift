import SegueCore

/// Serves unauthenticated peers a few in each turn of the loop: then any number of them that shake hands without end
/// leave time for everything else.
final class HandshakeTurns {
  private unowned let loop: SocketLoop
  /// The channels that have bytes to read, each once.
  private var waiting: [StreamChannel] = []
  private var isDue = false

  init(loop: SocketLoop) { self.loop = loop }

  /// Adds a channel that has bytes to read. The loop reports a channel that waits again in the next turn, since it
  /// stays readable; the channel keeps its place.
  func add(_ channel: StreamChannel) {
    if !waiting.contains(where: { $0 === channel }) { waiting.append(channel) }
    guard !isDue else { return }
    isDue = true
    loop.loop.soon { [self] in
      isDue = false
      for channel in waiting.prefix(Limits.handshakesPerTurn) {
        remove(channel)
        channel.read(bytes: 1)
      }
    }
  }

  func remove(_ channel: StreamChannel) { waiting.removeAll { $0 === channel } }
}
