import SegueCore
import SegueSimulator

/// One continuation in virtual time: the machines of daemon, application and origin, and between them queues that
/// delay, reorder across connections, and lose. It carries out effects as Daemon and Runtime do, and notes every
/// breach of the rules.
final class VirtualContinuation {
  enum Happening {
    // At the continuing daemon.
    case timer(ContinuationMachine.Timer)
    case launchAnswered(ticket: Int, SegueError?, ownerGone: Bool)
    case call(DoorCall, ticket: Int, door: Int)
    case doorClosed(Int)
    case fetchAnswered(SegueError?)
    case linkUp
    // At the continuing device's bus and application.
    case launchArrives(ticket: Int)
    case application(Int, VirtualApplication.Happening)
    // At the origin.
    case origin(VirtualOrigin.Happening)
    case fault(Fault)
  }

  enum DoorCall { case begin, claim, finish(handled: Bool) }

  enum Fault: CaseIterable {
    case secondChoice, sameChoice, linkLost, busLost, doorLost, applicationKilled, applicationCloses
    case applicationLosesBus, originExits, otherFetch, otherAbandons
  }

  var random: SeededGenerator
  var clock = VirtualClock<Happening>()
  private(set) var problems: [String] = []
  private(set) var trace: [String] = []
  private let isTraced: Bool
  /// The longest that a message takes.
  private let slowness: UInt64

  // The daemon.
  private var machine = ContinuationMachine()
  private var timers: [(timer: ContinuationMachine.Timer, number: Int)] = []
  private var ticket = 0
  private var awaitedLaunch: Int?
  private var session: Int?
  private var beginIsOut = false
  private var claimIsOut = false
  private(set) var accepted: Set<Int> = []
  private var isFetching = false
  private var finishedWell = false
  private var toldOrigin = 0
  private var outcomes: [(error: SegueError?, told: Bool)] = []

  // Everybody else.
  private var closedDoors: Set<Int> = []
  private var lastAtDoor: [Int: Instant] = [:]
  private var doorCount = 0
  private(set) var applications: [VirtualApplication] = []
  private(set) lazy var origin = VirtualOrigin(world: self)

  init(seed: UInt64, isTraced: Bool = false) {
    random = SeededGenerator(seed: seed)
    self.isTraced = isTraced
    let choices: [UInt64] = [5, 200, 3_000, 30_000]
    slowness = choices[Int(random.below(4))]
  }

  func note(_ text: @autoclosure () -> String) {
    if isTraced { trace.append("\(clock.now.milliseconds): \(text())") }
  }

  func problem(_ text: String) {
    problems.append(text)
    note("PROBLEM \(text)")
  }

  func latency() -> UInt64 { random.below(slowness) }

  /// Runs the whole schedule.
  func run() {
    for _ in 0..<random.below(4) {
      let horizon: UInt64 = random.oneIn(2) ? slowness * 4 : 70_000
      let fault = Fault.allCases[Int(random.below(UInt64(Fault.allCases.count)))]
      clock.schedule(.fault(fault), at: clock.now + random.below(horizon))
    }
    handle(.chosen)
    var steps = 0
    while let (number, happening) = clock.next() {
      note("\(happening)")
      steps += 1
      guard steps < 2_000 else { return problem("it goes on for ever") }
      happen(happening, number)
    }
    judge()
  }

  private func happen(_ happening: Happening, _ number: Int) {
    switch happening {
    case .timer(let timer):
      timers.removeAll { $0.number == number }
      handle(.expired(timer))
    case .launchAnswered(let of, let error, let ownerGone):
      guard awaitedLaunch == of else { return }
      awaitedLaunch = nil
      if let error { handle(.launchFailed(error, ownerGone: ownerGone)) }
    case .call(let call, let shown, let door): called(call, shown, door)
    case .doorClosed(let door): leave(door)
    case .fetchAnswered(let error):
      guard isFetching else { return }
      isFetching = false
      handle(error.map { .fetchFailed($0) } ?? .fetched(VirtualOrigin.snapshot))
    case .linkUp: handle(.linkUp)
    case .launchArrives(let ticket): launchArrives(ticket)
    case .application(let number, let what): applications[number].happen(what)
    case .origin(let what): origin.happen(what)
    case .fault(let fault): happen(fault)
    }
  }

