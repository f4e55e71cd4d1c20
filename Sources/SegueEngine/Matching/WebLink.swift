import SegueCore

/// A link that the user has followed on this device, with what the association files say of it to the applications that
/// claim its host.
public struct WebLink: Equatable, Sendable {
  public let url: WebURL
  /// The link's host, if applications may open the link: it is https, its host has a name, and it names no port
  /// (semantics W5).
  public let host: DomainName?
  /// An application whose domain's file is not known has no verdict.
  public var verdicts: [AppID: WebLinkVerdict]
  /// The applications that have opened the link themselves: an application that does that wants a browser.
  public var openers: Set<AppID>

  public init(_ url: WebURL, verdicts: [AppID: WebLinkVerdict] = [:], openers: Set<AppID> = []) {
    self.url = url
    host = url.string.begins(with: "https://") && url.host == url.authority ? DomainName(url.host) : nil
    self.verdicts = verdicts
    self.openers = openers
  }

  /// The offer that the application continues: a page, as if one of the application's own activities had it.
  public func offer(_ id: Identifier, in application: InstalledApplication) -> Offer {
    Offer(
      id: id, revision: 1, type: .browsingWeb, appID: application.appID, webHost: url.authority,
      tier: application.tier)
  }

  /// The state of that offer. The userInfo is an empty dictionary in CBOR.
  public func snapshot(of offer: Offer) -> Snapshot {
    Snapshot(id: offer.id, revision: offer.revision, type: offer.type, webpageURL: url.string, userInfo: [0xA0])
  }
}

extension Offer {
  /// A placeholder for sentences about an application and links, which are not offers.
  fileprivate static func link(in application: InstalledApplication) -> Offer {
    Offer(id: Identifier(high: 0, low: 0), revision: 0, type: .browsingWeb, appID: application.appID)
  }
}

/// The applications that may open a link on this device, and those that claim its host and may not, with the reason.
public struct WebLinkMatch: Equatable, Sendable {
  public struct Refusal: Equatable, Sendable {
    public let application: InstalledApplication
    public let reason: MatchReason
    /// The reason, for a person.
    public var sentence: String { reason.sentence(application, .link(in: application)) }
  }

  /// The one that claims the host itself, or the nearest domain above it, is the first; then by id.
  public fileprivate(set) var candidates: [InstalledApplication] = []
  public fileprivate(set) var refusals: [Refusal] = []

  /// The application that opens it; nil: a browser does.
  public var preferred: InstalledApplication? { candidates.first }
}

extension ApplicationIndex {
  /// Judges the applications that claim the host of a link. `now` is in seconds since 1970, for manifests that expire.
  public func match(_ link: WebLink, _ rules: MatchRules, now: UInt64) -> WebLinkMatch {
    var match = WebLinkMatch()
    guard let host = link.host else { return match }
    for (application, claim) in applications(claiming: host, for: .links) {
      // An application that declares the browsing type is a browser, whatever it claims.
      guard !application.activityTypes.contains(.browsingWeb) else { continue }
      let verdict = link.verdicts[application.appID]
      let reason = rules.reason(application, linkTo: host, claim.domain, verdict, now: now)
      if let reason = reason ?? (link.openers.contains(application.appID) ? .ownLink : nil) {
        match.refusals.append(WebLinkMatch.Refusal(application: application, reason: reason))
      } else {
        match.candidates.append(application)
      }
    }
    return match
  }
}

extension MatchRules {
  /// Why an application that claims a domain may not open a link to it; nil if it may.
  fileprivate func reason(
    _ application: InstalledApplication, linkTo host: DomainName, _ domain: DomainName, _ verdict: WebLinkVerdict?,
    now: UInt64
  ) -> MatchReason? {
    if let reason = reason(application, domain, for: .links, now: now) { return reason }
    switch verdict {
    case .opens?: break
    case .excluded?: return .linkExcluded(domain)
    case .unmatched?: return .linkUnmatched(domain)
    case .notNamed?, nil: return .domainUnknown(domain)
    }
    // The user may mean one host of a domain, or all.
    return [host, domain].first { keepsLinks.contains($0) }.map { .linksKept($0) }
  }
}

/// An application's claim to the links of a domain, and whether it counts.
public struct WebLinkClaim: Equatable, Sendable {
  public let application: InstalledApplication
  public let claim: AssociatedDomain
  /// Why it opens no link; nil: it opens those for which the domain's file has a pattern.
  public let refusal: MatchReason?

  /// The reason, for a person; nil where there is none.
  public var sentence: String? {
    refusal?.sentence(application, .link(in: application))
  }
}

extension ApplicationIndex {
  /// All claims to links, by domain, then by application.
  public func linkClaims(_ rules: MatchRules, now: UInt64) -> [WebLinkClaim] {
    appIDs.compactMap { application($0) }.flatMap { application in
      application.domains.filter { $0.service == .links }.map { claim in
        WebLinkClaim(
          application: application, claim: claim,
          refusal: rules.reason(application, claim.domain, for: .links, now: now)
            ?? (rules.keepsLinks.contains(claim.domain) ? .linksKept(claim.domain) : nil))
      }
    }.sorted {
      ($0.claim.domain.string, $0.application.appID.string) < ($1.claim.domain.string, $1.application.appID.string)
    }
  }
}
