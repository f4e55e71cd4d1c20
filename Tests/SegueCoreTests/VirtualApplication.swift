import SegueCore
import SegueSimulator

/// The application of a VirtualContinuation: a process with DeliveryMachines, carried out as SegueRuntime does.
final class VirtualApplication {
  indirect enum Happening {
    case doorOpens
    case becomesReady
    case atDoor(Int, Happening)
    case began(Int, SegueError?)
    case claimed(Int, SegueError?)
    case doorLost
    /// The launch message waited too long for ready.
    case gaveUp(Int)
    case callTimedOut(Int, isBegin: Bool)
    case restored(Int)
    case waitedInVain(Int)
  }

  final class Delivery {
    let ticket: Int
    var machine = DeliveryMachine()
    /// Refused or ended: the library has forgotten it.
    var isForgotten = false
    var launchIsAnswered = false
    var willContinue = 0
    var continued = 0
    var opened = 0
    var failed = 0
    var finished = 0
    var ended = 0
    /// Calls at the door that have no reply yet.
    var beginIsOut = false
    var claimIsOut = false

    init(ticket: Int) { self.ticket = ticket }
  }

  let number: Int
  private unowned let world: VirtualContinuation
  private(set) var isRunning = true
  private(set) var ownsName = true
  private(set) var door: Int?
  private(set) var deliveries: [Delivery] = []
  private var isReady = false
  private var wasKilled = false

  init(number: Int, world: VirtualContinuation) {
    self.number = number
    self.world = world
  }

  func start() {
    schedule(.doorOpens, after: world.latency())
    // Some are never ready.
    if !world.random.oneIn(10) { schedule(.becomesReady, after: world.latency()) }
  }

  private func schedule(_ what: Happening, after time: UInt64) {
    world.clock.schedule(.application(number, what), at: world.clock.now + time)
  }

  func happen(_ what: Happening) {
    guard isRunning else { return }
    switch what {
    case .doorOpens:
      guard door == nil else { return }
      door = world.openDoor()
      mayBegin()
    case .becomesReady:
      isReady = true
      mayBegin()
    case .atDoor(let at, let inner):
      if at == door { happen(inner) }
    case .began(let ticket, let error):
      guard let delivery = delivery(ticket), delivery.beginIsOut else { return }
      delivery.beginIsOut = false
      handle(error.map { .beginFailed($0) } ?? .begun, delivery)
    case .claimed(let ticket, let error):
      guard let delivery = delivery(ticket), delivery.claimIsOut else { return }
      delivery.claimIsOut = false
      handle(error.map { .claimFailed($0) } ?? .claimed, delivery)
    case .doorLost:
      door = nil
      for delivery in deliveries where !delivery.isForgotten { lose(delivery) }
      schedule(.doorOpens, after: 100 + world.latency())
    case .gaveUp(let ticket):
      guard let delivery = delivery(ticket), !delivery.launchIsAnswered else { return }
      answerLaunch(SegueError(.launchTimedOut, "never ready"), delivery)
      delivery.isForgotten = true
    case .callTimedOut(let ticket, let isBegin):
      let error = SegueError(.connectionUnavailable, "no answer")
      happen(isBegin ? .began(ticket, error) : .claimed(ticket, error))
    case .waitedInVain(let ticket):
      if let delivery = delivery(ticket) {
        handle(.waitedInVain(SegueError(.connectionUnavailable, "no daemon")), delivery)
      }
    case .restored(let ticket):
      if let delivery = delivery(ticket) { handle(.restored, delivery) }
    }
  }

  private func delivery(_ ticket: Int) -> Delivery? {
    deliveries.first { $0.ticket == ticket && !$0.isForgotten }
  }

  func launched(_ ticket: Int) {
    let delivery = Delivery(ticket: ticket)
    deliveries.append(delivery)
    schedule(.gaveUp(ticket), after: Limits.launchTime)
    mayBegin()
  }

  private func mayBegin() {
    guard isReady, door != nil else { return }
    for delivery in deliveries where !delivery.isForgotten { handle(.ready, delivery) }
  }

  private func lose(_ delivery: Delivery) {
    delivery.beginIsOut = false
    delivery.claimIsOut = false
    handle(.doorLost, delivery)
  }

  // MARK: Effects

