import SegueCore

/// Who may continue what on this device: the installed applications, and the rules.
struct Catalog {
  private(set) var index = ApplicationIndex()
  private var rules = MatchRules()

  mutating func replace(_ index: ApplicationIndex) { self.index = index }

  /// What is known of domains stays: it is the engine's, and not the rules' file's.
  mutating func replace(_ rules: MatchRules) {
    let domains = self.rules.domains
    self.rules = rules
    self.rules.domains = domains
  }

  mutating func replace(_ domains: [DomainName: DomainGrant]) { rules.domains = domains }

  func application(_ id: AppID) -> InstalledApplication? { index.application(id) }

  func name(of id: AppID) -> String { index.application(id)?.name ?? "" }

  /// Who may continue an offer, and why others may not.
  func match(_ offer: Offer, isHere: Bool = false, at moment: Moment) -> OfferMatch {
    index.match(offer, rules, isHere: isHere, now: moment.seconds)
  }

  /// The application that will continue an offer: the one that the user named, otherwise the preferred one. Nil: a
  /// browser opens its page.
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
  /// Whether the application continues the page since its domain names it, and not since it declares the type.
  var isByDomain: Bool {
    guard offer.type == .browsingWeb, let application else { return false }
    return !application.activityTypes.contains(.browsingWeb)
  }
}
