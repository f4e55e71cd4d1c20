import SegueBus
import SegueCore

/// org.segue.Daemon1: the way to the private door.
struct DaemonObject {
  let door: DoorService

  func object() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.daemonInterface,
        methods: [
          // The daemon does not look at who asks: the door recognises each process that comes to it, by the socket.
          Self.openDoor { invocation in
            do throws(SegueError) {
              let key = try door.key()
              invocation.reply([.descriptor(key.socket), .string(key.token)])
            } catch {
              invocation.fail(error)
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
