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
          BusMethod("OpenDoor", out: [BusArgument("socket", "h"), BusArgument("token", "s")]) { _, _, invocation in
            do throws(SegueError) {
              let key = try door.key(for: invocation.sender?.string ?? "")
              invocation.reply([.descriptor(key.socket), .string(key.token)])
            } catch {
              invocation.fail(error)
            }
          }
        ])
    ])
  }
}