  // MARK: The daemon

  private func handle(_ event: ContinuationMachine.Event) {
    let wasEnded = machine.isEnded
    for effect in machine.handle(event) {
      note("  \(event) → \(effect)")
      if wasEnded {
        switch effect {
        case .refuseBegin, .refuseClaim: break
        default: problem("\(effect) after the end")
        }
      }
      perform(effect)
    }
  }

  private func perform(_ effect: ContinuationMachine.Effect) {
    switch effect {
    case .fetch: fetch()
    case .localize, .cancelLocalize:
      problem("the snapshot names no files")
    case .showWaiting:
      if isFetching { problem("X9: it waits for the link, and fetches") }
      // Some links come back, in time or not.
      if !random.oneIn(3) { clock.schedule(.linkUp, at: clock.now + random.below(2 * Limits.fetchTime)) }
    case .reach:
      problem("no daemon was restarted")
    case .cancelFetch:
      isFetching = false
      clock.schedule(.origin(.abandoned(0)), at: clock.now + latency())
    case .launch: launch()
    case .acceptBegin: answerBegin(nil)
    case .refuseBegin(let error): answerBegin(error)
    case .answerClaim: answerClaim(nil)
    case .failClaim(let error), .refuseClaim(let error): answerClaim(error)
    case .start(let timer):
      if timers.contains(where: { $0.timer == timer }) { problem("\(timer) was started twice") }
      timers.append((timer, clock.schedule(.timer(timer), at: clock.now + timer.time)))
    case .stop(let timer):
      for (kind, number) in timers where kind == timer { clock.cancel(number) }
      timers.removeAll { $0.timer == timer }
    case .showNotResponding: break
    case .openBrowser:
      problem("the snapshot has no page")
    case .tellOrigin:
      toldOrigin += 1
      if !finishedWell { problem("V11: the origin was told before the finish") }
    case .ended(let error, let told):
      outcomes.append((error, told))
      if !timers.isEmpty { problem("timers run after the end: \(timers.map { $0.timer })") }
      if claimIsOut, let error { answerClaim(error) }
    }
  }

  private func fetch() {
    guard !random.oneIn(10) else { return handle(.unreachable(SegueError(.connectionUnavailable, "offline"))) }
    isFetching = true
    clock.schedule(.origin(.fetch(0)), at: clock.now + latency())
  }

  private func launch() {
    ticket += 1
    if ticket > 2 { problem("V18: launched \(ticket) times") }
    guard !random.oneIn(30) else {
      return handle(.launchFailed(SegueError(.connectionUnavailable, "no bus"), ownerGone: false))
    }
    awaitedLaunch = ticket
    clock.schedule(.launchArrives(ticket: ticket), at: clock.now + latency())
  }

  private func called(_ call: DoorCall, _ shown: Int, _ door: Int) {
    guard !closedDoors.contains(door) else { return }
    let isKnown = shown == ticket && !machine.isEnded
    switch call {
    case .begin:
      guard isKnown, session == nil else { return reply(door, .began(shown, VirtualContinuation.noTicket)) }
      session = door
      beginIsOut = true
      handle(.begin)
      if beginIsOut { problem("begin got no answer") }
    case .claim:
      guard isKnown, session == door, !claimIsOut else { return reply(door, .claimed(shown, Self.noTicket)) }
      claimIsOut = true
      handle(.claim)
    case .finish(let handled):
      guard isKnown, session == door else { return }
      finishedWell = handled
      handle(.finished(handled: handled))
    }
  }

  private func answerBegin(_ error: SegueError?) {
    guard beginIsOut, let session else { return problem("nobody waits for begin's answer") }
    beginIsOut = false
    if error == nil { accepted.insert(ticket) }
    reply(session, .began(ticket, error))
  }

  private func answerClaim(_ error: SegueError?) {
    guard claimIsOut, let session else { return problem("nobody waits for the claim's answer") }
    claimIsOut = false
    reply(session, .claimed(ticket, error))
  }

  private static let noTicket = SegueError(.notFound, "no ticket")

