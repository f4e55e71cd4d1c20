import SegueBus
import SegueCore
import SegueEngine

/// Shows notifications, and tells what the user does with them. The machine `Notices` in SegueCore decides which.
final class NoticeService {
  private var server: NotificationServer?
  private let startTime: UInt64
  private let tell: (Event) -> Void

  /// `startTime`: the pause before the bus is asked once more to start a notification server.
  init(startTime: UInt64, tell: @escaping (Event) -> Void) {
    self.startTime = startTime
    self.tell = tell
  }

  /// The bus is there; a notification server may be missing.
  func open(_ bus: Connection) {
    server = NotificationServer(bus, startTime: startTime) { [tell] event in
      switch event {
      case .appeared: tell(.notice(.serverAppeared))
      case .gone: tell(.notice(.serverGone))
      case .notShown(let key): tell(.notice(.notShown(key)))
      case .closed(let key): tell(.notice(.closed(key)))
      case .invoked(let key, let action, let token): tell(.notice(.invoked(key, action, activationToken: token)))
      }
    }
  }

  /// The bus is gone, and the notifications with it.
  func close() {
    guard let server else { return }
    self.server = nil
    server.close()
    tell(.notice(.serverGone))
  }

  func show(_ key: Notices.Key, _ notice: Notice) {
    if let server { server.show(key, notice) } else { tell(.notice(.notShown(key))) }
  }

  func close(_ key: Notices.Key) { server?.close(key) }
}
