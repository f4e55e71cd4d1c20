import SegueCore
import SegueEngine

/// A launch message, over a device's bus or at the door, which must be answered once.
final class VirtualLaunch {
  let ticket: Identifier
  let continuation: Identifier
  let startsIt: Bool
  /// What is coming, where the message came at the door.
  let begin: DoorBegin?
  let daemon: VirtualDaemon
  let number: UInt64
  private unowned let world: Simulation
  private var isAnswered = false

  init(_ world: Simulation, _ daemon: VirtualDaemon, _ launch: Effect.Launch) {
    self.world = world
    self.daemon = daemon
    ticket = launch.ticket
    continuation = launch.continuation
    startsIt = launch.startsIt
    begin = launch.taker?.begin
    number = world.newNumber()
  }

  func answer(_ error: SegueError?, ownerGone: Bool) {
    guard !isAnswered else { return }
    isAnswered = true
    // At the door the application does not wait for the answer to its Begin.
    if error == nil, begin == nil, !daemon.accepted.contains(ticket) {
      world.problem("V18: a launch was answered before it was begun")
    }
    guard let error else { return }
    world.after(
      daemon.device.latency(), on: daemon.device, "launch \(ticket.low) was answered: \(error.message)"
    ) { [self] in
      daemon.handle(.launchFailed(ticket: ticket, error, ownerGone: ownerGone))
    }
  }
}
