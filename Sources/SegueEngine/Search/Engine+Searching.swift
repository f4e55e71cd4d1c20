import SegueCore

// The surfaces of the desktop, which are an overview, a runner and a panel, show what can be continued here, and search
// the stored activities (semantics X6).

/// Something that can be continued here, as a surface of the desktop shows it. All texts are plain.
public struct Found: Equatable, Sendable {
  public let id: OfferID
  /// The title; where there is none, the application's name.
  public let title: String
  /// Where it comes from, and what kind it is. Texts of different devices and people never share a part.
  public let details: [String]
  public let application: Notice.Application
  /// Whether it is on offer now; otherwise it is a stored activity.
  public let isOnOffer: Bool
}

extension Engine {
  /// Finds what fits the terms and can be continued here: first the offers, in the order of `list`, then this device's
  /// stored activities, the latest first. A locked screen gets nothing.
  public func search(_ terms: SearchTerms, at moment: Moment) -> [Found] {
    guard !isLocked, !terms.isEmpty else { return [] }
    let live = list(at: moment).compactMap { listed -> Found? in
      guard let found = found(listed) else { return nil }
      let texts = [found.title, found.application.name, listed.deviceName, listed.match.browserHost ?? ""]
      return terms.fit(texts + [Self.wordsOfOffers]) ? found : nil
    }
    let known = Set(live.map { $0.id.activity })
    let stored = copies.index.first(
      max(0, Limits.searchResults - live.count), fitting: terms, name: { catalog.name(of: $0) }
    ) { known.contains($0) ? nil : storedActivity($0, at: moment) }
    return Array(live.prefix(Limits.searchResults)) + stored
  }

  /// The offers of other devices, for a surface that is shown all the time. A locked screen gets nothing.
  public func shown(at moment: Moment) -> [Found] {
    guard !isLocked else { return [] }
    return list(at: moment).filter { $0.place != .here }.prefix(Limits.searchResults).compactMap { found($0) }
  }

  /// The one with this id, if it can still be continued; nil while the screen is locked.
  public func found(_ id: OfferID, at moment: Moment) -> Found? {
    guard !isLocked else { return nil }
    let listed = list(at: moment).first { $0.device == id.device && $0.offer.id == id.activity }
    if let listed { return found(listed) }
    return id.device == devices.own ? storedActivity(id.activity, at: moment) : nil
  }

  /// This device's stored activity with this id, if it can be continued.
  private func storedActivity(_ id: Identifier, at moment: Moment) -> Found? {
    let copy = copies.table[StoredCopy.Key(device: nil, activity: id, kind: .search)]
    return copy.flatMap { $0.life(at: moment.seconds) > 0 ? found($0) : nil }
  }

  /// Words by which everything on offer is found.
  private static var wordsOfOffers: String { "continue segue" }

  private func found(_ listed: Listed) -> Found? {
    let match = listed.match
    let application = (match.preferred ?? match.candidates.first).map { Notice.Application($0) }
    guard let application = application ?? match.browserHost.map({ _ in .browser }) else { return nil }
    let place = listed.place == .here ? "On this device" : "From \(listed.deviceName)"
    return Found(
      id: OfferID(device: listed.device, activity: listed.offer.id),
      title: Self.title(of: listed.offer, application),
      details: [
        match.browserHost.map { "A page on \($0)" }, place, listed.isStored ? "As it was last stored" : nil,
        listed.file?.sentence(device: listed.deviceName),
      ].compactMap { $0 },
      application: application, isOnOffer: true)
  }

  private func found(_ copy: StoredCopy) -> Found? {
    guard let installed = catalog.application(copy.offer.appID) else { return nil }
    let application = Notice.Application(installed)
    return Found(
      id: OfferID(device: devices.own, activity: copy.offer.id), title: Self.title(of: copy.offer, application),
      details: ["Go on in \(application.name)"], application: application, isOnOffer: false)
  }

  private static func title(of offer: Offer, _ application: Notice.Application) -> String {
    let title = offer.title.map { DisplayText.clean($0, maximum: Limits.titleAdvised) } ?? ""
    return title.isEmpty ? application.name : title
  }
}
