import SegueBus
import SegueControl
import SegueCore

/// The daemon's control interface, at its private door: this device's name, and the offers of other devices. Each
/// request has a connection of its own, and is answered within a bound.
enum DaemonQuery {
  /// `done` gets the first value of the answer.
  static func ask<T: BusField>(_ method: ControlMethod, on loop: EventLoop, _ done: @escaping (T?) -> Void) {
    guard let bus = try? Connection.openBus(on: loop, ready: { _ in }) else { return done(nil) }
    DoorConnector { result in
      // Closing the bus at once would end the call in which this closure runs.
      loop.later { bus.close() }
      guard case .success(let door) = result, let member = MemberName(method.rawValue) else { return done(nil) }
      let message = Message.call(
        destination: nil, path: SegueAddress.controlPath, interface: SegueAddress.controlInterface, member: member)
      door.call(message, timeout: Limits.callTime) { result in
        loop.later { door.close() }
        done((try? result.get().arguments())?.first.flatMap { T.of(busValue: $0) })
      }
    }.begin(through: bus, startsDaemon: false)
  }

  /// The same for a command, which waits.
  static func answer<T: BusField>(_ method: ControlMethod) -> T? {
    guard let loop = try? EventLoop() else { return nil }
    var answer: T?
    var isAnswered = false
    ask(method, on: loop) { (value: T?) in (answer, isAnswered) = (value, true) }
    while !isAnswered { loop.wait(milliseconds: -1) }
    return answer
  }

  /// The sessions that other devices have on offer here.
  static var offers: [OfferRow] {
    let rows: [OfferRow] = answer(.listOffers) ?? []
    return rows.filter { $0.type == ShellService.activityType && !$0.isHere && !$0.isStored }
  }
}
