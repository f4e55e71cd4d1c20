import SegueBus
import SegueCore

/// org.segue.Daemon1: the way to the private door.
struct DaemonObject {
  let door: DoorService
  let bus: SessionBusService

  func object() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.daemonInterface,
        methods: [
          Self.openDoor { invocation in
            bus.identify(invocation) { caller in
              do throws(SegueError) {
                if case .refused(let error) = caller.verdict { throw error }
                let key = try door.key(for: caller.holder)
                invocation.reply([.descriptor(key.socket), .string(key.token)])
              } catch {
                invocation.fail(error)
              }
            }
          }
        ])
    ])
  }

  static func openDoor(_ body: @escaping (Invocation) -> Void) -> BusMethod {
    BusMethod("OpenDoor", out: [BusArgument("socket", "h"), BusArgument("token", "s")]) { _, invocation in
      body(invocation)
    }
  }
}
