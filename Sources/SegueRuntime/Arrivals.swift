import SegueBus
import SegueCore

// Continuations that arrive: the launch message on the session bus, and what follows at the door.

extension Application {
  /// Launch messages that may wait at once, for ready or for the daemon's name.
  private static let deliveriesMaximum = 16
  /// Ended ones that are remembered for a daemon that has lost the news.
  private static let pastDeliveriesMaximum = 16

  /// The application's windows can be made: what launched it may begin.
  public func ready() {
    isReady = true
    deliveriesMayBegin()
  }

  func deliveriesMayBegin() {
    guard mayBegin else { return }
    for delivery in deliveries { delivery.doorIsOpen() }
    for delivery in pastDeliveries { delivery.doorIsOpen() }
  }

  /// Whether tickets can be shown: to the daemon that sends them now, not to one that is just ending.
  fileprivate var mayBegin: Bool { isReady && door != nil && doorOwner == daemonOwner }

  func launchObject() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.applicationInterface,
        methods: [
          BusMethod(
            "WillContinue",
            in: [BusArgument("ticket", "s"), BusArgument("type", "s"), BusArgument("platform_data", "a{sv}")]
          ) { [self] _, arguments, invocation in willContinue(arguments, invocation) }
        ])
    ])
  }

  private func willContinue(_ arguments: [BusValue], _ invocation: Invocation) {
    guard arguments.count == 3, let ticket = arguments[0].asString, Identifier(hex: ticket) != nil,
      arguments[1].asString.flatMap({ ActivityType($0) }) != nil, let platform = arguments[2].asDictionary
    else { return invocation.fail(SegueError(.invalidArgument, "This is no launch message.")) }
    guard deliveries.count(where: { !$0.hasBegun }) < Self.deliveriesMaximum,
      !deliveries.contains(where: { $0.ticket == ticket })
    else {
      return invocation.fail(SegueError(.limitExceeded, "Too many continuations at once, or this one again."))
    }
    let delivery = Delivery(
      application: self, ticket: ticket, invocation: invocation,
      continuation: platform["continuation"]?.asString.flatMap { Identifier(hex: $0) },
      resumes: platform["resumes"]?.asBool ?? false, activationToken: platform["activation-token"]?.asString ?? "")
    deliveries.append(delivery)
    delivery.timer = loop.timer(after: Limits.launchTime) { delivery.expire() }
    if daemonOwnerIsKnown { check(delivery) }
  }

  /// Only the daemon may launch a continuation; before its name's owner is known, messages wait.
  private func check(_ delivery: Delivery) {
    guard delivery.sender != nil, delivery.sender == daemonOwner else {
      log("a launch message came from \(delivery.sender?.string ?? "nobody"), which is not the daemon; refused")
      return delivery.refuse(SegueError(.accessDenied, "Only the Segue daemon may launch a continuation."))
    }
    delivery.isGenuine = true
    if let known = known(delivery) {
      deliveries.removeAll { $0 === delivery }
      return known.relaunched(by: delivery)
    }
    guard !delivery.resumes else {
      return delivery.refuse(SegueError(.notFound, "This process does not know the continuation."))
    }
    if mayBegin { delivery.doorIsOpen() }
  }

  /// The delivery of the same continuation, launched by a daemon that has ended (semantics X9).
  private func known(_ delivery: Delivery) -> Delivery? {
    guard let id = delivery.continuationID else { return nil }
    return (deliveries + pastDeliveries).first { $0.continuationID == id && $0.isGenuine && $0 !== delivery }
  }

  func ownerIsKnown() {
    for delivery in deliveries where !delivery.isGenuine { check(delivery) }
  }

  func forget(_ delivery: Delivery) {
    deliveries.removeAll { $0 === delivery }
    guard delivery.retire(), !isClosed else { return }
    pastDeliveries.append(delivery)
    if pastDeliveries.count > Self.pastDeliveriesMaximum { pastDeliveries.removeFirst() }
  }

  /// The daemon says it until it is sure that it was heard (semantics X9), the application hears it once (V11).
  func wasContinued(_ activity: Activity, by continuation: Identifier?, inBrowser: Bool) {
    if let continuation {
      guard !heardContinuations.contains(continuation) else { return }
      heardContinuations.append(continuation)
      if heardContinuations.count > Limits.continuationsRemembered { heardContinuations.removeFirst() }
    }
    activity.update { $0.wasContinuedInBrowser = inBrowser }
    activity.delegate.wasContinued?(activity)
    activity.update { $0.wasContinuedInBrowser = false }
  }

  /// `org.freedesktop.Application` at the app id's own path, for an application without a toolkit that does it.
  func toolkitObject() -> BusObject {
    let token = { (platform: BusValue?) in platform?.asDictionary?["activation-token"]?.asString ?? "" }
    return BusObject([
      BusInterface(
        InterfaceName(constant: "org.freedesktop.Application"),
        methods: [
          BusMethod("Activate", in: [BusArgument("platform_data", "a{sv}")]) { [self] _, arguments, invocation in
            invocation.reply()
            delegate.activate?(self, token(arguments.first))
          },
          BusMethod("Open", in: [BusArgument("uris", "as"), BusArgument("platform_data", "a{sv}")]) {
            [self] _, arguments, invocation in
            invocation.reply()
            delegate.openURLs?(self, arguments.first?.asStrings ?? [], token(arguments.last))
          },
          BusMethod(
            "ActivateAction",
            in: [
              BusArgument("action_name", "s"), BusArgument("parameter", "av"), BusArgument("platform_data", "a{sv}"),
            ]
          ) { _, _, invocation in
            invocation.fail(SegueError(.notFound, "This application has no actions."))
          },
        ])
    ])
  }
}

