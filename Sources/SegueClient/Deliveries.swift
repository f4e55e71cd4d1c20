import SegueCore

/// All continuations that are being delivered to one application. Decides which launch messages are accepted, when a
/// ticket may be shown at the daemon's door, which delivery a new ticket belongs to, how long each waits, and what is
/// remembered of those that have ended. Each delivery has a DeliveryMachine.
///
/// The caller carries out effects in their order, and hands in the consequence of an effect as the next event. That may
/// happen within a callback, since the application may run its main loop there.
///
/// `Owner` identifies the process at the other end: by its bus name, or by a number in the simulator.
public struct Deliveries<Owner: Equatable & Sendable>: Sendable {
  /// A delivery's name: the number of its first launch message.
  public typealias Number = UInt64

  /// A launch message. The receiver gives it a number that is never used again, to find it by.
  public struct Launch: Sendable {
    public var number: Number
    public var ticket: Identifier
    public var sender: Owner?
    /// The continuation's id, which stays the same over all its tickets; nil if the daemon does not say.
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
    /// The bus has said which process owns the daemon's name, or that none does.
    case daemonOwner(Owner?)
    /// The bus is gone, so the owner of the daemon's name is not known any more.
    case busLost
    /// The door is open, and leads to this daemon. May be told again with another name for the same door.
    case doorOpened(Owner?)
    /// The door is gone. Calls without an answer fail by this event, and by no other.
    case doorLost
    /// The daemon accepted the ticket, which is valid for so many more milliseconds.
    case begun(ticket: Identifier, timeLeft: UInt64)
    case beginFailed(ticket: Identifier, SegueError)
    case claimed(ticket: Identifier)
    case claimFailed(ticket: Identifier, SegueError)
    /// Callbacks have returned. `shown`: the application shows by itself that something comes.
    case willReturned(Number, shown: Bool)
    case continueReturned(Number, handled: Bool)
    case openReturned(Number, handled: Bool)
    case restored(Number)
    case restoreFailed(Number)
    /// The moment of `startTimer` has come.
    case timer(Number)
    /// The application is closing.
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
    /// Answer the launch message with this number.
    case answer(Number, SegueError?)
    /// A launch message was refused because its sender is not the daemon.
    case otherSender(Owner?)
    /// In the place of the delivery's former timer.
    case startTimer(Number, at: Instant)
    case stopTimer(Number)
    case callWillContinue(Number)
    case callContinue(Number)
    case callOpenDocument(Number)
    case callDidFail(Number, SegueError)
    /// The application is told nothing more about this delivery; its timer is to be stopped too.
    case ended(Number)
  }

  /// A delivery that is under way, or has ended.
  private struct Delivery: Sendable {
    let number: Number
    /// The last launch message for it.
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
    /// It waits for the next daemon.
    var isWaiting = false
    /// When its first ticket expires.
    var deadline: Instant?
    /// It was refused, or joined to another.
    var isGone = false

    var isUnderWay: Bool { !isGone && !machine.isEnded }
    /// It has ended, and is remembered since a daemon that lost the news of that may ask again.
    var isRemembered: Bool { !isGone && launch.continuation != nil && machine.isAnnounced }

    init(_ launch: Launch) {
      number = launch.number
      self.launch = launch
    }

    mutating func answer(_ error: SegueError?, _ effects: inout [Effect]) {
      isAnswered = true
      effects.append(.answer(launch.number, error))
    }

    mutating func refuse(_ error: SegueError, _ effects: inout [Effect]) {
      answer(error, &effects)
      end(&effects)
    }

    mutating func end(_ effects: inout [Effect]) {
      isGone = true
      effects.append(.ended(number))
    }

    /// A restarted daemon goes on with it, by a new launch message (semantics X9).
    mutating func relaunch(by launch: Launch, _ effects: inout [Effect]) {
      if !isAnswered { answer(DeliveryFailure.replaced, &effects) }
      self.launch = launch
      isAnswered = false
      isRejoining = false
      isRelaunched = !machine.isWaiting
      isWaiting = false
    }

    /// Tickets can be shown.
    mutating func begin(_ now: Instant, _ effects: inout [Effect]) {
      guard isGenuine else { return }
      guard !isRelaunched else {
        isRelaunched = false
        return step(.relaunched, mayBegin: true, now, &effects)
      }
      step(.ready, mayBegin: true, now, &effects)
      // A daemon that knows the continuation sends its launch message as soon as it is up.
      if isWaiting { wait(Limits.busTime, now, &effects) }
    }

