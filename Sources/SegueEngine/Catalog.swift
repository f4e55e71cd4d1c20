import SegueCore

/// The installed applications and the rules, which decide who may continue which offer on this device.
struct Catalog {
  private(set) var index = ApplicationIndex()
  private var rules = MatchRules()

  mutating func replace(_ index: ApplicationIndex) { self.index = index }

  /// Replaces the rules. The domains' grants stay: they come from the engine, not from the rules file.
  mutating func replace(_ rules: MatchRules) {
    let domains = self.rules.domains
    self.rules = rules
    self.rules.domains = domains
  }

  mutating func replace(_ domains: [DomainName: DomainGrant]) { rules.domains = domains }

  func application(_ id: AppID) -> InstalledApplication? { index.application(id) }

  func name(of id: AppID) -> String { index.application(id)?.name ?? "" }

  /// The applications that may continue an offer, and why others may not.
  func match(_ offer: Offer, isHere: Bool = false, at moment: Moment) -> OfferMatch {
    index.match(offer, rules, isHere: isHere, now: moment.seconds)
  }

  var opensLinks: Bool { rules.opensLinks }

  func match(_ link: WebLink, at moment: Moment) -> WebLinkMatch { index.match(link, rules, now: moment.seconds) }

  func linkClaims(at moment: Moment) -> [WebLinkClaim] { index.linkClaims(rules, now: moment.seconds) }

  /// A sentence about an application that may continue an offer. If several may continue a web page or an activity of an
  /// open type, the rules choose one (semantics W2, W3, O1): the sentence says which, and why.
  func sentence(_ application: InstalledApplication, in match: OfferMatch) -> String {
    let can = "\(application.name) can continue it here"
    let type = match.offer.type
    guard type == .browsingWeb || type.isOpen, match.candidates.count > 1 else { return can + "." }
    guard let preferred = match.preferred else { return can + ", and so can others: the choice is yours." }
    guard preferred.appID == application.appID else { return can + " if you choose it; \(preferred.name) comes first." }
    return can + ", and comes first: \(reason(application, match.offer))."
  }

  /// Why an application comes first among those that may continue the offer, as text to follow a colon.
  private func reason(_ application: InstalledApplication, _ offer: Offer) -> String {
    if offer.type.isOpen {
      if application.appID == offer.appID { return "it is the same application" }
      let isOwn =
        application.acts(for: offer.appID) || index.application(offer.appID)?.isSameProgram(as: application) == true
      return isOwn ? "it is the same program" : "you have chosen it for this type"
    }
    if rules.defaults[.browsingWeb] == application.appID { return "you have chosen it for pages" }
    if !application.activityTypes.contains(.browsingWeb) { return "the page's domain names it" }
    return application.appID == offer.appID ? "the page is of the same application" : "it is of the default browser"
  }

  /// The application that will continue an offer: the one that the user named, otherwise the preferred one. Nil: a
  /// browser opens the page.
  func chosen(for match: OfferMatch, _ wanted: AppID?) throws(SegueError) -> InstalledApplication? {
    if let wanted { return try match.candidate(wanted) }
    if match.browserHost != nil { return nil }
    if let error = match.error { throw error }
    guard let application = match.preferred else { throw SegueError(.noApplication, "No application continues this.") }
    return application
  }
}

extension InstalledApplication {
  /// The application's version of an offer's type (semantics X8); 0 if it states none.
  func version(of offer: Offer) -> UInt64 { versions[offer.type] ?? 0 }
}

extension RunningContinuation {
  /// Whether the application continues the page because the page's domain names it, not because it declares the type.
  var isByDomain: Bool {
    guard offer.type == .browsingWeb, let application else { return false }
    return !application.activityTypes.contains(.browsingWeb)
  }
}
