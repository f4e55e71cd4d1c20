import SegueClient
import SegueCore
import SegueEngine

/// The continuations on their way into a process: the table of the runtime, with callbacks that behave as those of
/// applications do.
final class VirtualArrivals {
  /// The callbacks that the application got for one continuation.
  private struct Told {
    let continuation: Identifier
    var willContinue = 0
    var continued = 0
    var opened = 0
    var failed = 0
    var hasEnded = false
  }

  private var deliveries = Deliveries<UInt64>()
  private var launches: [UInt64: VirtualLaunch] = [:]
  /// The callbacks by the delivery's number.
  private var told: [UInt64: Told] = [:]
  private var tickets: [Identifier: Identifier] = [:]
  /// What the launch message says that is being taken, with its ticket.
  private var begin: (ticket: Identifier, info: DoorBegin)?
  private var timers: [UInt64: Int] = [:]
  /// The continuation that was delivered last.
  private(set) var last: Identifier?
  /// The snapshots that came with a claim.
  private var snapshots: [Identifier: Snapshot] = [:]
  private unowned let process: VirtualProcess
  private unowned let world: Simulation

  init(_ world: Simulation, _ process: VirtualProcess) {
    self.world = world
    self.process = process
  }

  func launched(_ launch: VirtualLaunch) {
    launches[launch.number] = launch
    begin = launch.begin.map { (launch.ticket, $0) }
    defer { begin = nil }
    tickets[launch.ticket] = launch.continuation
    told[launch.number] = Told(continuation: launch.continuation)
    handle(
      .launched(
        Deliveries<UInt64>.Launch(
          number: launch.number, ticket: launch.ticket, sender: launch.daemon.number,
          continuation: launch.continuation, resumes: !launch.startsIt)))
  }

  func handle(_ event: Deliveries<UInt64>.Event) {
    for effect in deliveries.handle(event, at: world.now) {
      world.note("  \(process.name): \(effect)")
      perform(effect)
    }
  }

  private func perform(_ effect: Deliveries<UInt64>.Effect) {
    switch effect {
    case .begin(_, let ticket):
      let begin = begin.flatMap { $0.ticket == ticket ? $0.info : nil }
      self.begin(ticket, isAnswered: begin == nil)
      process.door?.ask({ .claim(ticket: ticket, $0) }) { [self] reply in
        switch reply {
        case .claimed(let snapshot):
          if let id = tickets[ticket] { snapshots[id] = snapshot }
          handle(.claimed(ticket: ticket))
        case .failed(let error): handle(.claimFailed(ticket: ticket, error))
        default: world.problem("a claim was answered with \(reply)")
        }
      }
      if let begin { handle(.begun(ticket: ticket, timeLeft: begin.timeLeft)) }
    case .rejoin(_, let ticket): begin(ticket, isAnswered: true)
    case .announced(let ticket, let shown): process.door?.say(.announced(ticket: ticket, shown: shown))
    case .finish(let ticket, let handled):
      if handled, let id = tickets[ticket] { world.accounts[id]?.handled += 1 }
      process.door?.say(.finish(ticket: ticket, handled: handled))
    case .answer(let number, let error): launches[number]?.answer(error, ownerGone: false)
    case .otherSender: break
    case .startTimer(let number, let time):
      stop(number)
      timers[number] = process.after(world.now.time(until: time), "waited long enough") { [self] in
        timers[number] = nil
        handle(.timer(number))
      }
    case .stopTimer(let number): stop(number)
    case .callWillContinue(let number): callWillContinue(number)
    case .callContinue(let number): callContinue(number)
    case .callOpenDocument(let number): callOpenDocument(number)
    case .callDidFail(let number, _):
      told[number]?.failed += 1
      mayClose()
    case .ended(let number):
      stop(number)
      if told[number]?.hasEnded == true { world.problem("a delivery ended twice") }
      told[number]?.hasEnded = true
    }
  }

