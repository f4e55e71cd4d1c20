import SegueCore

// The list of activities that can be continued here, for everything that shows it: other devices' offers, the offers of
// this device's own applications, and the stored copies of devices that are out of reach.

/// An offer that can be continued on this device, and the applications that may continue it.
public struct Listed: Sendable {
  public var offer: Offer
  public var match: OfferMatch
  public var place: ListedOffer.Place
  public var device: DeviceID
  public var deviceName: String
  /// When the activity became current, as far as that is known; for a stored copy, when its state was saved.
  public var since: Instant
  /// The milliseconds by which that was before this device's clock began.
  public var before: UInt64
  /// Where its file is (semantics O3); nil: nothing is known of one.
  public var file: FilePlace?
  /// Whether continuing the offer gives the last snapshot, since the application or the device is not there.
  public var isStored: Bool { place == .kept || offer.isSnapshot }
}

extension Engine {
  // MARK: The offers

  /// The offers of this device's applications, the newest first, each with its application's tier, team and version.
  func ownOffers(at moment: Moment) -> [Offer] { origin.local.offers(now: moment.instant).map { signed($0) } }

  /// The offer with its application's tier, team and version.
  func signed(_ offer: Offer) -> Offer {
    var offer = offer
    let application = catalog.application(offer.appID)
    let tier = origin.local.entries[offer.id].flatMap { sessions[$0.session]?.tier }
    offer.tier = tier ?? application?.tier ?? .user
    offer.team = application?.team
    offer.version = application?.version(of: offer) ?? 0
    return offer
  }

  /// Why an offer is hidden; nil if it is shown (semantics V15). The rule is in Core's `OfferHiding`.
  func hiding(_ offer: Offer, of device: DeviceID?) -> OfferHiding? {
    if device != nil, sharing.pause != nil { return .paused }
    return offer.hiding(continued: journal.revisionTaken(of: offer.id, of: device)) {
      origin.local.unchangedRevision(of: $0)
    }
  }

  /// The offers of other devices that are not hidden, newest first.
  var shownRemoteOffers: [RemoteOffers.Entry] {
    remote.all.filter { hiding($0.offer, of: $0.device) == nil }
  }

  /// Everything that can be continued here: first the offers of other devices, the newest first; then the offers of
  /// this device's applications; then the stored copies of devices that are out of reach.
  func candidates(at moment: Moment) -> [Listed] {
    var list = shownRemoteOffers.map { entry in
      listed(entry.offer, of: entry.device, .device, since: entry.since, before: entry.before, at: moment)
    }
    // An offer of one application here is listed if another application here may continue it (semantics V19).
    for offer in ownOffers(at: moment) where !offer.appID.isDirected && hiding(offer, of: nil) == nil {
      let since = origin.local.entries[offer.id]?.started ?? moment.instant
      let entry = listed(offer, of: devices.own, .here, since: since, at: moment)
      if !entry.match.candidates.isEmpty { list.append(entry) }
    }
    for copy in keptOfAbsent(at: moment) where hiding(copy.offer, of: copy.device) == nil {
      guard let device = copy.device else { continue }
      let age = copy.age(at: moment.seconds) &* 1000
      list.append(listed(copy.offer, of: device, .kept, since: moment.instant - age, at: moment))
    }
    return list
  }

  private func listed(
    _ offer: Offer, of device: DeviceID, _ place: ListedOffer.Place, since: Instant, before: UInt64 = 0,
    at moment: Moment
  ) -> Listed {
    Listed(
      offer: offer, match: catalog.match(offer, isHere: place == .here, at: moment), place: place, device: device,
      deviceName: devices.name(of: device), since: since, before: before,
      file: place == .device ? folders.place(of: offer) : nil)
  }

  /// The offers that one application may continue itself (semantics V10, V12), in the form in which it is sent them.
  func listed(for session: SessionID, among candidates: [Listed]) -> [ListedOffer] {
    guard let application = sessions[session] else { return [] }
    let own = candidates.filter { $0.match.isListed(for: application.appID, tier: application.tier) }
    return own.prefix(Limits.offersPerApplication).map { entry in
      let offer = entry.offer
      return ListedOffer(
        id: ListedOffer.ID(device: settings.alias(entry.device, application.appID), activity: offer.id),
        type: offer.type, title: offer.title, webHost: offer.webHost, appID: offer.appID,
        appName: catalog.name(of: offer.appID), deviceName: entry.deviceName, place: entry.place,
        isStored: entry.isStored, since: entry.since)
    }
  }

  // MARK: Lists for user interfaces

  /// The offers that can be continued here: what is of other devices comes first, there or not.
  public func list(at moment: Moment) -> [Listed] {
    let all = candidates(at: moment)
    return all.filter { $0.place != .here } + all.filter { $0.place == .here }
  }

  /// The offers of this device's applications. `isWithheld`: whether other devices are not sent the offer (semantics
  /// V17).
  public func activities(at moment: Moment) -> [(offer: Offer, appName: String, isWithheld: Bool)] {
    ownOffers(at: moment).map {
      ($0, catalog.name(of: $0.appID), sharing.withholds($0.appID))
    }
  }

  /// Every stored copy that has not expired, the latest first.
  public func storedCopies(at moment: Moment) -> [(copy: StoredCopy, appName: String, deviceName: String)] {
    copies.inOrder.filter { $0.life(at: moment.seconds) > 0 }.map { copy in
      (copy, catalog.name(of: copy.offer.appID), copy.device.map { devices.name(of: $0) } ?? "")
    }
  }

  /// The paired devices, in the user's order.
  public var pairedDevices: [(device: DeviceID, name: String, isOnline: Bool)] {
    devices.paired.map { ($0, devices.plainName(of: $0), devices.isOnline($0)) }
  }

  /// How this device and a paired one have reached each other since the start. `isUnreached`: the device was dialled at
  /// each of its addresses, did not answer, and has not been linked since. `unpaired`: how it is known that the device
  /// has removed this one; nil: it has not, as far as is known.
  public func contact(with device: DeviceID) -> (known: Contact, isUnreached: Bool, unpaired: UnpairedThere?) {
    (addresses.known[device] ?? Contact(), addresses.unreached.contains(device), addresses.unpaired[device])
  }

  /// How many applications are connected at the door.
  public var applicationCount: Int { sessions.appIDs.count }

  /// The continuation that ended last.
  public var last: EndedContinuation? { continuations.last }
}
