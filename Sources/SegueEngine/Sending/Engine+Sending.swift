import SegueCore

// Sending: the user of one device proposes an offer or a text to another one, whose user sees a notification
// (docs/sending.md).

extension Engine {
  // MARK: The sender

  /// The devices to which this device's user can send something of that kind now, in the user's order.
  public func receivers(of kind: Proposal.Kind) -> [(device: DeviceID, name: String)] {
    devices.paired.filter { takes($0)?.contains(kind) ?? false }.map { ($0, devices.name(of: $0)) }
  }

  /// The kinds of proposals that a linked device takes; nil: it is not linked, or has not said.
  public func takes(_ device: DeviceID) -> [Proposal.Kind]? {
    devices.isOnline(device) ? outgoing.kinds(of: device) : nil
  }

  /// The newest activity of this device, and the devices to which it can be sent; nil if there is none, or if there is no
  /// device, and no page for a phone either. A locked screen gets nothing.
  public func sendable(at moment: Moment) -> SendableActivity? {
    guard !isLocked,
      let offer = ownOffers(at: moment).first(where: { !$0.appID.isDirected && !sharing.withholds($0.appID) }),
      sharing.pause == nil
    else { return nil }
    let receivers = receivers(of: .activity)
    guard !receivers.isEmpty || offer.webHost != nil else { return nil }
    let title = offer.title.map { DisplayText.clean($0, maximum: Limits.titleAdvised) } ?? ""
    return SendableActivity(
      id: offer.id, title: title.isEmpty ? catalog.name(of: offer.appID) : title, hasPage: offer.webHost != nil,
      receivers: receivers.map { SendableActivity.Receiver(device: $0.device, name: $0.name) })
  }

  /// `content`: nil for the newest activity that the device is offered. `request`: nil for a surface of the desktop.
  mutating func send(_ content: Proposal.Content?, to device: DeviceID, by request: RequestID?) {
    do throws(SegueError) {
      guard devices.isPaired(device) else {
        throw SegueError(.notFound, "There is no such device.", advice: "List them with: segue devices")
      }
      guard sharing.pause == nil else {
        throw SegueError(
          .accessDenied, "Segue is paused on this device: nothing is sent.", advice: "Go on with: segue resume")
      }
      guard devices.isOnline(device) else {
        throw SegueError(
          .connectionUnavailable, "\(devices.quotedName(of: device)) is not online.",
          advice: "Send it again when it is: see segue devices.")
      }
      if case .activity(let id)? = content { direct(id, to: device) }
      do throws(SegueError) {
        let proposal = Proposal(id: settings.makeIdentifier(), try proposable(content, to: device))
        outgoing(.begin(proposal, to: device, by: request))
      } catch {
        if let content { undirect(content, from: device) }
        throw error
      }
    } catch {
      endSending(to: device, request, error)
    }
  }

  /// A directed application's activity is on offer to the device from now on.
  private mutating func direct(_ activity: Identifier, to device: DeviceID) {
    guard origin.local.entries[activity]?.appID.isDirected ?? false else { return }
    directed.add(activity, for: device)
  }

  /// It was not taken there, so the device is not offered it any more.
  private mutating func undirect(_ content: Proposal.Content, from device: DeviceID) {
    guard case .activity(let id) = content, directed.has(id, for: device) else { return }
    directed.remove(id, for: device)
    if devices.isOnline(device) { sendOffers(to: device) }
  }

  private func proposable(_ content: Proposal.Content?, to device: DeviceID) throws(SegueError) -> Proposal.Content {
    let offers = announcedOffers(to: device)
    switch content {
    case nil:
      guard let newest = offers.first(where: { !$0.appID.isDirected }) else {
        throw SegueError(
          .notFound, "Nothing on this device is on offer that could be sent.",
          advice: "See why with: segue explain")
      }
      return .activity(newest.id)
    case .activity(let id)?:
      guard offers.contains(where: { $0.id == id }) else {
        throw SegueError(
          .notFound, "\(devices.quotedName(of: device)) is not offered this activity, so it cannot be sent there.",
          advice: "See why with: segue explain \(id.hex.prefix(8))")
      }
      return .activity(id)
    case .text(let text)?:
      guard text.utf8.count <= Limits.sentText else {
        throw SegueError(
          .limitExceeded, "A text that is sent has at most \(Limits.sentText) bytes; this one has \(text.utf8.count).",
          advice: "Send a part of it, or a file.")
      }
      let lines = DisplayText.cleanLines(text)
      guard lines.utf8.contains(where: { $0 > UInt8(ascii: " ") }) else {
        throw SegueError(.invalidArgument, "The text is empty.", advice: "Give one that can be read.")
      }
      return .text(lines)
    }
  }

  /// An event of the proposals that this device makes.
  mutating func outgoing(_ event: OutgoingProposals.Event) {
    for effect in outgoing.handle(event, at: turn.now) {
      switch effect {
      case .send(let proposal, let device):
        // The list that the device has may be older than the offer.
        if deadlines.isSet(.announcement) || directed.has(proposal, for: device) { sendOffers(to: device) }
        turn.emit(.send(.propose(proposal), to: device))
      case .end(let waiting, let failure):
        if failure != nil { undirect(waiting.proposal.content, from: waiting.device) }
        endSending(to: waiting.device, waiting.request, failure.map { error($0, waiting.device) })
      }
    }
    deadlines.set(.proposals, at: outgoing.next)
  }

  private mutating func endSending(to device: DeviceID, _ request: RequestID?, _ error: SegueError?) {
    if let request {
      turn.emit(.reply(request, error.map { .failed($0) } ?? .done))
    } else if let error {
      notice(.notSent(device, error))
    }
  }

