import SegueCore

// The choices of the user: how long a choice waits after the start, which application continues the offer, and which
// running continuation is cancelled.

extension Engine {
  // MARK: Waiting after the start

  /// Makes the choice as soon as it is known whether there is such an offer. If the offer may have existed before the
  /// start, the choice waits until its device is back, but no longer than a fetch may take (semantics X9).
  mutating func wait(for choice: Choice) {
    let until = turn.now + settings.times.fetch
    let number = choices.add(choice, until: until)
    guard !isKnown(choice) else { return }
    if !devices.areDialled(at: turn.now) { deadlines.set(.dials, at: devices.dialsEnd) }
    deadlines.set(.choice(number), at: until)
  }

  /// Makes the choices, and replies to the requests for a list, that need not wait any longer.
  mutating func answerWaiting() {
    if devices.mayHaveOffered(at: turn.now) { choices.waitForDevices() }
    for waiting in choices.choices where isDue(waiting) {
      choices.remove(waiting.number)
      deadlines.cancel(.choice(waiting.number))
      turn.post(.choose(waiting.choice))
    }
    let isOver = choices.listsUntil.map { turn.now >= $0 } ?? false
    guard isOver || copies.isLoaded && devices.areDialled(at: turn.now) else { return }
    deadlines.cancel(.dials)
    deadlines.cancel(.lists)
    for request in choices.takeLists() { turn.emit(.reply(request, .done)) }
  }

  private func isDue(_ waiting: WaitingChoices.Waiting) -> Bool {
    if isKnown(waiting.choice) || turn.now >= waiting.until { return true }
    guard areTakenUp else { return false }
    // A stored copy is taken only if its device has not been reached: the device's own offer goes first.
    guard copies.isLoaded, devices.areDialled(at: turn.now) else { return false }
    return !waiting.isForDevice || found(waiting.choice.activity, of: waiting.choice.device) != nil
  }

  private func isKnown(_ choice: Choice) -> Bool {
    guard areTakenUp else { return false }
    // An offer that is named by its id alone may belong to a device that has not been heard since the start, while
    // another device only repeats the id (semantics C16).
    let mayBeOfOthers = choice.device == nil && !devices.areDialled(at: turn.now)
    return continuations.of(choice, own: devices.own) != nil || !mayBeOfOthers && isThere(choice)
  }

  /// Whether all continuations of an earlier daemon have been resumed. Before that a choice could not join one of them
  /// or take its place.
  private var areTakenUp: Bool { journal.running.allSatisfy { continuations[$0.id] != nil } }

  private func isThere(_ choice: Choice) -> Bool {
    remote.entry(choice.activity, of: choice.device) != nil
      || choice.mayMean(devices.own) && origin.local.entries[choice.activity] != nil
  }

  // MARK: Choosing

  mutating func choose(_ choice: Choice) {
    // A choice that has waited for the resumption in vain takes the place of those continuations, too.
    if !areTakenUp { resumeContinuations() }
    // A second choice of the same offer for the same application joins the running continuation. Any other choice takes
    // its place (semantics V3).
    let running = continuations.of(choice, own: devices.own)
    if let running, choice.application == nil || choice.application == running.application?.appID {
      return join(running, choice)
    }
    if running == nil, choice.device == nil, let error = ambiguity(of: choice.activity) { return refuse(choice, error) }
    // The offer of a running continuation can be chosen even if it was withdrawn meanwhile.
    guard let (offer, source) = running.map({ ($0.offer, $0.source) }) ?? found(choice.activity, of: choice.device)
    else { return refuse(choice, notOnOffer(choice)) }
    let application: InstalledApplication?
    do throws(SegueError) {
      application = try self.application(for: offer, from: source, choice.application)
    } catch {
      return refuse(choice, error)
    }
    for other in continuations.inOrder where !other.isLink { turn.post(.continuation(other.id, .superseded)) }
    var continuation = RunningContinuation(
      id: settings.makeIdentifier(), ticket: settings.makeIdentifier(), offer: offer, source: source,
      application: application, activationToken: choice.activationToken, times: settings.times, at: turn.moment)
    if case .request(let request, let awaited) = choice.chooser { continuation.waiting = [(request, awaited)] }
    continuations.add(continuation)
    incoming.end(continuation.offerID(own: devices.own))
    turn.post(.notice(.chosen(continuation.offerID(own: devices.own))))
    turn.post(.continuation(continuation.id, .chosen))
  }

  private mutating func join(_ running: RunningContinuation, _ choice: Choice) {
    guard case .request(let request, let awaited) = choice.chooser else { return }
    guard running.waiting.count < Limits.callersPerContinuation else {
      return refuse(
        choice,
        SegueError(
          .limitExceeded, "Too many are waiting for this continuation already.",
          advice: "It is under way; wait for it to end."))
    }
    if awaited == .begun, running.session != nil {
      turn.emit(.reply(request, .continuation(running.id)))
    } else {
      continuations.change(running.id) { $0.waiting.append((request, awaited)) }
    }
  }

