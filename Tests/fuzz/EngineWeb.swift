import SegueCore
import SegueEngine

/// The domains that applications of an `EngineWorld` claim, and the links that its user follows, as an outside observer
/// knows them.
final class WebWorld {
  private let domains = ["example.org", "www.example.org", "example.com"].compactMap { DomainName($0) }
  private let urls = [
    "https://example.org/a", "https://www.example.org/", "https://example.com/", "http://example.org/",
    "https://example.org:1/", "https://[::1]/",
  ].compactMap { WebURL($0) }
  private let teamID = "team"

  private var claimed: Set<DomainName> = []
  private var fetching: Set<DomainName> = []
  private var kept: [DomainName: StoredAssociation] = [:]
  private var links: [RequestID: WebLink] = [:]
  private var opened: Set<String> = []

  /// The associations that a daemon that starts now finds on the disk.
  var stored: [StoredAssociation] { kept.values.sorted { $0.domain.string < $1.domain.string } }

  // MARK: Applications

  func claims(_ flags: UInt8) -> [AssociatedDomain] {
    domains.enumerated().filter { flags & (1 << $0.offset) != 0 }.map { place, domain in
      AssociatedDomain(
        flags & 8 == 0 ? .links : .continuation, domain, isWildcard: flags & 16 != 0 && place == 0)
    }
  }

  /// The applications that are installed from now on claim these.
  func claim(_ claims: [AssociatedDomain]) { claimed = Set(claims.map { $0.domain }) }

  func rules(_ flags: UInt8, applications: [AppID]) -> MatchRules {
    let team = Team(id: teamID, serial: 1, expires: .max, applications: Set(applications), isTrusted: flags & 1 == 0)
    var rules = MatchRules(
      teams: [teamID: flags & 2 == 0 ? .verified(team) : .refused(.signature)], allowsUserTeams: flags & 4 != 0)
    rules.opensLinks = flags & 8 == 0
    if flags & 16 != 0 { rules.keepsLinks = [domains[0]] }
    if flags & 32 != 0 { rules.browser = applications.first.map { $0.string + ".desktop" } }
    return rules
  }

  // MARK: Events

  func event(_ bytes: inout Bytes, applications: [AppID], request: () -> RequestID) -> Event {
    switch bytes.below(4) {
    case 0, 1: return follow(&bytes, applications, request())
    default:
      let domain = bytes.any(of: fetching.sorted { $0.string < $1.string }) ?? bytes.one(of: domains)
      fetching.remove(domain)
      return .association(domain, answer(&bytes, applications))
    }
  }

  private func follow(_ bytes: inout Bytes, _ applications: [AppID], _ request: RequestID) -> Event {
    let flags = bytes.byte()
    var link = WebLink(bytes.one(of: urls))
    for application in applications {
      link.verdicts[application] = bytes.one(of: [.opens(line: 1), .excluded(line: 2), .unmatched, .notNamed])
    }
    if flags & 1 != 0 { link.openers = [bytes.one(of: applications)] }
    links[request] = link
    return .control(
      request, .openLink(link, activationToken: flags & 2 == 0 ? nil : "token", isInBrowser: flags & 4 != 0))
  }

  private func answer(_ bytes: inout Bytes, _ applications: [AppID]) -> AssociationAnswer {
    let flags = bytes.byte()
    let named = Set(
      applications.enumerated().filter { flags & (1 << $0.offset) == 0 }
        .map { teamID + "." + $0.element.string })
    switch flags >> 6 {
    case 0, 1: return .file(flags & 16 == 0 ? named : [], linking: flags & 32 == 0 ? named : [])
    case 2: return .refused("It is not good.")
    default: return .unreachable("It is away.")
    }
  }

  // MARK: The engine's effects

  func perform(_ effect: Effect) {
    switch effect {
    case .fetchAssociation(let domain):
      check(claimed.contains(domain), "\(domain.string) is fetched, which nobody here claims")
      check(fetching.insert(domain).inserted, "\(domain.string) is fetched twice at once")
      check(fetching.count <= Limits.associationFetches, "\(fetching.count) files are fetched at once")
    case .keepAssociation(let stored):
      check(claimed.contains(stored.domain), "\(stored.domain.string) is kept, which nobody here claims")
      check(!fetching.contains(stored.domain), "an answer is kept that has not come")
      kept[stored.domain] = stored
    case .forgetAssociation(let domain):
      check(kept.removeValue(forKey: domain) != nil, "\(domain.string) is forgotten, which was not kept")
    default: break
    }
  }

  /// The application that opens a link is installed, may open it, and is not the one that the link was opened from.
  func replied(_ request: RequestID, _ opener: AppID?) {
    guard let link = links.removeValue(forKey: request) else { fatalError("a link that nobody has followed") }
    guard let opener else { return }
    check(link.verdicts[opener] == .opens(line: 1), "\(opener.string) opens a link for which it is not named")
    check(!link.openers.contains(opener), "\(opener.string) gets its own link back")
    check(link.host != nil, "\(link.url.string) is opened in an application")
    opened.insert(link.url.string)
  }

  /// Whether this is the page of a link that an application opens.
  func isLink(_ snapshot: Snapshot) -> Bool {
    snapshot.type == .browsingWeb && opened.contains(snapshot.webpageURL ?? "")
  }

  /// The daemon is killed.
  func restart() { (fetching, links) = ([], [:]) }

  /// The domains no longer answer: each fetch that still runs fails.
  func atTheEnd() -> [Event] {
    let waiting = fetching.sorted { $0.string < $1.string }
    fetching = []
    return waiting.map { .association($0, .unreachable("It is away.")) }
  }
}