/// One continuation on its way into the application; carries out what DeliveryMachine decides.
final class Delivery {
  private(set) var ticket: String
  let sender: BusName?
  /// Which continuation it is, over all its tickets.
  let continuationID: Identifier?
  /// Only a process that has begun it may go on with it.
  let resumes: Bool
  /// Whether the daemon sent it.
  var isGenuine = false
  /// Whether the launch message was answered; a restoration may then take as long as the application likes.
  var hasBegun: Bool { invocation.hasAnswer }
  var timer: LoopTimer?

  private let application: Application
  private var invocation: Invocation
  private let activationToken: String
  /// A new ticket came that was not shown yet.
  private var isRelaunched = false
  /// The next daemon is waited for.
  private var isWaiting = false
  private var machine = DeliveryMachine()
  private var continuation: Continuation?
  private var activity: Activity?
  /// The activity that came, until all of it is restored.
  var arrivingActivity: Activity? { machine.isEnded ? nil : activity }
  private var restoration: Restoration?
  /// The window that continue was to show it in, which is the application's to drop.
  private var windowNumber: UInt64?

  init(
    application: Application, ticket: String, invocation: Invocation, continuation: Identifier?, resumes: Bool,
    activationToken: String
  ) {
    continuationID = continuation
    self.resumes = resumes
    self.application = application
    self.ticket = ticket
    self.invocation = invocation
    self.activationToken = activationToken
    sender = invocation.sender
  }

  func handle(_ event: DeliveryMachine.Event) {
    if case .ready = event, !isGenuine { return }
    for effect in machine.handle(event) { perform(effect) }
  }

  /// The application is ready, and there is a door.
  func doorIsOpen() {
    if isRelaunched {
      isRelaunched = false
      return handle(.relaunched)
    }
    handle(.ready)
    // A daemon that knows the continuation sends its launch message as soon as it is up.
    if isWaiting { wait(Limits.busTime) }
  }

  /// A daemon that was restarted goes on with this continuation.
  func relaunched(by other: Delivery) {
    invocation.fail(SegueError(.notFound, "There is a newer launch message."))
    ticket = other.ticket
    invocation = other.invocation
    other.timer?.cancel()
    isRelaunched = !machine.isWaiting
    isWaiting = false
    if application.mayBegin { doorIsOpen() }
  }

  func doorLost() { handle(.doorLost) }

  /// What it had under way at the door failed; perhaps with the door.
  private func failed(_ error: SegueError, _ event: (SegueError) -> DeliveryMachine.Event) {
    handle(application.door?.isOpen == true ? event(error) : .doorLost)
  }

  /// Waits for the next daemon: as long as that may take, and for a moment once it is there.
  private func wait(_ time: UInt64) {
    isWaiting = true
    timer?.cancel()
    timer = application.loop.timer(after: min(time, continuation?.timeLeft ?? Limits.launchTime)) { [self] in
      isWaiting = false
      handle(.waitedInVain(Self.daemonGone))
    }
  }

  /// It has ended: lets go of what the application got of it. Whether it must be remembered.
  func retire() -> Bool {
    continuation = nil
    activity = nil
    restoration = nil
    return continuationID != nil && machine.isAnnounced
  }

  /// The application was not ready within the launch limit; the daemon has given up.
  func expire() { refuse(SegueError(.launchTimedOut, "The application was not ready in time.")) }

  func refuse(_ error: SegueError) {
    invocation.fail(error)
    timer?.cancel()
    application.forget(self)
  }

