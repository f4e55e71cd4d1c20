import SegueCore

/// The rules that decide, with the list of installed applications, which application may continue an offer.
public struct MatchRules: Sendable {
  /// The record of each team, by its id.
  public var teams: [String: TeamRecord]
  /// The user's choice for types that several applications continue.
  public var defaults: [ActivityType: AppID]
  /// The developer's override: applications and manifests in the home folder count for teams.
  public var allowsUserTeams: Bool
  /// The id of the desktop file of the user's default browser; nil where there is none.
  public var browser: String?
  /// The applications with a running process that the default browser has started: such a process acts for the browser,
  /// whatever it is called.
  public var browserHosts: Set<AppID> = []
  /// The association files of the domains that applications here claim; the engine fills them in (semantics W3).
  public var domains: [DomainName: DomainGrant] = [:]
  /// Whether the desktop hands the links that the user follows to Segue (semantics W5).
  public var opensLinks = false
  /// The domains whose links the user wants to stay in the browser (semantics W5).
  public var keepsLinks: Set<DomainName> = []

  public init(
    teams: [String: TeamRecord] = [:], defaults: [ActivityType: AppID] = [:], allowsUserTeams: Bool = false,
    browser: String? = nil
  ) {
    self.teams = teams
    self.defaults = defaults
    self.allowsUserTeams = allowsUserTeams
    self.browser = browser
  }
}

/// The applications that may continue an offer on this device, and those that may not, with the reason (semantics V10,
/// V12, O1).
public struct OfferMatch: Equatable, Sendable {
  /// An application that has the offer's application id, or declares its type, and may not continue it.
  public struct Refusal: Equatable, Sendable {
    public let application: InstalledApplication
    /// The first reason.
    public let reason: MatchReason
    fileprivate let offer: Offer
    /// The reason, for a person.
    public var sentence: String { reason.sentence(application, offer) }
  }

  public let offer: Offer
  private let isHere: Bool
  /// The applications that may continue the offer: the user's default, then those that a web page's domain names, then
  /// the one with the same id, then the others by id. For types other than pages, those of the offer's own program come
  /// first, of these the one inside it.
  public private(set) var candidates: [InstalledApplication] = []
  /// The applications that may not, by id.
  public private(set) var refusals: [Refusal] = []
  /// The application that continues the offer if the user names none; nil if there is no candidate, or if the user has
  /// to choose.
  public private(set) var preferred: InstalledApplication?

  /// Whether there are candidates, and none of them is the obvious one.
  public var needsChoice: Bool { preferred == nil && !candidates.isEmpty }

  /// Where a browser would open the offer's page, since no application here may continue it (semantics W1); otherwise
  /// nil. It is the host, in its ASCII form, with the port where one is given.
  public var browserHost: String? {
    guard candidates.isEmpty, !isHere, let host = offer.webHost, WebURL.isAuthority(host) else { return nil }
    return host
  }

  fileprivate init(_ offer: Offer, isHere: Bool) {
    self.offer = offer
    self.isHere = isHere
  }

  fileprivate mutating func add(_ application: InstalledApplication, _ reason: MatchReason?) {
    if let reason {
      refusals.append(Refusal(application: application, reason: reason, offer: offer))
    } else {
      candidates.append(application)
    }
  }

