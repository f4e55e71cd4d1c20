import SegueBus
import SegueClient
import SegueCore

/// Continuations that arrive: the launch messages on the session bus, the calls at the door after them, and the
/// callbacks. A part of the application, which carries out the decisions of Deliveries.
final class Arrivals {
  typealias Number = Deliveries<BusName>.Number

  /// The state of a continuation that is on its way.
  private final class Arrival {
    let number: Number
    let type: ActivityType
    let activationToken: String
    var timer: LoopTimer?
    /// The timer until the log says that the continuation waits for the application to be ready.
    var unready: LoopTimer?
    var continuation: Continuation?
    var activity: Activity?
    /// The file that the activity is about, if this device has it.
    var document: FileURL?
    var restoration: Restoration?
    /// The ticket of the launch message at the door, and the info that came with it.
    var begin: (ticket: Identifier, info: DoorBegin)?
    /// The window in which continue should show it, which the application may drop.
    var windowNumber: UInt64?

    init(_ number: Number, _ type: ActivityType, activationToken: String) {
      self.number = number
      self.type = type
      self.activationToken = activationToken
    }
  }

  private unowned(unsafe) let application: Application
  private var deliveries = Deliveries<BusName>()
  /// The arrivals that have not ended, in the order in which they came.
  private var arrivals: [Arrival] = []
  /// The launch messages that are not answered yet, by number.
  private var messages: [Number: Invocation] = [:]
  private var messageCount: Number = 0
  private var isReady = false
  /// Messages for which nobody waits: they leave at the end of the dispatch, behind the callbacks. A process that
  /// they wake would run before the application has its activity.
  private var unhurried: [() -> Void] = []

  init(_ application: Application) { self.application = application }

  /// The activity of a continuation that is on its way into the application and names this file.
  func activity(of url: FileURL) -> Activity? {
    for arrival in arrivals where deliveries.isUnderWay(arrival.number) {
      guard let activity = arrival.activity, !activity.isInvalid,
        FileURL(documentIn: activity.userInfo) == url
      else { continue }
      return activity
    }
    return nil
  }

  /// The type of the first continuation that waits for the application to be ready; nil once it is.
  var launchType: ActivityType? { deliveries.waiting.flatMap { arrival($0)?.type } }

  // MARK: Arrivals