  private func error(_ failure: OutgoingProposals.Failure, _ device: DeviceID) -> SegueError {
    let name = devices.quotedName(of: device)
    switch failure {
    case .notKnownThere:
      return SegueError(
        .versionMismatch, "\(name) runs a Segue that does not take proposals.", advice: "Update Segue there.")
    case .unanswered:
      return SegueError(
        .remoteApplicationTimedOut, "\(name) has not answered.", advice: "See whether it shows it, or send it again.")
    case .lost:
      return SegueError(
        .connectionUnavailable, "The connection to \(name) has ended, so it may not have received this.",
        advice: "See whether it shows it, or send it again.")
    case .tooMany:
      return SegueError(
        .limitExceeded, "\(name) has not answered what was sent before.", advice: "Wait a moment, then send it again.")
    case .refused(.limitExceeded):
      return SegueError(
        .limitExceeded, "\(name) takes no more for now.",
        advice: "It takes \(Limits.proposalsPerMinute) a minute of each device: send it again in a minute.")
    case .refused(.accessDenied):
      return SegueError(
        .accessDenied, "\(name) takes nothing that is sent from this device, since its user does not want that.",
        advice: "It can be changed there: segue receive")
    case .refused(.noApplication):
      return SegueError(
        .noApplication, "\(name) has no application that can continue this.",
        advice: "See which ones can with `segue explain` there.")
    case .refused(.notFound):
      return SegueError(
        .notFound, "\(name) does not see this on offer any more.", advice: "See whether it is still open here.")
    case .refused(let code):
      return SegueError(
        .handoffFailed, "\(name) has refused it (\(code.name)).", advice: "See Segue's log there.")
    }
  }

  // MARK: The receiver

  /// The texts that users of other devices have sent here, the latest first.
  public var receivedTexts: [(text: ReceivedText, deviceName: String)] {
    texts.all.reversed().map { ($0, devices.name(of: $0.device)) }
  }

  /// A paired device proposes something to this device's user.
  mutating func proposed(_ proposal: Proposal, by device: DeviceID) {
    let refusal = refusal(of: proposal, by: device)
    turn.emit(.send(.proposed(ProposalAnswer(to: proposal.id, refusal: refusal)), to: device))
    guard refusal == nil else { return }
    switch proposal.content {
    case .activity(let id): take(OfferID(device: device, activity: id))
    case .text(let text): take(text, from: device)
    }
  }

  /// The reason why the proposal is not shown; nil: it is. Each proposal takes a turn, whatever comes of it.
  private mutating func refusal(of proposal: Proposal, by device: DeviceID) -> SegueError.Code? {
    guard incoming.takeTurn(device, turn.now) else {
      turn.log(
        .notice, "\(devices.quotedName(of: device)) sends more than \(Limits.proposalsPerMinute) things a minute",
        cause: "proposals \(device)")
      return .limitExceeded
    }
    guard sharing.pause == nil, devices.receiving(from: device) != .refuse else { return .accessDenied }
    guard case .activity(let id) = proposal.content else { return nil }
    guard let entry = remote.entry(id, of: device) else { return .notFound }
    return offered(entry) == nil ? .noApplication : nil
  }

  /// A proposed offer opens if the user has allowed the device that, and is shown otherwise. While the screen is locked
  /// nothing opens, and nothing is shown.
  private mutating func take(_ id: OfferID) {
    guard !isLocked else { return incoming.hold(id) }
    guard let entry = remote.entry(id.activity, of: id.device) else { return }
    let match = catalog.match(entry.offer, at: turn.moment)
    let isCertain = match.preferred != nil || match.browserHost != nil
    // The user's own continuation is not given up for another user's wish.
    let isFree = continuations.inOrder.allSatisfy { $0.isLink }
    guard devices.receiving(from: id.device) == .open, isCertain, isFree else { return show(entry) }
    wait(for: Choice(activity: id.activity, device: id.device, activationToken: nil, chooser: .surface))
  }

  private mutating func show(_ entry: RemoteOffers.Entry) {
    incoming.show(entry.id)
    if let offered = offered(entry) { notice(.sent(offered)) }
  }

  private mutating func take(_ text: String, from device: DeviceID) {
    // The sender's id of the proposal is not used: another device's may be the same.
    let new = ReceivedText(id: settings.makeIdentifier(), device: device, text: text, received: turn.now)
    for gone in texts.add(new, isHeld: isLocked) { notice(.textGone(gone)) }
    deadlines.set(.texts, at: texts.next)
    guard !isLocked else { return }
    if devices.receiving(from: device) == .open {
      turn.emit(.showText(new.id, activationToken: nil))
    } else {
      show(new)
    }
  }

  private mutating func show(_ text: ReceivedText) {
    notice(.text(text.id, text.text, origin: devices.name(of: text.device)))
  }

  /// The screen was unlocked: the user is shown the proposals that came meanwhile.
  mutating func showHeld() {
    for id in incoming.takeHeld() {
      if let entry = remote.entry(id.activity, of: id.device) { show(entry) }
    }
    for text in texts.takeHeld() { show(text) }
  }

  mutating func textsExpire() {
    for gone in texts.expire(at: turn.now) { notice(.textGone(gone)) }
    deadlines.set(.texts, at: texts.next)
  }

  /// The device is no longer paired.
  mutating func forgetProposals(of device: DeviceID) {
    outgoing(.lost(device))
    directed.forget(device)
    incoming.forget(device)
    for gone in texts.forget(device) { notice(.textGone(gone)) }
    deadlines.set(.texts, at: texts.next)
  }
}
