import SegueCore

/// Why an application may not continue an offer (semantics V12, V19).
public enum MatchReason: Equatable, Sendable {
  /// It is the application's own activity on this device.
  case ownActivity
  /// Its desktop file does not declare the type.
  case typeNotDeclared
  /// Its tier here is lower than its tier on the origin.
  case tierTooLow
  /// The activity is a page of another browser, and this one is not the user's default browser.
  case notDefaultBrowser
  /// It is another application, and claims no team.
  case noTeam
  /// The origin's application claims no team.
  case noTeamAtOrigin
  /// The two applications claim different teams.
  case otherTeam
  /// It is installed in the home folder, so it may only continue activities of its own id.
  case userTier
  /// The origin's application is in its user's home folder, so only an application of the same id may continue.
  case userTierAtOrigin
  /// No manifest of the team is installed here.
  case noManifest
  /// The team's manifest does not verify.
  case manifestRefused(TeamProblem)
  /// The team's manifest is in the home folder.
  case userManifest
  case manifestExpired
  /// The manifest does not list the origin's application.
  case originNotListed
  /// The manifest does not list the application here.
  case applicationNotListed
  /// The manifest lists types, and this one is not among them.
  case typeNotListed
  /// It claims the page's domain, and no team, which the domain's file would name.
  case noTeamForDomain(DomainName)
  /// The domain's association file has not been read yet.
  case domainUnknown(DomainName)
  /// The domain has no file that is good: the reason.
  case domainRefused(DomainName, String)
  /// The domain's file does not name the application.
  case domainNamesOthers(DomainName)
  /// A pattern of the domain's file keeps the link out.
  case linkExcluded(DomainName)
  /// No pattern of the domain's file is for the link.
  case linkUnmatched(DomainName)
  /// The user wants links to the domain to stay in the browser.
  case linksKept(DomainName)
  /// The application has opened the link itself.
  case ownLink

  /// A word for programs.
  public var word: String {
    switch self {
    case .ownActivity: "own-activity"
    case .typeNotDeclared: "type-not-declared"
    case .tierTooLow: "tier-too-low"
    case .notDefaultBrowser: "not-default-browser"
    case .noTeam: "no-team"
    case .noTeamAtOrigin: "no-team-at-origin"
    case .otherTeam: "other-team"
    case .userTier: "user-tier"
    case .userTierAtOrigin: "user-tier-at-origin"
    case .noManifest: "no-manifest"
    case .manifestRefused: "manifest-refused"
    case .userManifest: "user-manifest"
    case .manifestExpired: "manifest-expired"
    case .originNotListed: "origin-not-listed"
    case .applicationNotListed: "application-not-listed"
    case .typeNotListed: "type-not-listed"
    case .noTeamForDomain: "no-team-for-domain"
    case .domainUnknown: "domain-unknown"
    case .domainRefused: "domain-refused"
    case .domainNamesOthers: "domain-names-others"
    case .linkExcluded: "link-excluded"
    case .linkUnmatched: "link-unmatched"
    case .linksKept: "links-kept"
    case .ownLink: "own-link"
    }
  }

  /// The reason, for a person.
  public func sentence(_ application: InstalledApplication, _ offer: Offer) -> String {
    let name = application.name
    let team = application.team ?? ""
    let id = application.appID.string
    switch self {
    case .ownActivity: return "\(name) has this activity itself."
    case .typeNotDeclared:
      return "\(name) does not declare the activity type \(offer.type.string) on this device."
    case .tierTooLow:
      return "\(name) is installed here \(application.tier.installed), and at the origin \(offer.tier.installed): "
        + "it may not take over what a better known application offers."
    case .notDefaultBrowser: return "\(name) is not the default browser of this device."
    case .noTeam: return "\(name) is another application than \(offer.appID.string), and declares no team."
    case .noTeamAtOrigin: return "\(offer.appID.string) declares no team, so only it continues its activities."
    case .otherTeam: return "\(name) and \(offer.appID.string) declare different teams."
    case .userTier:
      return "\(name) is installed in the home folder, so it continues only activities of the same application id."
    case .userTierAtOrigin:
      return "\(offer.appID.string) is installed in a home folder there, so only the same application id continues it."
    case .noManifest: return "No manifest of \(name)'s team is installed here: segue/teams/\(team).manifest."
    case .manifestRefused(let problem): return "The manifest of \(name)'s team \(problem.reason)."
    case .userManifest:
      return "The manifest of \(name)'s team is in the home folder, where it proves nothing."
    case .manifestExpired: return "The manifest of \(name)'s team has expired."
    case .originNotListed: return "The manifest of \(name)'s team does not list \(offer.appID.string)."
    case .applicationNotListed: return "The manifest of \(name)'s team does not list \(id)."
    case .typeNotListed: return "The manifest of \(name)'s team does not list \(offer.type.string)."
    case .noTeamForDomain(let domain):
      return "\(name) claims \(domain.string), and declares no team, which the domain's association file names."
    case .domainUnknown(let domain):
      return "\(name) claims \(domain.string), whose association file has not been read yet."
    case .domainRefused(let domain, let problem):
      return "\(name) claims \(domain.string), whose association file says nothing: \(problem)"
    case .domainNamesOthers(let domain):
      return "\(name) claims \(domain.string), whose association file does not name \(team).\(id)."
    case .linkExcluded(let domain):
      return "The association file of \(domain.string) excludes this link from \(name)."
    case .linkUnmatched(let domain):
      return "The association file of \(domain.string) names \(name), and has no pattern for this link."
    case .linksKept(let domain):
      return "\(name) could open it, and you want links to \(domain.string) to stay in the browser."
    case .ownLink: return "\(name) has opened the link itself, and so wants a browser."
    }
  }
}

extension InstalledApplication.Tier {
  /// The installer, as text that follows "is installed".
  public var installed: String {
    switch self {
    case .user: "by the user"
    case .system: "by the administrator"
    case .sandbox: "as a Flatpak"
    }
  }
}
