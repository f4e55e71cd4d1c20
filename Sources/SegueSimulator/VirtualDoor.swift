import SegueCore
import SegueEngine

/// A connection between a process and a daemon; each direction keeps its order.
final class VirtualDoor {
  let session: SessionID
  unowned let process: VirtualProcess
  unowned let daemon: VirtualDaemon
  private unowned let world: Simulation
  private var arrival: [Instant] = [0, 0]
  private var isClosed = false
  /// The launch messages that went to the process.
  var launches: [VirtualLaunch] = []

  init(_ world: Simulation, _ process: VirtualProcess, _ daemon: VirtualDaemon) {
    self.world = world
    self.process = process
    self.daemon = daemon
    session = world.newNumber()
  }

  func register() { toDaemon("registers") { self.daemon.registered(self) } }

  /// Sends an event of the process.
  func say(_ event: Event.DoorEvent) {
    toDaemon("\(event)") { [self] in daemon.said(event, self) }
  }

  /// Sends a call of the process, which gets no answer if the connection is lost before.
  func ask(_ event: @escaping (RequestID) -> Event.DoorEvent, _ reply: @escaping (Effect.Reply) -> Void) {
    toDaemon("asks") { [self] in
      let event = event
      daemon.call({ .door(session, event($0)) }) { [self] answer in
        toProcess("the reply \(answer)") { reply(answer) }
      }
    }
  }

  private func toDaemon(_ what: @autoclosure () -> String, _ body: @escaping () -> Void) {
    arrival[0] = max(arrival[0], world.now + process.latency())
    world.after(world.now.time(until: arrival[0]), on: daemon.device, "\(process.name) → daemon: \(what())") { [self] in
      if daemon.isRunning, !isClosed { body() }
    }
  }

  func toProcess(_ what: @autoclosure () -> String, _ body: @escaping () -> Void) {
    arrival[1] = max(arrival[1], world.now + process.latency())
    world.after(world.now.time(until: arrival[1]), on: daemon.device, "daemon → \(process.name): \(what())") { [self] in
      if process.isRunning, process.door === self { body() }
    }
  }

  /// The process closes its end; messages that were sent before still arrive.
  func close() {
    toDaemon("the door closes") { [self] in
      isClosed = true
      daemon.left(self)
    }
  }
}

// The daemon's side of the door.

extension VirtualDaemon {
  func registered(_ door: VirtualDoor) {
    doors[door.session] = door
    handle(.door(door.session, .registered(door.process.appID, .system, takesLaunches: door.process.takesLaunches)))
  }

  func said(_ event: Event.DoorEvent, _ door: VirtualDoor) {
    if case .invalidate(let id) = event { world.activities[id]?.wasInvalidated() }
    if case .saved(let id, _) = event { saves[id] = nil }
    if case .openedFile(let id, _) = event { givenFiles.opened(id) }
    if case .openStream = event { streams.noteEnds() }
    handle(.door(door.session, event))
  }

  /// Brings a launch message to a process that runs. One that does not own the application's name does not take it.
  func deliver(_ launch: VirtualLaunch, at session: SessionID) {
    guard let door = doors[session] else { return world.problem("an application that has left was launched") }
    door.launches.append(launch)
    door.toProcess("launch message \(launch.ticket.low)") {
      guard door.process.ownsName else {
        return launch.answer(SegueError(.notFound, "It does not own the name."), ownerGone: false)
      }
      door.process.launched(launch)
    }
  }

  func left(_ door: VirtualDoor) {
    // What the process has not answered is answered by the end of the connection.
    for launch in door.launches {
      launch.answer(SegueError(.connectionUnavailable, "The door is closed."), ownerGone: true)
    }
    let unopened = givenFiles.leave(door)
    doors[door.session] = nil
    saves = saves.filter { $0.value.door !== door }
    handle(.door(door.session, .left))
    if isRunning, unopened.contains(where: { givenFiles.isGiven($0) }) {
      world.problem("a file waits for an application that has left")
    }
  }

  func askSave(_ id: SaveID, _ activity: Identifier, _ request: DoorSaveRequest, _ session: SessionID) {
    guard let door = doors[session] else { return world.problem("a save of an application that has left") }
    if saves.values.contains(where: { $0.activity == activity && $0.request == request }) {
      world.problem("S9: two saves of one activity at once")
    }
    saves[id] = Asked(door: door, activity: activity, request: request)
    door.toProcess("save \(activity.low)") { door.process.save(id, activity) }
  }

  func tellContinued(_ session: SessionID, _ notice: ContinuedNotice) {
    guard let door = doors[session] else { return world.problem("an application that has left was told") }
    door.toProcess("was continued") {
      let isKnown = door.process.wasContinued(notice)
      let error = isKnown ? nil : SegueError(.notFound, "It has no such activity.")
      door.say(.heardContinued(continuation: notice.continuation, error))
    }
  }

  func tellOffers(_ session: SessionID, _ offers: [ListedOffer]) {
    guard let door = doors[session] else { return world.problem("an application that has left was told of offers") }
    world.judge(told: offers, by: self)
    door.toProcess("\(offers.count) offers") {
      door.process.offers = offers
      door.say(.heardOffers)
    }
  }
}