  private func handle(_ event: DeliveryMachine.Event, _ delivery: Delivery) {
    let wasEnded = delivery.machine.isEnded
    for effect in delivery.machine.handle(event) {
      world.note("  \(delivery.ticket): \(event) → \(effect)")
      if wasEnded { world.problem("\(effect) after the delivery's end") }
      perform(effect, delivery)
    }
  }

  private func perform(_ effect: DeliveryMachine.Effect, _ delivery: Delivery) {
    switch effect {
    case .begin:
      guard let door else { return handle(.beginFailed(SegueError(.connectionUnavailable, "no door")), delivery) }
      delivery.beginIsOut = true
      delivery.claimIsOut = true
      world.send(.begin, ticket: delivery.ticket, door: door)
      world.send(.claim, ticket: delivery.ticket, door: door)
      schedule(.callTimedOut(delivery.ticket, isBegin: true), after: Limits.callTime)
      schedule(.callTimedOut(delivery.ticket, isBegin: false), after: Limits.claimTime + 2_000)
    case .rejoin:
      world.problem("no daemon was restarted")
    case .awaitDaemon:
      schedule(.waitedInVain(delivery.ticket), after: Limits.busTime)
    case .answerLaunch(let error):
      if error == nil, !world.accepted.contains(delivery.ticket) { world.problem("V18: answered before begin") }
      answerLaunch(error, delivery)
    case .callWillContinue:
      delivery.willContinue += 1
      if world.random.oneIn(30) { close() }
      handle(.willReturned, delivery)
    case .callContinue:
      delivery.continued += 1
      hand(delivery, returned: Event.continueReturned)
    case .callOpenDocument:
      delivery.opened += 1
      hand(delivery, returned: Event.openReturned)
    case .callDidFail:
      delivery.failed += 1
      if world.random.oneIn(30) { close() }
    case .finish(let handled):
      delivery.finished += 1
      if let door { world.send(.finish(handled: handled), ticket: delivery.ticket, door: door) }
    case .ended:
      delivery.ended += 1
      delivery.isForgotten = true
    }
  }

  private typealias Event = DeliveryMachine.Event

  /// Calls continue or open_document.
  private func hand(_ delivery: Delivery, returned: (Bool) -> Event) {
    if world.random.oneIn(30) { close() }
    let handled = !world.random.oneIn(4)
    switch world.random.below(3) {
    case 0: handle(.restored, delivery)
    case 1: schedule(.restored(delivery.ticket), after: world.random.below(2) * world.random.below(100_000))
    default: schedule(.restored(delivery.ticket), after: world.latency())
    }
    handle(returned(handled), delivery)
  }

  private func answerLaunch(_ error: SegueError?, _ delivery: Delivery) {
    if delivery.launchIsAnswered { world.problem("the launch message was answered twice") }
    delivery.launchIsAnswered = true
    if ownsName { world.answerLaunch(delivery.ticket, error, ownerGone: false) }
  }

  // MARK: Ends

  /// segue_application_close, then the process ends.
  func close() {
    guard isRunning else { return }
    for delivery in deliveries where !delivery.isForgotten { handle(.closed, delivery) }
    end()
  }

  func exit() {
    wasKilled = true
    end()
  }

  private func end() {
    loseBus()
    isRunning = false
    if let door { world.closeDoor(door) }
    door = nil
  }

  /// The bus answers for it what it owes.
  func loseBus() {
    guard ownsName else { return }
    ownsName = false
    for delivery in deliveries where !delivery.launchIsAnswered {
      world.answerLaunch(delivery.ticket, SegueError(.applicationExited, "no reply"), ownerGone: true)
    }
  }

  func judge() {
    for delivery in deliveries {
      let outcomes = delivery.continued + delivery.failed
      let what =
        "ticket \(delivery.ticket): will \(delivery.willContinue), continue \(delivery.continued), "
        + "did_fail \(delivery.failed)"
      if delivery.willContinue > 1 || outcomes > delivery.willContinue { world.problem("V1: \(what)") }
      if outcomes < delivery.willContinue, !wasKilled { world.problem("V1: \(what)") }
      if delivery.opened > delivery.continued { world.problem("V7: opened without continue: \(what)") }
      if delivery.finished > delivery.continued { world.problem("finish without continue: \(what)") }
      if delivery.ended > 1 { world.problem("a delivery ended \(delivery.ended) times") }
      // Only a process that was killed leaves anything open.
      if !wasKilled, !delivery.isForgotten || !delivery.launchIsAnswered { world.problem("a delivery waits: \(what)") }
    }
  }
}
