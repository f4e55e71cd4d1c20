/// The continuations on their way into one application: which launch messages are taken, when a ticket may be shown at
/// the daemon's door, which delivery a new ticket belongs to, how long each waits, and what is remembered of those that
/// have ended. Each goes its way by a DeliveryMachine.
///
/// Effects are carried out in their order, and whatever follows from one of them is handed in as the next event: also
/// in the middle of a callback, whose application may run its main loop there.
///
/// `Owner` says who is at the other end of the bus: names on a bus, numbers in a simulation.
public struct Deliveries<Owner: Equatable & Sendable>: Sendable {
  /// A delivery's name: the number of its first launch message.
  public typealias Number = UInt64

  /// A launch message. Whoever received it numbers it, never twice the same, and finds it again by that.
  public struct Launch: Sendable {
    public var number: Number
    public var ticket: Identifier
    public var sender: Owner?
    /// Which continuation it is, over all its tickets; nil where the daemon does not say.
    public var continuation: Identifier?
    /// Only a process that has begun the continuation may go on with it.
    public var resumes: Bool

    public init(number: Number, ticket: Identifier, sender: Owner?, continuation: Identifier?, resumes: Bool) {
      self.number = number
      self.ticket = ticket
      self.sender = sender
      self.continuation = continuation
      self.resumes = resumes
    }
  }

  public enum Event: Sendable {
    case launched(Launch)
    /// The application can show what comes.
    case ready
    /// The bus has said who has the daemon's name, or that nobody has.
    case daemonOwner(Owner?)
    /// Nobody says any more who has the daemon's name.
    case busLost
    /// The door is open, and leads to this daemon. The same door may turn out to lead to another name.
    case doorOpened(Owner?)
    /// The door is gone. Calls that it still owed an answer fail by this, and by nothing else.
    case doorLost
    /// The daemon accepted the ticket, which lives so many milliseconds more.
    case begun(ticket: Identifier, timeLeft: UInt64)
    case beginFailed(ticket: Identifier, SegueError)
    case claimed(ticket: Identifier)
    case claimFailed(ticket: Identifier, SegueError)
    /// Callbacks have returned. `shown`: the application shows by itself that something comes.
    case willReturned(Number, shown: Bool)
    case continueReturned(Number, handled: Bool)
    case openReturned(Number, handled: Bool)
    case restored(Number)
    /// The moment of `startTimer` has come.
    case timer(Number)
    /// The application is going.
    case closed
  }

  public enum Effect: Equatable, Sendable {
    /// Show the ticket at the door, and claim right behind it.
    case begin(Number, ticket: Identifier)
    /// Show the ticket at the door; there is nothing to claim.
    case rejoin(Number, ticket: Identifier)
    /// Tell the daemon what will_continue has returned.
    case announced(ticket: Identifier, shown: Bool)
    /// Tell the daemon how it ended.
    case finish(ticket: Identifier, handled: Bool)
    /// Answer the launch message of this number.
    case answer(Number, SegueError?)
    /// The launch message that is refused came from somebody else than the daemon.
    case stranger(Owner?)
    /// In the place of the delivery's former timer.
    case startTimer(Number, at: Instant)
    case stopTimer(Number)
    case callWillContinue(Number)
    case callContinue(Number)
    case callOpenDocument(Number)
    case callDidFail(Number, SegueError)
    /// The application is told no more of it; its timer is stopped too.
    case ended(Number)
  }

  private struct Delivery: Sendable {
    let number: Number
    /// What came last for it.
    var launch: Launch
    var machine = DeliveryMachine()
    /// Whether the daemon sent it.
    var isGenuine = false
    /// Whether the last launch message was answered; a restoration may then take as long as the application likes.
    var isAnswered = false
    /// A new ticket came that was not shown yet.
    var isRelaunched = false
    /// The ticket was shown without a claim, and the daemon has not answered.
    var isRejoining = false
    /// The next daemon is waited for.
    var isWaiting = false
    /// When its first ticket ends.
    var deadline: Instant?

    var isUnderWay: Bool { !machine.isEnded }
    /// A daemon that has lost the news of its end may ask for it.
    var isRemembered: Bool { launch.continuation != nil && machine.isAnnounced }
  }

  /// Those under way, and the last ones that have ended, in the order in which they came.
  private var all: [Delivery] = []
  private var isReady = false
  private var isClosed = false
  private var daemonOwner: Owner?
  private var daemonOwnerIsKnown = false
  private var doorIsOpen = false
  private var doorOwner: Owner?
  /// What the event that is being handled has led to.
  private var effects: [Effect] = []

