import SegueBus
import SegueCore

// What can be continued here: the other devices' offers, and those of this device's own applications.

extension InstalledApplication {
  /// Its version of an offer's type (semantics X8); 0 where it states none.
  func version(of offer: Offer) -> UInt64 { versions[offer.type] ?? 0 }
}

extension Daemon {
  /// What this device's applications have on offer, each with what is known of the application, the newest first.
  var ownOffers: [Offer] { local.offers(now: Instant.now).map { signed($0) } }

  /// With the application's tier, team and version.
  func signed(_ offer: Offer) -> Offer {
    var offer = offer
    let application = registry.application(offer.appID)
    let session = local.entries[offer.id].flatMap { sessions[$0.session] }
    offer.tier = session?.application?.tier ?? application?.tier ?? .user
    offer.team = application?.team
    offer.version = application?.version(of: offer) ?? 0
    return offer
  }

  /// Why an offer is not shown; nil if it is (semantics V15).
  func hiding(_ offer: Offer, from source: OfferSource) -> OfferHiding? {
    offer.hiding(continued: journal.current.revisionTaken(of: offer.id, of: source.device)) {
      local.unchangedRevision(of: $0)
    }
  }

  /// What the other devices have on offer and is shown, newest first.
  var shownRemoteOffers: [RemoteOffers.Entry] {
    remote.all.filter { hiding($0.offer, from: .device($0.device)) == nil }
  }

  /// What an application of this device has on offer and another one may continue (semantics V19), newest first.
  var offersHere: [(Offer, OfferMatch)] {
    ownOffers.compactMap { offer in
      let match = match(offer, isHere: true)
      return match.candidates.isEmpty || hiding(offer, from: .here) != nil ? nil : (offer, match)
    }
  }
}
