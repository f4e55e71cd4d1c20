import SegueBus
import SegueControl
import SegueCore

/// The daemon's control interface at its private door, while there is something to send.
final class DaemonDoor {
  /// A signal that a sending waits for.
  var told: ((ControlSignal) -> Void)?
  /// It is open.
  var opened: (() -> Void)?
  /// It cannot be opened, or has ended.
  var lost: ((SegueError) -> Void)?

  private let loop: EventLoop
  private var bus: Connection?
  private var door: Connection?
  private var connector: DoorConnector?

  init(_ loop: EventLoop) { self.loop = loop }

  var isOpen: Bool { door?.isOpen ?? false }

  /// Harmless when repeated.
  func open() {
    guard door == nil, bus == nil else { return }
    do throws(SegueError) {
      let bus = try Connection.openBus(on: loop) { _ in }
      self.bus = bus
      let connector = DoorConnector { [weak self] result in self?.entered(result) }
      self.connector = connector
      connector.begin(through: bus)
    } catch {
      loop.later { [weak self] in self?.end(error) }
    }
  }

  func close() {
    connector?.cancel()
    connector = nil
    bus?.close()
    bus = nil
    door?.setDisconnected(nil)
    door?.close()
    door = nil
  }

  private func entered(_ result: Result<Connection, DoorConnector.Failure>) {
    // Closing the bus here would end the call in which this runs.
    loop.later { [bus] in bus?.close() }
    bus = nil
    connector = nil
    switch result {
    case .failure(let failure): end(failure.error)
    case .success(let door):
      self.door = door
      door.setDisconnected { [weak self] in
        self?.end(SegueError(.connectionUnavailable, "The Segue daemon has ended."))
      }
      door.addSignalHandler(path: SegueAddress.controlPath, interface: SegueAddress.controlInterface) {
        [weak self] message in
        if let signal = ControlSignal(message) { self?.told?(signal) }
      }
      opened?()
    }
  }

  private func end(_ error: SegueError) {
    door = nil
    lost?(error)
  }

  func call(
    _ method: ControlMethod, _ values: [BusValue] = [], _ done: @escaping (Result<[BusValue], SegueError>) -> Void
  ) {
    guard let door, let member = MemberName(method.rawValue) else {
      return loop.later { done(.failure(SegueError(.connectionUnavailable, "The Segue daemon is not there."))) }
    }
    let message = Message.call(
      destination: nil, path: SegueAddress.controlPath, interface: SegueAddress.controlInterface, member: member)
    do throws(SegueError) { try message.append(values) } catch { return loop.later { done(.failure(error)) } }
    door.call(message) { result in
      do throws(SegueError) {
        done(.success(try result.get().arguments()))
      } catch {
        done(.failure(error))
      }
    }
  }
}