  public init() {}

  /// The delivery that waits for what becomes of this ticket; nil where a newer ticket counts, or none.
  public func delivery(of ticket: Identifier) -> Number? { all.first { $0.launch.ticket == ticket }?.number }

  /// Whether the application may still be told something of it.
  public func isUnderWay(_ number: Number) -> Bool { all.contains { $0.number == number && $0.isUnderWay } }

  /// Whether tickets can be shown: to the daemon that sends them now, not to one that is just ending.
  private var mayBegin: Bool { isReady && doorIsOpen && doorOwner == daemonOwner }

  // MARK: Events

  public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    switch event {
    case .launched(let launch):
      launched(launch, now)
    case .ready:
      isReady = true
      tryAll(now)
    case .daemonOwner(let owner):
      daemonOwner = owner
      daemonOwnerIsKnown = true
      for delivery in all where !delivery.isGenuine { check(delivery.number, now) }
    case .busLost:
      daemonOwner = nil
      daemonOwnerIsKnown = false
    case .doorOpened(let owner):
      doorIsOpen = true
      doorOwner = owner
      tryAll(now)
    case .doorLost:
      doorIsOpen = false
      for delivery in all {
        if delivery.isRejoining { step(delivery.number, .rejoinFailed(DeliveryFailure.daemonGone), now) }
        step(delivery.number, .doorLost, now)
      }
    case .begun(let ticket, let timeLeft):
      guard let index = all.firstIndex(where: { $0.launch.ticket == ticket }) else { break }
      if all[index].deadline == nil { all[index].deadline = now + min(timeLeft, Limits.ticketTime) }
      step(all[index].number, all[index].isRejoining ? .rejoined : .begun, now)
    case .beginFailed(let ticket, let error):
      guard let delivery = all.first(where: { $0.launch.ticket == ticket }) else { break }
      step(delivery.number, delivery.isRejoining ? .rejoinFailed(error) : .beginFailed(error), now)
    case .claimed(let ticket):
      if let number = delivery(of: ticket) { step(number, .claimed, now) }
    case .claimFailed(let ticket, let error):
      if let number = delivery(of: ticket) { step(number, .claimFailed(error), now) }
    case .willReturned(let number, let shown):
      guard let delivery = all.first(where: { $0.number == number }) else { break }
      effects.append(.announced(ticket: delivery.launch.ticket, shown: shown))
      step(number, .willReturned, now)
    case .continueReturned(let number, let handled):
      step(number, .continueReturned(handled: handled), now)
    case .openReturned(let number, let handled):
      step(number, .openReturned(handled: handled), now)
    case .restored(let number):
      step(number, .restored, now)
    case .timer(let number):
      expire(number, now)
    case .closed:
      isClosed = true
      for delivery in all { step(delivery.number, .closed, now) }
      all = []
    }
    defer { effects = [] }
    return effects
  }

  // MARK: Launch messages

  private mutating func launched(_ launch: Launch, _ now: Instant) {
    guard !isClosed else { return refuse(launch, DeliveryFailure.closed) }
    guard all.count(where: { $0.isUnderWay && !$0.isAnswered }) < Limits.deliveriesWaiting,
      !all.contains(where: { $0.isUnderWay && $0.launch.ticket == launch.ticket })
    else { return refuse(launch, DeliveryFailure.tooMany) }
    all.append(Delivery(number: launch.number, launch: launch))
    effects.append(.startTimer(launch.number, at: now + Limits.launchTime))
    if daemonOwnerIsKnown { check(launch.number, now) }
  }

  /// Only the daemon may launch a continuation; before its name's owner is known, messages wait.
  private mutating func check(_ number: Number, _ now: Instant) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    let launch = all[index].launch
    guard launch.sender != nil, launch.sender == daemonOwner else {
      effects.append(.stranger(launch.sender))
      all.remove(at: index)
      return refuse(launch, DeliveryFailure.stranger)
    }
    all[index].isGenuine = true
    if let continuation = launch.continuation,
      let known = all.firstIndex(where: {
        $0.isGenuine && $0.number != number && $0.launch.continuation == continuation
      })
    {
      relaunched(all[known].number, by: launch, now)
    } else if launch.resumes {
      all.remove(at: index)
      refuse(launch, DeliveryFailure.unknown)
    } else if mayBegin {
      tryToBegin(number, now)
    }
  }

  private mutating func refuse(_ launch: Launch, _ error: SegueError) {
    effects.append(.answer(launch.number, error))
    effects.append(.ended(launch.number))
  }

  /// A daemon that was restarted goes on with a continuation that is known here (semantics X9).
  private mutating func relaunched(_ number: Number, by launch: Launch, _ now: Instant) {
    all.removeAll { $0.number == launch.number }
    effects.append(.ended(launch.number))
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    if !all[index].isAnswered { effects.append(.answer(all[index].launch.number, DeliveryFailure.replaced)) }
    all[index].launch = launch
    all[index].isAnswered = false
    all[index].isRejoining = false
    all[index].isRelaunched = !all[index].machine.isWaiting
    all[index].isWaiting = false
    if mayBegin { tryToBegin(number, now) }
  }

  // MARK: The way of one

  private mutating func tryAll(_ now: Instant) {
    guard mayBegin else { return }
    for delivery in all { tryToBegin(delivery.number, now) }
  }

  /// Tickets can be shown.
  private mutating func tryToBegin(_ number: Number, _ now: Instant) {
    guard let index = all.firstIndex(where: { $0.number == number }), all[index].isGenuine else { return }
    if all[index].isRelaunched {
      all[index].isRelaunched = false
      return step(number, .relaunched, now)
    }
    step(number, .ready, now)
    // A daemon that knows the continuation sends its launch message as soon as it is up.
    if all[index].isWaiting { wait(index, Limits.busTime, now) }
  }

  private mutating func step(_ number: Number, _ event: DeliveryMachine.Event, _ now: Instant) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    let ticket = all[index].launch.ticket
    switch event {
    case .rejoined, .rejoinFailed: all[index].isRejoining = false
    default: break
    }
    for effect in all[index].machine.handle(event) {
      switch effect {
      case .begin:
        all[index].isWaiting = false
        effects.append(.stopTimer(number))
        effects.append(.begin(number, ticket: ticket))
      case .rejoin:
        all[index].isRejoining = true
        effects.append(.rejoin(number, ticket: ticket))
      case .awaitDaemon:
        // Where the door was lost and opened again in a main loop inside will_continue, the daemon is there already.
        wait(index, mayBegin ? Limits.busTime : Limits.ticketTime, now)
      case .answerLaunch(let error):
        all[index].isAnswered = true
        effects.append(.answer(all[index].launch.number, error))
      case .callWillContinue: effects.append(.callWillContinue(number))
      case .callContinue: effects.append(.callContinue(number))
      case .callOpenDocument: effects.append(.callOpenDocument(number))
      case .callDidFail(let error): effects.append(.callDidFail(number, error))
      case .finish(let handled): effects.append(.finish(ticket: ticket, handled: handled))
      case .ended: effects.append(.ended(number))
      }
    }
    forgetEnded()
  }

  /// Waits for the next daemon: as long as that may take, and for a moment once it is there.
  private mutating func wait(_ index: Int, _ time: UInt64, _ now: Instant) {
    all[index].isWaiting = true
    let left = all[index].deadline.map { now.time(until: $0) } ?? Limits.launchTime
    effects.append(.startTimer(all[index].number, at: now + min(time, left)))
  }

  private mutating func expire(_ number: Number, _ now: Instant) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    if all[index].machine.isWaiting {
      let launch = all.remove(at: index).launch
      effects.append(.answer(launch.number, DeliveryFailure.notReady))
      effects.append(.ended(number))
    } else {
      all[index].isWaiting = false
      step(number, .waitedInVain(DeliveryFailure.daemonGone), now)
    }
  }

  private mutating func forgetEnded() {
    all.removeAll { !$0.isUnderWay && !$0.isRemembered }
    while all.count(where: { !$0.isUnderWay }) > Limits.deliveriesRemembered,
      let oldest = all.firstIndex(where: { !$0.isUnderWay })
    {
      all.remove(at: oldest)
    }
  }
}

/// What launch messages are refused with, and what did_fail gets.
private enum DeliveryFailure {
  static let closed = SegueError(.applicationExited, "The application is closing.")
  static let tooMany = SegueError(.limitExceeded, "Too many continuations at once, or this one again.")
  static let stranger = SegueError(.accessDenied, "Only the Segue daemon may launch a continuation.")
  static let unknown = SegueError(.notFound, "This process does not know the continuation.")
  static let replaced = SegueError(.notFound, "There is a newer launch message.")
  /// The daemon has given up.
  static let notReady = SegueError(.launchTimedOut, "The application was not ready in time.")
  static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon went away while the activity was on its way.", advice: "Continue again.")
}