    mutating func step(
      _ event: DeliveryMachine.Event, mayBegin: Bool, _ now: Instant, _ effects: inout [Effect]
    ) {
      for effect in machine.handle(event) {
        switch effect {
        case .begin:
          isWaiting = false
          effects.append(.stopTimer(number))
          effects.append(.begin(number, ticket: launch.ticket))
        case .rejoin:
          isRejoining = true
          effects.append(.rejoin(number, ticket: launch.ticket))
        case .awaitDaemon:
          // Where the door was lost and opened again in a main loop inside will_continue, the daemon is there already.
          wait(mayBegin ? Limits.busTime : Limits.ticketTime, now, &effects)
        case .answerLaunch(let error): answer(error, &effects)
        case .callWillContinue: effects.append(.callWillContinue(number))
        case .callContinue: effects.append(.callContinue(number))
        case .callOpenDocument: effects.append(.callOpenDocument(number))
        case .callDidFail(let error): effects.append(.callDidFail(number, error))
        case .finish(let handled): effects.append(.finish(ticket: launch.ticket, handled: handled))
        case .ended: effects.append(.ended(number))
        }
      }
    }

    /// Waits for the next daemon: as long as its start may take, and a moment longer once it is there.
    private mutating func wait(_ time: UInt64, _ now: Instant, _ effects: inout [Effect]) {
      isWaiting = true
      let left = deadline.map { now.time(until: $0) } ?? Limits.launchTime
      effects.append(.startTimer(number, at: now + min(time, left)))
    }
  }

  /// The deliveries that are under way, and the last that have ended, in the order in which they came.
  private var all: [Delivery] = []
  private var isReady = false
  private var isClosed = false
  private var daemonOwner: Owner?
  private var daemonOwnerIsKnown = false
  private var doorIsOpen = false
  /// The daemon to which the door leads.
  public private(set) var doorOwner: Owner?

  public init() {}

  /// The delivery that waits for the answer to this ticket; nil if a newer ticket has replaced it, or no delivery
  /// waits.
  public func delivery(of ticket: Identifier) -> Number? { index(ticket).map { all[$0].number } }

  /// The first delivery that waits for the application to be ready; nil once it is.
  public var waiting: Number? { isReady ? nil : all.first { $0.isGenuine && $0.isUnderWay }?.number }

  /// Whether the application may still be told something about this delivery.
  public func isUnderWay(_ number: Number) -> Bool { index(number).map { all[$0].isUnderWay } ?? false }

  private func index(_ number: Number) -> Int? { all.firstIndex { $0.number == number } }

  private func index(_ ticket: Identifier) -> Int? { all.firstIndex { $0.launch.ticket == ticket } }

  /// Whether tickets can be shown: the door must lead to the daemon that sends them, and not to one that is just
  /// ending.
  private var mayBegin: Bool { isReady && doorIsOpen && doorOwner == daemonOwner }

  // MARK: Events

