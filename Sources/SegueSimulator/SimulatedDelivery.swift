import SegueCore

/// One continuation on its way into a process.
final class SimulatedDelivery {
  let continuation: Identifier
  private(set) var launch: SimulatedLaunch
  private(set) var machine = DeliveryMachine()
  private(set) var willContinue = 0
  private(set) var isForgotten = false
  private var continued = 0
  private var failed = 0
  private var ended = 0
  private unowned let process: SimulatedProcess
  private unowned let world: Simulation
  private var isRelaunched = false
  private var isWaiting = false
  private var timer: Int?
  /// Calls at the door that have no reply yet.
  private var beginIsOut = false
  private var claimIsOut = false
  private var isRejoining = false

  init(_ world: Simulation, _ process: SimulatedProcess, _ launch: SimulatedLaunch) {
    self.world = world
    self.process = process
    self.launch = launch
    continuation = launch.continuation
    startTimer(Limits.launchTime) { [self] in
      launch.answer(SegueError(.launchTimedOut, "never ready"), ownerGone: false)
      isForgotten = true
    }
  }

  private func startTimer(_ time: UInt64, _ body: @escaping () -> Void) {
    stop()
    timer = world.after(time, on: process.device, "\(process.name): waited for \(continuation.low)") { [self] in
      timer = nil
      if process.isRunning { body() }
    }
  }

  func stop() {
    if let timer { world.cancel(timer) }
    timer = nil
  }

  // MARK: Launched, and launched again

  func doorIsOpen() {
    guard !isForgotten else { return }
    if isRelaunched {
      isRelaunched = false
      return handle(.relaunched)
    }
    handle(.ready)
    if isWaiting { wait(Limits.busTime) }
  }

  func relaunched(_ launch: SimulatedLaunch) {
    self.launch.answer(SegueError(.notFound, "There is a newer launch message."), ownerGone: false)
    self.launch = launch
    isRelaunched = !machine.isWaiting
    isWaiting = false
    if process.canBegin { doorIsOpen() }
  }

  private func wait(_ time: UInt64) {
    isWaiting = true
    startTimer(time) { [self] in
      isWaiting = false
      handle(.waitedInVain(SegueError(.connectionUnavailable, "no daemon")))
    }
  }

  func doorLost() {
    (beginIsOut, claimIsOut) = (false, false)
    if isRejoining {
      isRejoining = false
      handle(.rejoinFailed(SegueError(.connectionUnavailable, "door lost")))
    }
    handle(.doorLost)
  }

  func began(_ error: SegueError?) {
    if isRejoining {
      isRejoining = false
      return handle(error.map { .rejoinFailed($0) } ?? .rejoined)
    }
    guard beginIsOut else { return }
    beginIsOut = false
    handle(error.map { .beginFailed($0) } ?? .begun)
  }

  func claimed(_ error: SegueError?) {
    guard claimIsOut else { return }
    claimIsOut = false
    handle(error.map { .claimFailed($0) } ?? .claimed)
  }

  // MARK: Effects

  func handle(_ event: DeliveryMachine.Event) {
    for effect in machine.handle(event) {
      world.note("  \(process.name) \(continuation.low): \(effect)")
      perform(effect)
    }
  }

  private func perform(_ effect: DeliveryMachine.Effect) {
    let ticket = launch.ticket
    switch effect {
    case .begin:
      stop()
      guard let door = process.door else { return handle(.doorLost) }
      (beginIsOut, claimIsOut) = (true, true)
      door.toDaemon("begin \(ticket.low)") { door.daemon.begin(ticket, door) }
      door.toDaemon("claim \(ticket.low)") { door.daemon.claim(ticket, door) }
    case .rejoin:
      guard let door = process.door else { return }
      isRejoining = true
      door.toDaemon("begin \(ticket.low)") { door.daemon.begin(ticket, door) }
    case .awaitDaemon: wait(Limits.ticketTime)
    case .answerLaunch(let error): launch.answer(error, ownerGone: false)
    case .callWillContinue:
      willContinue += 1
      if world.random.oneIn(40) { process.close() }
      handle(.willReturned)
    case .callContinue:
      continued += 1
      world.accounts[continuation]?.continued += 1
      callContinue()
    case .callOpenDocument:
      let opens = world.random.oneIn(2)
      if opens { handle(.restored) }
      handle(.openReturned(handled: opens))
    case .callDidFail:
      failed += 1
      if world.random.oneIn(40) { process.close() }
    case .finish(let handled):
      if handled { world.accounts[continuation]?.handled += 1 }
      guard let door = process.door else { return }
      door.toDaemon("finish \(ticket.low)") { door.daemon.finish(ticket, door, handled: handled) }
    case .ended:
      ended += 1
      stop()
      isForgotten = !machine.isAnnounced
    }
  }

  private func callContinue() {
    if world.random.oneIn(40) { process.close() }
    let handled = !world.random.oneIn(world.scenario.refuses)
    switch world.random.below(4) {
    case 0: handle(.restored)
    case 1: restore(after: world.random.below(100_000))
    default: restore(after: world.latency())
    }
    handle(.continueReturned(handled: handled))
  }

  private func restore(after time: UInt64) {
    world.after(time, on: process.device, "\(process.name) has restored \(continuation.low)") { [self] in
      if process.isRunning { handle(.restored) }
    }
  }

  func judge() {
    let what = "\(process.name), \(continuation.low): will \(willContinue), continue \(continued), did_fail \(failed)"
    if willContinue > 1 || continued + failed > willContinue { world.problem("V1: \(what)") }
    if continued + failed < willContinue, !process.wasKilled { world.problem("V1: \(what)") }
    if ended > 1 { world.problem("a delivery ended \(ended) times") }
    // Only a process that was killed leaves anything open.
    if !process.wasKilled, willContinue > 0, !machine.isEnded { world.problem("a delivery waits: \(what)") }
  }
}
