import SegueBus
import SegueCore
import SegueLink
import SegueState

// What applications hear of the offers that they may continue themselves, and the choices that they make of them.

extension Daemon {
  // MARK: Telling

  /// The application is told of its offers from now on, of those that there are at once.
  func follow(_ session: Session) {
    guard session.offers == nil else { return }
    session.offers = OfferFollower()
    tell(session)
  }

  /// Something has changed in what is on offer.
  func tellFollowers() {
    for session in sessions.values where session.offers != nil { tell(session) }
  }

  private func tell(_ session: Session) {
    guard let application = session.application else { return }
    handle(.listed(listed(for: application)), session)
  }

  private func handle(_ event: OfferFollower.Event, _ session: Session) {
    for effect in session.offers?.handle(event) ?? [] {
      guard case .tell(let offers) = effect else { continue }
      let call = Message.call(
        destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
        member: MemberName(constant: "OffersChanged"))
      do throws(SegueError) {
        try call.append([DoorOffers.encode(offers, now: Instant.now)])
      } catch {
        log.warning("offers could not be encoded: \(error.message)", cause: "follow")
        handle(.heard, session)
        continue
      }
      // However long it takes: a list that nobody reads is the only one that is sent.
      session.connection.call(call, timeout: .max) { [self] _ in
        if sessions[session.number] != nil { handle(.heard, session) }
      }
    }
  }

  /// Those of other devices first, the newest first, then those of this device, then what is kept of absent ones.
  private func listed(for application: Registration) -> [ListedOffer] {
    let isListed = { (match: OfferMatch) in match.isListed(for: application.appID, tier: application.tier) }
    let now = Instant.now
    var list = shownRemoteOffers.filter { isListed(match($0.offer)) }.map { entry in
      listed(entry.offer, of: entry.device, .device, since: entry.since, for: application.appID)
    }
    list += offersHere.filter { isListed($0.1) }.map { offer, _ in
      listed(
        offer, of: identity.id, .here, since: local.entries[offer.id]?.started ?? now, for: application.appID)
    }
    for copy in keptOffers where isListed(match(copy.offer)) {
      guard let device = copy.device else { continue }
      let age = copy.age(at: secondsSince1970()) &* 1000
      list.append(
        listed(copy.offer, of: device, .kept, since: now - age, for: application.appID))
    }
    return Array(list.prefix(Limits.offersPerApplication))
  }

  private func listed(
    _ offer: Offer, of device: DeviceID, _ place: ListedOffer.Place, since: Instant, for application: AppID
  ) -> ListedOffer {
    ListedOffer(
      id: ListedOffer.ID(device: device.alias(for: application), activity: offer.id), type: offer.type,
      title: offer.title, webHost: offer.webHost, appID: offer.appID,
      appName: registry.application(offer.appID)?.name ?? "",
      deviceName: device == identity.id ? settings.deviceName : name(of: device), place: place,
      isStored: place == .kept || offer.isSnapshot, since: since)
  }

  // MARK: Choosing

  /// The user chose an offer in the application's own window. Answered when the application has begun to continue it.
  func chooseListed(
    _ arguments: [BusValue], _ session: Session, _ application: Registration, _ invocation: Invocation
  ) throws(SegueError) {
    guard arguments.count == 3, let alias = arguments[0].asString,
      let id = arguments[1].asString.flatMap({ Identifier(hex: $0) })
    else { throw SegueError(.invalidArgument, "An offer has a device and an id of 32 hexadecimal digits.") }
    let token = arguments[2].asDictionary?["activation-token"]?.asString
    guard token?.utf8.count ?? 0 <= Limits.identifierLength else {
      throw SegueError(.invalidArgument, "An activation token has at most \(Limits.identifierLength) bytes.")
    }
    let devices = [identity.id] + pins.devices.map { $0.id }
    guard let device = devices.first(where: { $0.alias(for: application.appID) == alias }) else {
      throw Self.offerGone
    }
    whenKnown(id) { [self] in
      choose(
        id, of: device, application: application.appID, activationToken: token, until: .begun
      ) { outcome in
        switch outcome {
        case .success(let continuation): invocation.reply([.string(continuation.hex)])
        case .failure(let error) where error.code == .notFound:
          invocation.fail(SegueError(.notFound, error.message, advice: Self.offerGone.advice))
        case .failure(let error): invocation.fail(error)
        }
      }
    }
  }

  private static let offerGone = SegueError(
    .notFound, "There is no such offer any more.",
    advice: "Look on the other device whether it is still open, or choose another one.")
}
