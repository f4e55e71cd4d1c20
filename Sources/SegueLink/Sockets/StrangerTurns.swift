import SegueCore

/// Whoever has not proved to be a paired device is served in turn, a few in each turn of the loop: then any number of them
/// that shake hands without end leave the time for everything else.
final class StrangerTurns {
  private unowned let loop: SocketLoop
  /// Those that something has come from, each once.
  private var waiting: [StreamChannel] = []
  private var isDue = false

  init(loop: SocketLoop) { self.loop = loop }

  /// There is something to read from it. Who has to wait is told of again in the next turn, since it stays readable; its
  /// place is kept.
  func add(_ channel: StreamChannel) {
    if !waiting.contains(where: { $0 === channel }) { waiting.append(channel) }
    guard !isDue else { return }
    isDue = true
    loop.loop.soon { [self] in
      isDue = false
      for channel in waiting.prefix(Limits.strangersPerTurn) {
        remove(channel)
        channel.read(bytes: 1)
      }
    }
  }

  func remove(_ channel: StreamChannel) { waiting.removeAll { $0 === channel } }
}