  /// Puts those in front that are the offer's own program here: what takes part inside the program, by a plugin or by
  /// itself, before what acts for it from outside. `origin`: what has the offer's application id here. Returns whether
  /// there is one.
  fileprivate mutating func rank(by origin: InstalledApplication?) -> Bool {
    func rank(_ application: InstalledApplication) -> Int {
      let isSame = application.appID == offer.appID
      if !isSame, let origin, origin.acts(for: application.appID) { return 0 }
      if isSame { return 1 }
      if application.acts(for: offer.appID) || origin?.isSameProgram(as: application) == true { return 2 }
      return 3
    }
    let ranked = candidates.enumerated().map { (rank: rank($0.element), place: $0.offset, application: $0.element) }
      .sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }
    candidates = ranked.map(\.application)
    return ranked.first.map { $0.rank < 3 } ?? false
  }

  /// `named`: how many of the candidates, which are the first, the page's domain names. A domain knows its application
  /// better than a browser does, but for one that the user has chosen for all pages. `isOwn`: the first one is the offer's
  /// own program. A choice of a program counts for the application that acts for it.
  fileprivate mutating func prefer(_ preference: AppID?, named: Int, isOwn: Bool) {
    guard let first = candidates.first else { return }
    if named == 1 || named == 0 && isOwn || candidates.count == 1 { preferred = first }
    guard let preference,
      let place = candidates.firstIndex(where: { $0.appID == preference })
        ?? candidates.firstIndex(where: { $0.acts(for: preference) }),
      named > 0 || preferred == nil || !isOwn
    else { return }
    let application = candidates.remove(at: place)
    candidates.insert(application, at: 0)
    preferred = application
  }

  /// Why no application continues it, or between which ones the user has to choose; nil if there is a `preferred` one.
  public var error: SegueError? {
    if preferred != nil { return nil }
    if needsChoice {
      let names = candidates.map { "\($0.name) (\($0.appID.string))" }
      return SegueError(
        .invalidArgument, "\(candidates.count) applications can continue this: \(names.listed).",
        advice: "Name one with --app, or choose one for good: segue default \(offer.type.string) APP")
    }
    let why = (refusals.first { $0.application.appID == offer.appID } ?? refusals.first).map { ": " + $0.sentence }
    return SegueError(
      .noApplication, "No application on this device can continue \(offer.type.string)\(why ?? ".")",
      advice: "Install \(offer.appID.string) here; its desktop file must list the type.")
  }

  /// The candidate with this id, or that acts for it. Throws why the application may not continue the offer.
  public func candidate(_ id: AppID) throws(SegueError) -> InstalledApplication {
    if let application = candidates.first(where: { $0.appID == id }) { return application }
    if let application = candidates.first(where: { $0.acts(for: id) }) { return application }
    if let refusal = refusals.first(where: { $0.application.appID == id }) {
      // A user who names a browser wants that browser, not the default one.
      if refusal.reason == .notDefaultBrowser { return refusal.application }
      throw SegueError(.noApplication, refusal.sentence)
    }
    throw SegueError(
      .noApplication, "\(id.string) is not installed here, or does not declare \(offer.type.string).",
      advice: candidates.isEmpty ? "" : "These can continue it: \(candidates.map { $0.appID.string }.listed).")
  }
}

extension [String] {
  /// The names, separated by commas.
  fileprivate var listed: String {
    var text = ""
    for item in self { text += (text.isEmpty ? "" : ", ") + item }
    return text
  }
}

extension ApplicationIndex {
  /// Judges every application that has the offer's application id or declares its type. `isHere`: the offer is of
  /// another application of this device (semantics V19). `now` is in seconds since 1970, for manifests that expire.
  public func match(_ offer: Offer, _ rules: MatchRules, isHere: Bool = false, now: UInt64) -> OfferMatch {
    var match = OfferMatch(offer, isHere: isHere)
    let claimants = applications(claiming: offer.type)
    let named = matchDomain(&match, offer, rules, isHere: isHere, now: now)
    // An application that its domain names may have the id of the one at the origin.
    if let same = application(offer.appID), !match.candidates.contains(same) {
      match.add(same, reason(same, offer, declares: claimants.contains { $0.appID == offer.appID }, isHere: isHere))
    }
    for application in claimants where application.appID != offer.appID {
      match.add(application, rules.reason(application, offer, now: now))
    }
    // The user's browser is not chosen for pages whose domain names an application here.
    let browser = named == 0 ? match.candidates.first { rules.isBrowser($0, for: offer) }?.appID : nil
    let isOwn =
      offer.type == .browsingWeb
      ? match.candidates.first?.appID == offer.appID : match.rank(by: application(offer.appID))
    match.prefer(rules.defaults[offer.type] ?? browser, named: named, isOwn: isOwn)
    return match
  }