  public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .launched(let launch):
      launched(launch, now, &effects)
    case .ready:
      isReady = true
      beginAll(now, &effects)
    case .daemonOwner(let owner):
      daemonOwner = owner
      daemonOwnerIsKnown = true
      for index in all.indices where !all[index].isGenuine { check(index, now, &effects) }
    case .busLost:
      daemonOwner = nil
      daemonOwnerIsKnown = false
    case .doorOpened(let owner):
      doorIsOpen = true
      doorOwner = owner
      beginAll(now, &effects)
    case .doorLost:
      doorIsOpen = false
      for index in all.indices {
        rejoined(index, .rejoinFailed(DeliveryFailure.daemonGone), now, &effects)
        step(index, .doorLost, now, &effects)
      }
    case .begun(let ticket, let timeLeft):
      guard let index = index(ticket), !rejoined(index, .rejoined, now, &effects) else { break }
      if all[index].deadline == nil { all[index].deadline = now + min(timeLeft, Limits.ticketTime) }
      step(index, .begun, now, &effects)
    case .beginFailed(let ticket, let error):
      guard let index = index(ticket), !rejoined(index, .rejoinFailed(error), now, &effects) else { break }
      step(index, .beginFailed(error), now, &effects)
    case .claimed(let ticket):
      step(index(ticket), .claimed, now, &effects)
    case .claimFailed(let ticket, let error):
      step(index(ticket), .claimFailed(error), now, &effects)
    case .willReturned(let number, let shown):
      guard let index = index(number) else { break }
      effects.append(.announced(ticket: all[index].launch.ticket, shown: shown))
      step(index, .willReturned, now, &effects)
    case .continueReturned(let number, let handled):
      step(index(number), .continueReturned(handled: handled), now, &effects)
    case .openReturned(let number, let handled):
      step(index(number), .openReturned(handled: handled), now, &effects)
    case .restored(let number):
      step(index(number), .restored, now, &effects)
    case .restoreFailed(let number):
      step(index(number), .restoreFailed, now, &effects)
    case .timer(let number):
      guard let index = index(number) else { break }
      if all[index].machine.isWaiting {
        all[index].refuse(DeliveryFailure.notReady, &effects)
      } else {
        all[index].isWaiting = false
        step(index, .waitedInVain(DeliveryFailure.daemonGone), now, &effects)
      }
    case .closed:
      isClosed = true
      for index in all.indices { step(index, .closed, now, &effects) }
      all = []
    }
    forgetEnded()
    return effects
  }

  private mutating func step(
    _ index: Int?, _ event: DeliveryMachine.Event, _ now: Instant, _ effects: inout [Effect]
  ) {
    if let index { all[index].step(event, mayBegin: mayBegin, now, &effects) }
  }

  /// The daemon's answer to a ticket that was shown without a claim. Returns false if the ticket was claimed too.
  @discardableResult private mutating func rejoined(
    _ index: Int, _ event: DeliveryMachine.Event, _ now: Instant, _ effects: inout [Effect]
  ) -> Bool {
    guard all[index].isRejoining else { return false }
    all[index].isRejoining = false
    step(index, event, now, &effects)
    return true
  }

  private mutating func beginAll(_ now: Instant, _ effects: inout [Effect]) {
    guard mayBegin else { return }
    for index in all.indices { all[index].begin(now, &effects) }
  }

  private mutating func forgetEnded() {
    all.removeAll { !$0.isUnderWay && !$0.isRemembered }
    while all.count(where: { !$0.isUnderWay }) > Limits.deliveriesRemembered,
      let oldest = all.firstIndex(where: { !$0.isUnderWay })
    {
      all.remove(at: oldest)
    }
  }

  // MARK: Launch messages

  private mutating func launched(_ launch: Launch, _ now: Instant, _ effects: inout [Effect]) {
    let isTaken = all.contains { $0.isUnderWay && $0.launch.ticket == launch.ticket }
    let waiting = all.count { $0.isUnderWay && !$0.isAnswered }
    all.append(Delivery(launch))
    let index = all.count &- 1
    guard !isClosed else { return all[index].refuse(DeliveryFailure.closed, &effects) }
    guard !isTaken, waiting < Limits.deliveriesWaiting else {
      return all[index].refuse(DeliveryFailure.tooMany, &effects)
    }
    effects.append(.startTimer(launch.number, at: now + Limits.launchTime))
    if daemonOwnerIsKnown { check(index, now, &effects) }
  }

  /// Only the daemon may launch a continuation. Until the owner of its name is known, launch messages wait.
  private mutating func check(_ index: Int, _ now: Instant, _ effects: inout [Effect]) {
    let launch = all[index].launch
    guard launch.sender != nil, launch.sender == daemonOwner else {
      effects.append(.otherSender(launch.sender))
      return all[index].refuse(DeliveryFailure.otherSender, &effects)
    }
    let known = launch.continuation.flatMap { continuation in
      all.firstIndex { $0.isGenuine && !$0.isGone && $0.launch.continuation == continuation }
    }
    if let known {
      all[index].end(&effects)
      all[known].relaunch(by: launch, &effects)
      if mayBegin { all[known].begin(now, &effects) }
    } else if launch.resumes {
      all[index].refuse(DeliveryFailure.unknown, &effects)
    } else {
      all[index].isGenuine = true
      if mayBegin { all[index].begin(now, &effects) }
    }
  }
}

/// The errors with which launch messages are refused, and which did_fail gets.
private enum DeliveryFailure {
  static let closed = SegueError(.applicationExited, "The application is closing.")
  static let tooMany = SegueError(.limitExceeded, "Too many continuations at once, or this one again.")
  static let otherSender = SegueError(.accessDenied, "Only the Segue daemon may launch a continuation.")
  static let unknown = SegueError(.notFound, "This process does not know the continuation.")
  static let replaced = SegueError(.notFound, "There is a newer launch message.")
  /// The daemon has given up.
  static let notReady = SegueError(.launchTimedOut, "The application was not ready in time.")
  static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon went away while the activity was on its way.", advice: "Continue again.")
}
