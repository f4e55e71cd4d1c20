import SegueBus
import SegueCore

/// Requests to a bus about itself. Each is answered, or has failed, within the bound of a call.
final class BusChecks {
  private let loop: EventLoop
  private let bus: Connection

  /// Enters the bus at an address; nil: the session's. Throws with the reason for which it is not let in.
  init(address: String? = nil) throws(SegueError) {
    let loop = try EventLoop()
    var answer: SegueError??
    let bus = try Connection.openBus(address: address, on: loop) { answer = .some($0) }
    while answer == nil { loop.wait(milliseconds: -1) }
    (self.loop, self.bus) = (loop, bus)
    guard let refusal = answer ?? nil else { return }
    close()
    throw refusal
  }

  /// The first value of the bus's answer; nil where it has none.
  func ask(_ member: MemberName, _ values: [BusValue] = []) throws(SegueError) -> BusValue? {
    let message = Message.call(
      destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
      interface: InterfaceName(constant: "org.freedesktop.DBus"), member: member)
    try message.append(values)
    var answer: Result<Message, SegueError>?
    bus.call(message) { answer = $0 }
    while true {
      switch answer {
      case .success(let reply)?: return try reply.arguments().first
      case .failure(let error)?: throw error
      case nil: loop.wait(milliseconds: -1)
      }
    }
  }

  /// The names that the bus can start programs for.
  func startable() throws(SegueError) -> [String] {
    try ask(MemberName(constant: "ListActivatableNames"))?.asStrings ?? []
  }

  /// The process of a name's owner; nil where nobody has the name.
  func process(of name: BusName) -> UInt32? {
    do throws(SegueError) {
      return try ask(MemberName(constant: "GetConnectionUnixProcessID"), [.string(name.string)])?.asUInt32
    } catch { return nil }
  }

  func close() {
    bus.close()
    loop.close()
  }
}