  private func perform(_ effect: DeliveryMachine.Effect) {
    switch effect {
    case .begin:
      timer?.cancel()
      begin()
    case .rejoin:
      application.door?.begin(ticket, showsFailure: application.delegate.didFail != nil) { [self] result in
        switch result {
        case .success: handle(.rejoined)
        case .failure(let error): handle(.rejoinFailed(error))
        }
      }
    case .awaitDaemon:
      wait(Limits.ticketTime)
    case .answerLaunch(let error):
      if let error { invocation.fail(error) } else { invocation.reply() }
    case .callWillContinue:
      guard let continuation else { return }
      let shown = application.delegate.willContinue?(application, continuation) ?? false
      application.door?.announced(ticket, shown: shown)
      handle(.willReturned)
    case .callContinue:
      callContinue()
    case .callOpenDocument:
      callOpenDocument()
    case .callDidFail(let error):
      guard let continuation else { return }
      application.delegate.didFail?(application, continuation, error)
    case .finish(let handled):
      application.door?.finish(ticket, handled: handled)
    case .ended:
      timer?.cancel()
      restoration?.cancel()
      application.forget(self)
    }
  }

  /// Both calls leave at once; the door keeps their order.
  private func begin() {
    guard let door = application.door else { return handle(.doorLost) }
    let shown = ticket  // What is said of an earlier ticket does not matter any more.
    door.begin(ticket, showsFailure: application.delegate.didFail != nil) { [self] result in
      guard shown == ticket else { return }
      switch result {
      case .success(let info):
        guard let type = info["activity-type"]?.asString.flatMap({ ActivityType($0) }),
          let id = info["continuation"]?.asString.flatMap({ Identifier(hex: $0) })
        else {
          return handle(.beginFailed(SegueError(.protocolViolation, "The daemon did not say what is coming.")))
        }
        guard continuation == nil else { return handle(.begun) }
        continuation = Continuation(
          id: id, type: type, title: info["title"]?.asString ?? "", deviceName: info["device-name"]?.asString ?? "",
          activationToken: activationToken,
          deadline: Instant.now + min(info["time-left"]?.asUInt64 ?? 0, Limits.ticketTime),
          isStored: info["stored"]?.asBool ?? false, age: info["stored-age"]?.asUInt64)
        handle(.begun)
      case .failure(let error):
        failed(error, DeliveryMachine.Event.beginFailed)
      }
    }
    door.claim(ticket) { [self] result in
      guard shown == ticket else { return }
      do throws(SegueError) {
        let snapshot = try result.get()
        var userInfo = try UserInfo.decode(snapshot.userInfo)
        let deviceKeys = DeviceKeys.take(from: &userInfo)
        continuation?.arrived(snapshot)
        activity = Activity(
          application: application, type: snapshot.type,
          content: Activity.Content(
            attributes: ActivityAttributes(
              title: snapshot.title, webpageURL: snapshot.webpageURL, userInfo: userInfo,
              targetContentIdentifier: snapshot.targetContentIdentifier),
            deviceKeys: deviceKeys,
            history: ActivityHistory(
              continuedFrom: ActivityReference(id: snapshot.id, revision: snapshot.revision))),
          external: 0)
        handle(.claimed)
      } catch {
        failed(error, DeliveryMachine.Event.claimFailed)
      }
    }
  }

  private func callContinue() {
    let window = activity.flatMap { application.chooseWindow(for: $0) }
    windowNumber = window?.number
    hand(over: application.continuing(in: window), returned: DeliveryMachine.Event.continueReturned)
  }

  /// What continue did not take is opened, if it is a document (semantics V7).
  private func callOpenDocument() {
    restoration?.cancel()
    var open: ((Application, Activity, Restoration) -> Bool)?
    if let openDocument = application.delegate.openDocument, let activity,
      let url = FileURL(documentIn: activity.userInfo)
    {
      open = { openDocument($0, url, $1, $2) }
    }
    hand(over: open, returned: DeliveryMachine.Event.openReturned)
  }

  /// Hands the activity, and a restoration handler, to the application.
  private func hand(
    over callback: ((Application, Activity, Restoration) -> Bool)?, returned: (Bool) -> DeliveryMachine.Event
  ) {
    guard let activity, let continuation, let callback else { return handle(returned(false)) }
    activity.restoring(true)
    let restoration = Restoration(application: application, continuation) { [self] responders in
      let numbers = Set(responders.map { $0.number })
      for responder in responders where !application.isClosed && responder.isHeld {
        responder.restore(fromContinued: activity, beside: numbers)
      }
      activity.restoring(false)
      handle(.restored)
    }
    self.restoration = restoration
    restoration.windowNumber = windowNumber
    let handled = callback(application, activity, restoration)
    if !handled { activity.restoring(false) }
    handle(returned(handled))
    restoration.continueReturned()
  }

  private static let daemonGone = SegueError(
    .connectionUnavailable, "The Segue daemon went away while the activity was on its way.", advice: "Continue again.")
}
