import SegueBus
import SegueCore

/// Tells when the machine wakes from a sleep, by logind's signal `PrepareForSleep` (org.freedesktop.login1(5)). Without
/// logind it tells nothing.
final class SleepWatch {
  private var user: SystemBus.User?
  private var subscription: SignalSubscription?

  private static let name = BusName(constant: "org.freedesktop.login1")
  private static let path = ObjectPath(constant: "/org/freedesktop/login1")
  private static let interface = InterfaceName(constant: "org.freedesktop.login1.Manager")

  /// `woke` is called after each sleep, in a dispatch of the loop, until `close`.
  init(_ bus: SystemBus, woke: @escaping () -> Void) {
    user = bus.use { [weak self] connection in
      self?.subscription = connection?.addSignalHandler(
        sender: Self.name, path: Self.path, interface: Self.interface, member: MemberName(constant: "PrepareForSleep")
      ) { message in
        // True before the machine sleeps, false when it wakes.
        if (try? message.arguments())?.first == .bool(false) { woke() }
      }
    }
  }

  func close() {
    subscription?.cancel()
    subscription = nil
    user?.cancel()
    user = nil
  }
}