  /// The door closes as the daemon sees it.
  private func leave(_ door: Int) {
    guard closedDoors.insert(door).inserted, session == door else { return }
    handle(.callerGone)
  }

  // MARK: Connections

  private func reply(_ door: Int, _ what: VirtualApplication.Happening) {
    guard let application = applications.first(where: { $0.door == door }) else { return }
    schedule(.application(application.number, .atDoor(door, what)), door: door, direction: 0)
  }

  func send(_ call: DoorCall, ticket: Int, door: Int) {
    schedule(.call(call, ticket: ticket, door: door), door: door, direction: 1)
  }

  /// The application's end of a door closes; what was sent before still arrives.
  func closeDoor(_ door: Int) { schedule(.doorClosed(door), door: door, direction: 1) }

  /// In order, one direction of one door.
  private func schedule(_ happening: Happening, door: Int, direction: Int) {
    let key = door * 2 + direction
    let time = max(clock.now + latency(), lastAtDoor[key] ?? 0)
    lastAtDoor[key] = time
    clock.schedule(happening, at: time)
  }

  func openDoor() -> Int {
    doorCount += 1
    return doorCount
  }

  private func launchArrives(_ ticket: Int) {
    if let owner = applications.first(where: { $0.isRunning && $0.ownsName }) { return owner.launched(ticket) }
    guard !random.oneIn(20) else {
      return answerLaunch(ticket, SegueError(.launchFailed, "no service file"), ownerGone: false)
    }
    let application = VirtualApplication(number: applications.count, world: self)
    applications.append(application)
    application.start()
    application.launched(ticket)
  }

  func answerLaunch(_ ticket: Int, _ error: SegueError?, ownerGone: Bool) {
    clock.schedule(.launchAnswered(ticket: ticket, error, ownerGone: ownerGone), at: clock.now + latency())
  }

  private func happen(_ fault: Fault) {
    let application = applications.last { $0.isRunning }
    switch fault {
    case .secondChoice: handle(.superseded)
    case .sameChoice: handle(.chosen)
    case .linkLost:
      clock.schedule(.origin(.abandoned(0)), at: clock.now + latency())
      guard isFetching else { return }
      isFetching = false
      handle(.unreachable(SegueError(.connectionUnavailable, "link lost")))
    case .busLost:
      guard let awaited = awaitedLaunch else { return }
      happen(.launchAnswered(ticket: awaited, SegueError(.connectionUnavailable, "bus lost"), ownerGone: false), 0)
    case .doorLost:
      guard let application, let door = application.door else { return }
      leave(door)
      schedule(.application(application.number, .atDoor(door, .doorLost)), door: door, direction: 0)
    case .applicationKilled: application?.exit()
    case .applicationCloses: application?.close()
    case .applicationLosesBus: application?.loseBus()
    case .originExits: origin.happen(.exits)
    case .otherFetch: origin.happen(.fetch(1))
    case .otherAbandons: origin.happen(.abandoned(1))
    }
  }

  // MARK: The verdict

  var outcome: SegueError? { outcomes.first?.error }

  private func judge() {
    if outcomes.count != 1 { problem("ended \(outcomes.count) times") }
    if !timers.isEmpty { problem("timers are left") }
    let outcome = outcomes.first
    if (outcome?.error == nil) != (toldOrigin == 1) || toldOrigin > 1 { problem("V11: told \(toldOrigin) times") }
    let deliveries = applications.flatMap { $0.deliveries }
    let continued = deliveries.reduce(0) { $0 + $1.continued }
    if continued > 1 { problem("continue was called \(continued) times") }
    if outcome?.error == nil, continued != 1 { problem("success without continue") }
    if outcome?.told == true, outcome?.error != nil, continued > 0 { problem("continue and an error by did_fail") }
    for application in applications { application.judge() }
    origin.judge()
  }
}

extension ContinuationMachine.Timer {
  /// As the daemon sets it.
  var time: UInt64 {
    switch self {
    case .fetch: Limits.fetchTime
    case .launch: Limits.launchTime
    case .notResponding: Limits.notRespondingTime
    case .claim: Limits.claimTime
    case .finish: Limits.finishTime
    }
  }
}
