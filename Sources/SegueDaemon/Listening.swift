import Glibc
import SegueCore
import SegueLink
import SegueState

// Where this device can be reached: a port that stays the same, and the machine's own addresses.

extension Link {
  /// Listens on `addresses`, and for a port of 0 on the saved one, which paired devices know. If that is taken, on any for
  /// this run, and `tell` gets a sentence; the saved one stays what it is. Without a saved one on any, which is then saved.
  func start(
    listenOn addresses: [LinkAddress], saved: SavedPort, tell: (String) -> Void
  ) throws(SegueError) -> [UInt16] {
    guard addresses.count == 1, addresses[0].port == 0 else { return try start(listenOn: addresses) }
    guard let port = saved.read() else {
      let ports = try start(listenOn: addresses)
      if let port = ports.first { saved.write(port) }
      return ports
    }
    do throws(SegueError) {
      return try start(listenOn: [LinkAddress(host: addresses[0].host, port: port)])
    } catch {
      let ports = try start(listenOn: addresses)
      tell(
        "Port \(port), at which paired devices know this one, is taken. Until the next start it listens on "
          + "\(ports.first ?? 0), where they do not look. End the program that has it, or set Listen in segue.conf.")
      return ports
    }
  }
}