  /// The choice leads to no continuation. The chooser is told why.
  private mutating func refuse(_ choice: Choice, _ error: SegueError) {
    switch choice.chooser {
    case .request(let request, .begun) where error.code == .notFound:
      // The application that chose it shows the list in its own window, so it is not advised to use the command line.
      let told = SegueError(.notFound, error.message, advice: Self.offerGone.advice)
      turn.emit(.reply(request, .failed(told)))
    case .request(let request, _): turn.emit(.reply(request, .failed(error)))
    case .surface:
      let offer = remote.entry(choice.activity, of: choice.device).flatMap { offered($0) }
      let id = OfferID(device: choice.device ?? devices.own, activity: choice.activity)
      turn.post(.notice(.refused(offer, error, id: id)))
    }
  }

  /// The user chose an offer in an application's own window. The reply comes when the application has begun.
  mutating func chooseListed(
    _ alias: String, _ id: Identifier, _ token: String?, _ session: SessionID, _ appID: AppID, _ request: RequestID
  ) {
    let all = [devices.own] + devices.paired
    guard let device = all.first(where: { settings.alias($0, appID) == alias }) else {
      return turn.emit(.reply(request, .failed(Self.offerGone)))
    }
    wait(
      for: Choice(
        activity: id, device: device, application: appID, activationToken: token, chooser: .request(request, .begun)))
  }

  static let offerGone = SegueError(
    .notFound, "There is no such offer any more.",
    advice: "Check on the other device whether it is still open, or choose another one.")

  // MARK: The chosen offer

  /// The offer with this id, and where its state is. `device`: the offer must be of this device; nil: of any.
  func found(_ id: Identifier, of device: DeviceID? = nil) -> (offer: Offer, source: OfferSource)? {
    if let entry = remote.entry(id, of: device) { return (entry.offer, .device(entry.device)) }
    let kept = keptOfAbsent(at: turn.moment).first { $0.offer.id == id && (device == nil || $0.device == device) }
    if let kept { return (kept.offer, .kept(kept.key)) }
    if let entry = remote.recent(id, of: device, now: turn.now) { return (entry.offer, .device(entry.device)) }
    guard device == nil || device == devices.own else { return nil }
    let here = origin.local.entries[id].flatMap { $0.activity.isEligible ? signed($0.offer) : nil }
    if let here, !catalog.match(here, isHere: true, at: turn.moment).candidates.isEmpty { return (here, .here) }
    let key = StoredCopy.Key(device: nil, activity: id, kind: .search)
    guard let copy = copies.table[key], copy.life(at: turn.moment.seconds) > 0 else {
      return here.map { ($0, .here) }
    }
    return (copy.offer, .kept(key))
  }

  /// The error if several devices have, or had a moment ago, an offer with this id. One of them only repeats the id of
  /// another one, and must not be taken for it (semantics C16).
  private func ambiguity(of id: Identifier) -> SegueError? {
    let isHere = origin.local.entries[id] != nil || copies.table.keys.contains { $0.device == nil && $0.activity == id }
    var holders = remote.holders(of: id, now: turn.now).union(isHere ? [devices.own] : [])
    for copy in keptOfAbsent(at: turn.moment) where copy.offer.id == id {
      holders.formUnion(copy.device.map { [$0] } ?? [])
    }
    guard holders.count > 1 else { return nil }
    let names = holders.sorted().map { devices.quotedName(of: $0) }.joined(separator: ", ")
    return SegueError(
      .invalidArgument, "Several devices have an activity with this id: \(names).",
      advice: "Say which device is meant: segue continue with --device and a device's name.")
  }

  /// The application that will continue an offer; nil if a browser opens its page. A stored copy of this device's own
  /// activity goes back to the application that saved it; anything else goes to an application that matches.
  private func application(
    for offer: Offer, from source: OfferSource, _ wanted: AppID?
  ) throws(SegueError) -> InstalledApplication? {
    guard case .kept(let key) = source, key.device == nil else {
      return try catalog.chosen(for: catalog.match(offer, isHere: source == .here, at: turn.moment), wanted)
    }
    guard wanted == nil || wanted == offer.appID, let application = catalog.application(offer.appID) else {
      throw SegueError(
        .noApplication, "Only \(offer.appID.string) itself can continue its stored activity.",
        advice: "Install it again.")
    }
    return application
  }

  /// The error for an offer that does not exist. It says which device had the offer, or which devices have not been
  /// heard.
  private func notOnOffer(_ choice: Choice) -> SegueError {
    if let device = remote.lostOrigin(of: choice.activity, choice.device) {
      return SegueError(
        .connectionUnavailable, "\(devices.quotedName(of: device)) had this on offer, and cannot be reached any more.",
        advice: "Check that it is on and in the same network: then it is on offer again.")
    }
    let unheard = devices.unheard.filter { choice.mayMean($0) }
    guard let device = unheard.first else {
      return SegueError(
        .notFound, "There is no such offer any more.", advice: "List what there is with: segue activities")
    }
    let absent = unheard.count == 1 ? devices.quotedName(of: device) : "\(unheard.count) devices"
    return SegueError(
      .notFound, "No device in reach has this on offer, and \(absent) could not be reached.",
      advice: "Check what is on and in the same network, with: segue devices")
  }
}