  /// `isAnswered`: the launch message has not said what is coming, and the application waits for the answer.
  private func begin(_ ticket: Identifier, isAnswered: Bool) {
    let showsFailure = process.random.oneIn(2)
    let daemon = process.door?.daemon
    process.door?.ask({ .begin(ticket: ticket, showsFailure: showsFailure, $0) }) { [self] reply in
      switch reply {
      case .begun(let info):
        daemon?.accept(ticket)
        if isAnswered { handle(.begun(ticket: ticket, timeLeft: info.timeLeft)) }
      case .failed(let error): if isAnswered { handle(.beginFailed(ticket: ticket, error)) }
      default: world.problem("begin was answered with \(reply)")
      }
    }
  }

  private func stop(_ number: UInt64) {
    if let timer = timers.removeValue(forKey: number) { world.cancel(timer) }
  }

  // MARK: Callbacks

  /// Some applications close in the middle of a callback.
  private func mayClose() {
    if process.random.oneIn(40) { process.close() }
  }

  private func callWillContinue(_ number: UInt64) {
    told[number]?.willContinue += 1
    mayClose()
    let shown = process.random.oneIn(2)
    guard process.random.oneIn(8) else { return handle(.willReturned(number, shown: shown)) }
    // The application runs its main loop inside the callback.
    process.after(process.latency() * 4, "leaves will_continue") { [self] in
      handle(.willReturned(number, shown: shown))
    }
  }

  private func callContinue(_ number: UInt64) {
    told[number]?.continued += 1
    if let id = told[number]?.continuation { world.accounts[id]?.continues(snapshots[id]) }
    last = told[number]?.continuation
    // Some applications ask for streams in the callback, and for more than they may have.
    if world.schedule.streams > 0 { for _ in 0..<process.random.below(6) { process.openStream() } }
    if world.schedule.brings > 0, process.random.oneIn(2) { process.bringFiles() }
    let handled = !process.random.oneIn(world.schedule.refuses)
    call(number, .continueReturned(number, handled: handled))
    // Some applications go on with the state that they got, which is then this device's own activity (semantics V15).
    if handled, process.isRunning, process.random.oneIn(4), let id = told[number]?.continuation,
      let snapshot = snapshots[id]
    {
      process.makeCurrent(from: ActivityReference(id: snapshot.id, revision: snapshot.revision))
    }
  }

  private func callOpenDocument(_ number: UInt64) {
    told[number]?.opened += 1
    call(number, .openReturned(number, handled: process.random.oneIn(2)))
  }

  /// Ends a callback: the application restores at once, soon, or late, and the callback returns.
  private func call(_ number: UInt64, _ returned: Deliveries<UInt64>.Event) {
    mayClose()
    switch process.random.below(4) {
    case 0: handle(.restored(number))
    case 1: restore(number, after: process.random.below(100_000))
    default: restore(number, after: process.latency())
    }
    handle(returned)
  }

  private func restore(_ number: UInt64, after time: UInt64) {
    process.after(time, "has restored") { [self] in handle(.restored(number)) }
  }

  // MARK: The end

  func end() {
    // The bus answers the launch messages that the process has not answered.
    for launch in launches.values.sorted(by: { $0.number < $1.number }) {
      launch.answer(SegueError(.applicationExited, "no reply"), ownerGone: true)
    }
    for number in timers.keys.sorted() { stop(number) }
  }

  func judge() {
    for (number, told) in told.sorted(by: { $0.key < $1.key }) {
      let what =
        "\(process.name), \(told.continuation.low): will \(told.willContinue), continue \(told.continued), "
        + "did_fail \(told.failed)"
      let outcomes = told.continued + told.failed
      if told.willContinue > 1 || outcomes > told.willContinue { world.problem("V1: \(what)") }
      if told.opened > told.continued { world.problem("V7: opened without continue: \(what)") }
      guard !process.wasKilled else { continue }
      if outcomes < told.willContinue { world.problem("V1: \(what)") }
      // Only a process that was killed leaves a delivery open.
      if deliveries.isUnderWay(number) { world.problem("a delivery waits: \(what)") }
    }
    let announced = told.values.filter { $0.willContinue > 0 }.map { $0.continuation }
    if Set(announced).count != announced.count {
      world.problem("V1: \(process.name) was told twice of one continuation")
    }
    if !timers.isEmpty { world.problem("\(process.name) still waits for something") }
  }
}
