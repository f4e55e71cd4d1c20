import SegueBus
import SegueCore

// What can be continued here: the other devices' offers, and those of this device's own applications.

/// The offers that were continued on this device, each at its revision.
struct ContinuedOffers: Equatable {
  private var revisions: [Identifier: UInt64] = [:]
  /// The oldest first.
  private var order: [Identifier] = []

  /// The revision at which an offer was continued last; nil if it was not.
  subscript(id: Identifier) -> UInt64? { revisions[id] }

  mutating func note(_ id: Identifier, revision: UInt64) {
    if revisions.updateValue(revision, forKey: id) != nil { order.removeAll { $0 == id } }
    order.append(id)
    if order.count > Limits.continuedOffers { revisions[order.removeFirst()] = nil }
  }
}

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
  func hiding(_ offer: Offer) -> OfferHiding? {
    offer.hiding(continued: continued[offer.id]) { local.unchangedRevision(of: $0) }
  }

  /// What the other devices have on offer and is shown, newest first.
  var shownRemoteOffers: [RemoteOffers.Entry] { remote.all.filter { hiding($0.offer) == nil } }

  /// What an application of this device has on offer and another one may continue (semantics V19), newest first.
  var offersHere: [(Offer, OfferMatch)] {
    ownOffers.compactMap { offer in
      let match = match(offer, isHere: true)
      return match.candidates.isEmpty || hiding(offer) != nil ? nil : (offer, match)
    }
  }

  /// A continuation has succeeded: its offer is hidden until it changes.
  func wasTaken(_ continuation: RunningContinuation) {
    guard let revision = continuation.revision else { return }
    continued.note(continuation.offer.id, revision: revision)
    offersChanged()
  }
}