  func launchObject() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.applicationInterface,
        methods: [
          BusMethod(
            "WillContinue",
            in: [BusArgument("ticket", "s"), BusArgument("type", "s"), BusArgument("platform_data", "a{sv}")]
          ) { [self] arguments, invocation in willContinue(arguments, invocation) }
        ])
    ])
  }

  private func willContinue(_ arguments: [BusValue], _ invocation: Invocation) {
    guard arguments.count == 3, let ticket = arguments[0].asString.flatMap({ Identifier(hex: $0) }),
      let type = arguments[1].asString.flatMap({ ActivityType($0) }), arguments[2].asDictionary != nil
    else { return invocation.fail(SegueError(.invalidArgument, "This is not a launch message.")) }
    let options = CallOptions(of: arguments[2])
    note(type, options, invocation)
    handle(
      .launched(
        .init(
          number: messageCount, ticket: ticket, sender: invocation.sender,
          continuation: options.continuation, resumes: options.resumes ?? false)))
  }

  /// A launch message from the daemon to this process, which runs. It is refused by a process that does not own the
  /// application's name: the daemon then asks the bus who does.
  func willContinueAtDoor(_ arguments: [BusValue], _ invocation: Invocation) {
    guard application.registration.status == .registered, let daemon = deliveries.doorOwner else {
      return invocation.fail(SegueError(.notFound, "This process does not own the application's name."))
    }
    do throws(SegueError) {
      guard arguments.count == 3, let ticket = arguments[0].asString.flatMap({ Identifier(hex: $0) }) else {
        throw SegueError(.invalidArgument, "This is not a launch message.")
      }
      let info = try DoorBegin(arguments[1].asDictionary ?? BusDictionary())
      let arrival = note(info.type, CallOptions(of: arguments[2]), invocation)
      arrival.begin = (ticket, info)
      handle(
        .launched(
          .init(number: messageCount, ticket: ticket, sender: daemon, continuation: info.continuation, resumes: false)))
      // If the message waits until the application is ready, the daemon may have changed its mind by then, and is asked.
      arrival.begin = nil
    } catch {
      invocation.fail(error)
    }
  }

  /// The arrival of a launch message, which has the last number.
  @discardableResult private func note(
    _ type: ActivityType, _ options: CallOptions, _ invocation: Invocation
  ) -> Arrival {
    messageCount &+= 1
    messages[messageCount] = invocation
    let arrival = Arrival(messageCount, type, activationToken: options.activationToken ?? "")
    arrivals.append(arrival)
    if !isReady { warnLater(of: arrival) }
    return arrival
  }

  /// Warns the developer later: an application that does not become ready looks as if no continuation came.
  private func warnLater(of arrival: Arrival) {
    arrival.unready = application.loop.timer(after: Limits.readyTime) { [self] in
      guard !isReady else { return }
      application.warn(
        "a continuation of \(arrival.type.string) waits until segue_application_ready is called", .notReady)
    }
  }

  func handle(_ event: Deliveries<BusName>.Event) {
    if case .ready = event { isReady = true }
    for effect in deliveries.handle(event, at: .now) { perform(effect) }
  }

  /// Called when the application has closed, and Deliveries knows.
  func close() {
    sendUnhurried()
    arrivals = []
    messages = [:]
  }

  // MARK: Decisions

  private static let givenUp = "a continuation was given up: segue_application_ready was not called in time"

  private var door: Door? { application.registration.door }

  private func arrival(_ number: Number) -> Arrival? { arrivals.first { $0.number == number } }

  private func perform(_ effect: Deliveries<BusName>.Effect) {
    switch effect {
    case .begin(let number, let ticket):
      begin(number, ticket, claims: true)
    case .rejoin(let number, let ticket):
      begin(number, ticket, claims: false)
    case .announced(let ticket, let shown):
      sendLast { [self] in door?.announced(ticket.hex, shown: shown) }
    case .finish(let ticket, let handled):
      // The door keeps the order of the two.
      sendUnhurried()
      door?.finish(ticket.hex, handled: handled)
    case .answer(let number, let error):
      guard let invocation = messages.removeValue(forKey: number) else { return }
      if let error, error.code == .launchTimedOut { application.warn(Self.givenUp, .notReady) }
      if let error { return invocation.fail(error) }
      // The bus, and the log of a launch that failed, would take an application that ends in a callback for one that did
      // not begin.
      if invocation.connection.isBus { invocation.reply() } else { sendLast { invocation.reply() } }
    case .otherSender(let sender):
      application.log(
        "a launch message came from \(sender?.string ?? "nobody"), which is not the daemon; refused")
    case .startTimer(let number, let deadline):
      guard let arrival = arrival(number) else { return }
      arrival.timer?.cancel()
      arrival.timer = application.loop.timer(at: deadline) { [self] in handle(.timer(number)) }
    case .stopTimer(let number):
      arrival(number)?.timer?.cancel()
    case .callWillContinue(let number):
      guard let continuation = arrival(number)?.continuation else { return }
      let shown = application.delegate.willContinue?(application, continuation) ?? false
      handle(.willReturned(number, shown: shown))
    case .callContinue(let number):
      callContinue(number)
    case .callOpenDocument(let number):
      callOpenDocument(number)
    case .callDidFail(let number, let error):
      guard let continuation = arrival(number)?.continuation else { return }
      application.delegate.didFail?(application, continuation, error)
    case .ended(let number):
      guard let arrival = arrival(number) else { return }
      arrivals.removeAll { $0 === arrival }
      arrival.timer?.cancel()
      arrival.unready?.cancel()
      arrival.restoration?.cancel()
      // A callback that is still running may hold the arrival.
      arrival.continuation = nil
      arrival.activity = nil
      arrival.restoration = nil
    }
  }

  private func sendLast(_ send: @escaping () -> Void) {
    unhurried.append(send)
    if unhurried.count == 1 { application.loop.soon { [self] in sendUnhurried() } }
  }

  private func sendUnhurried() {
    let waiting = unhurried
    unhurried = []
    for send in waiting { send() }
  }

  // MARK: At the door

  /// Both calls leave at once; the door keeps their order. The answer about a ticket that another has replaced is
  /// ignored, and the door's end reports calls that failed with it. Where the launch message has said what is coming, only
  /// the claim is answered, with an error too if the daemon does not take the ticket.
  private func begin(_ number: Number, _ ticket: Identifier, claims: Bool) {
    guard let door else { return }
    let showsFailure = application.delegate.didFail != nil
    if claims, let begin = arrival(number)?.begin, begin.ticket == ticket {
      door.begin(ticket.hex, showsFailure: showsFailure, nil)
      claim(number, ticket, door)
      meet(number, begin.info)
      return handle(.begun(ticket: ticket, timeLeft: begin.info.timeLeft))
    }
    door.begin(ticket.hex, showsFailure: showsFailure) { [self] result in
      guard deliveries.delivery(of: ticket) == number else { return }
      switch result {
      case .success(let info):
        if claims { meet(number, info) }
        handle(.begun(ticket: ticket, timeLeft: info.timeLeft))
      case .failure(let error):
        if door.isOpen { handle(.beginFailed(ticket: ticket, error)) }
      }
    }
    if claims { claim(number, ticket, door) }
  }

  private func claim(_ number: Number, _ ticket: Identifier, _ door: Door) {
    door.claim(ticket.hex) { [self] result in
      guard deliveries.delivery(of: ticket) == number else { return }
      do throws(SegueError) {
        try take(number, try result.get())
        handle(.claimed(ticket: ticket))
      } catch {
        if door.isOpen { handle(.claimFailed(ticket: ticket, error)) }
      }
    }
  }

  /// The daemon says what is coming.
  private func meet(_ number: Number, _ info: DoorBegin) {
    guard let arrival = arrival(number), arrival.continuation == nil else { return }
    arrival.continuation = Continuation(info, activationToken: arrival.activationToken)
  }

  /// Takes the payload, which has come.
  private func take(_ number: Number, _ snapshot: Snapshot) throws(SegueError) {
    var userInfo = try UserInfo.decode(snapshot.userInfo)
    let deviceKeys = DeviceKeys.take(from: &userInfo)
    guard let arrival = arrival(number) else { return }
    arrival.continuation?.arrived(snapshot)
    arrival.document = snapshot.document == .here ? FileURL(documentIn: userInfo) : nil
    arrival.activity = Activity(
      application: application, type: snapshot.type,
      content: Activity.Content(
        attributes: ActivityAttributes(
          title: snapshot.title, webpageURL: snapshot.webpageURL, userInfo: userInfo,
          targetContentIdentifier: snapshot.targetContentIdentifier),
        deviceKeys: deviceKeys,
        history: ActivityHistory(continuedFrom: ActivityReference(id: snapshot.id, revision: snapshot.revision))),
      continuation: arrival.continuation?.id, external: 0)
  }

  // MARK: In the application

  private func callContinue(_ number: Number) {
    guard let arrival = arrival(number) else { return }
    let window = arrival.activity.flatMap { application.focus.chooseWindow(for: $0) }
    arrival.windowNumber = window?.number
    var callback = application.delegate.continueActivity
    if let window, let continueActivity = window.windowMethods.continueActivity {
      callback = { _, activity, restoration in continueActivity(window, activity, restoration) }
    }
    hand(arrival, over: callback) { .continueReturned(number, handled: $0) }
  }

  /// Opens the document of an activity that continue did not take, if it has one (semantics V7).
  private func callOpenDocument(_ number: Number) {
    guard let arrival = arrival(number) else { return }
    arrival.restoration?.cancel()
    var open: ((Application, Activity, Restoration) -> Bool)?
    if let openDocument = application.delegate.openDocument, let url = arrival.document {
      open = { openDocument($0, url, $1, $2) }
    }
    hand(arrival, over: open) { .openReturned(number, handled: $0) }
  }

  /// Hands the activity, and a restoration handler, to the application.
  private func hand(
    _ arrival: Arrival, over callback: ((Application, Activity, Restoration) -> Bool)?,
    returned: (Bool) -> Deliveries<BusName>.Event
  ) {
    guard let activity = arrival.activity, let continuation = arrival.continuation, let callback else {
      return handle(returned(false))
    }
    activity.restoring(true)
    let number = arrival.number
    let restoration = Restoration(application: application, continuation) { [self] outcome in
      guard case .restore(let responders) = outcome else {
        activity.restoring(false)
        return handle(.restoreFailed(number))
      }
      let numbers = Set(responders.map { $0.number })
      for responder in responders where !application.isClosed && responder.isHeld {
        responder.restore(fromContinued: activity, beside: numbers)
      }
      activity.restoring(false)
      handle(.restored(number))
    }
    arrival.restoration = restoration
    restoration.windowNumber = arrival.windowNumber
    let handled = callback(application, activity, restoration)
    if !handled { activity.restoring(false) }
    handle(returned(handled))
    restoration.continueReturned()
  }
}