  /// Judges the applications that claim the domain of a web page (semantics W3), and says how many may continue it. One
  /// that declares the browsing type is a browser, whatever it claims.
  private func matchDomain(
    _ match: inout OfferMatch, _ offer: Offer, _ rules: MatchRules, isHere: Bool, now: UInt64
  ) -> Int {
    guard offer.type == .browsingWeb, let host = offer.webHost.flatMap({ DomainName($0) }) else { return 0 }
    for (application, claim) in applications(claiming: host, for: .continuation) {
      guard !application.activityTypes.contains(.browsingWeb), !isHere || application.appID != offer.appID else {
        continue
      }
      match.add(application, rules.reason(application, claim.domain, for: .continuation, now: now))
    }
    return match.candidates.count
  }

  /// Why the application of the offer's own id may not continue it; nil if it may.
  private func reason(
    _ application: InstalledApplication, _ offer: Offer, declares: Bool, isHere: Bool
  ) -> MatchReason? {
    if isHere { return .ownActivity }
    if !declares { return .typeNotDeclared }
    if application.tier < offer.tier { return .tierTooLow }
    return nil
  }
}

extension MatchRules {
  /// Whether the application takes over web pages in the place of the user's default browser (semantics W2).
  fileprivate func isBrowser(_ application: InstalledApplication, for offer: Offer) -> Bool {
    guard offer.type == .browsingWeb else { return false }
    if browserHosts.contains(application.appID) { return true }
    guard let browser else { return false }
    return application.actsFor.contains(browser) || application.appID.string + ".desktop" == browser
  }

  /// Why an application that claims a domain may not continue its pages, or open its links; nil if it may. The domain
  /// names a team besides the application, so that the team has to be proved.
  func reason(
    _ application: InstalledApplication, _ domain: DomainName, for service: AssociatedDomain.Service, now: UInt64
  ) -> MatchReason? {
    guard let team = application.team else { return .noTeamForDomain(domain) }
    guard let grant = domains[domain] else { return .domainUnknown(domain) }
    guard grant.applications(for: service).contains(team + "." + application.appID.string) else {
      return grant.problem.map { .domainRefused(domain, $0) } ?? .domainNamesOthers(domain)
    }
    if !allowsUserTeams, application.tier == .user { return .userTier }
    switch teams[team] {
    case nil: return .noManifest
    case .refused(let problem)?: return .manifestRefused(problem)
    case .verified(let manifest)?:
      if !manifest.isTrusted, !allowsUserTeams { return .userManifest }
      if now >= manifest.expires { return .manifestExpired }
      return manifest.applications.contains(application.appID) ? nil : .applicationNotListed
    }
  }

  /// Why an application of another id, which declares the type, may not continue an offer; nil if it may.
  fileprivate func reason(_ application: InstalledApplication, _ offer: Offer, now: UInt64) -> MatchReason? {
    // It would get the page's URL in any case.
    if isBrowser(application, for: offer) { return nil }
    if offer.type == .browsingWeb, application.team == nil { return .notDefaultBrowser }
    if offer.type.isOpen { return application.tier < offer.tier ? .tierTooLow : nil }
    guard let team = application.team else { return .noTeam }
    guard let other = offer.team else { return .noTeamAtOrigin }
    guard team == other else { return .otherTeam }
    if !allowsUserTeams {
      if application.tier == .user { return .userTier }
      if offer.tier == .user { return .userTierAtOrigin }
    }
    if application.tier < offer.tier { return .tierTooLow }
    switch teams[team] {
    case nil: return .noManifest
    case .refused(let problem)?: return .manifestRefused(problem)
    case .verified(let manifest)?:
      if !manifest.isTrusted, !allowsUserTeams { return .userManifest }
      if now >= manifest.expires { return .manifestExpired }
      if !manifest.applications.contains(offer.appID) { return .originNotListed }
      if !manifest.applications.contains(application.appID) { return .applicationNotListed }
      if !manifest.types.isEmpty, !manifest.types.contains(offer.type) { return .typeNotListed }
      return nil
    }
  }
}

extension OfferMatch {
  /// Whether an application is told of the offer, and may choose it: only an application that may continue it
  /// (semantics V10, V12). A process of a lower tier than the installed application is not told either.
  public func isListed(for application: AppID, tier: InstalledApplication.Tier) -> Bool {
    candidates.contains { $0.appID == application && tier >= $0.tier }
  }
}
