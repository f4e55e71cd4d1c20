import SegueCore
import SegueEngine

/// The notifications that a daemon shows, and the user who looks at them now and then.
final class VirtualScreen {
  weak var daemon: VirtualDaemon?
  private unowned let world: Simulation
  private unowned let device: VirtualDevice
  private var shown: [Notices.Key: (kind: Notice.Kind, number: UInt64)] = [:]

  init(_ world: Simulation, _ device: VirtualDevice) {
    self.world = world
    self.device = device
  }

  func show(_ key: Notices.Key, _ notice: Notice) {
    let number = world.newNumber()
    shown[key] = (notice.kind, number)
    switch device.random.below(30) {
    case 0: act(key, number, "cannot be shown") { .notShown(key) }
    case 1: act(key, number, "is closed") { .closed(key) }
    case 2: act(key, number, "is chosen") { .invoked(key, notice.clicked ?? .continue, activationToken: "token") }
    default: break
    }
  }

  private func act(
    _ key: Notices.Key, _ number: UInt64, _ what: String, _ event: @escaping () -> Event.NoticeEvent
  ) {
    world.after(device.latency(), on: device, "\(device.name): a notice \(what)") { [self] in
      guard let daemon, daemon.isRunning, shown[key]?.number == number else { return }
      let event = event()
      // A notification whose button was pressed stays until the daemon closes it.
      if case .invoked = event {} else { shown[key] = nil }
      daemon.handle(.notice(event))
    }
  }

  func close(_ key: Notices.Key) {
    if shown.removeValue(forKey: key) == nil { world.problem("V16: a notice was closed that is not shown") }
  }

  /// Whether no notification says that an activity is on its way.
  var isAtRest: Bool { shown.values.allSatisfy { $0.kind != .progress } }
}
