import SegueCore
import Testing

@testable import SegueEngine

/// Links that are followed on this device (semantics W5).
@Suite struct WebLinksTests {
  private let team = "teamteamteamteamteamteamteamteam"

  private func domain(_ text: String) throws -> DomainName { try #require(DomainName(text)) }

  private func link(
    _ url: String = "https://example.com/articles/1?b=c#d", _ verdict: WebLinkVerdict? = .opens(line: 1)
  ) throws -> WebLink {
    var link = WebLink(try #require(WebURL(url)))
    link.verdicts[try appID()] = verdict
    return link
  }

  private func reader(_ claim: String, types: [ActivityType] = []) throws -> InstalledApplication {
    InstalledApplication(
      appID: try appID(), name: "Reader", desktopFile: "/reader.desktop", tier: .system, activityTypes: types,
      team: team, domains: [try #require(AssociatedDomain(claim))])
  }

  private func rules() throws -> MatchRules {
    MatchRules(teams: [
      team: .verified(Team(id: team, serial: 1, expires: .max, applications: [try appID()], isTrusted: true))
    ])
  }

  /// The application claims the links, and the domain's file names it.
  private func trial(
    _ claim: String = "applinks:example.com", linking: Set<String>? = nil, types: [ActivityType] = []
  ) throws -> Trial {
    var trial = Trial()
    trial.handle(.loaded([]))
    trial.handle(.canLaunch)
    trial.handle(.rules(try rules()))
    var index = ApplicationIndex()
    index.set(try appID(), to: try reader(claim, types: types))
    trial.handle(.applications(index))
    let linking = linking ?? ["\(team).com.example.Reader"]
    trial.handle(.association(try domain("example.com"), .file([], linking: linking)))
    return trial
  }

  private func open(_ link: WebLink, _ trial: inout Trial, _ request: RequestID = 1) -> [Effect] {
    trial.handle(.control(request, .openLink(link, activationToken: "token")))
  }

  private func opener(_ effects: [Effect], _ request: RequestID = 1) -> AppID? {
    if case .link(let id)? = effects.reply(request) { id } else { nil }
  }

  @Test func W5_aLinkGoesToTheApplicationThatItsDomainNames() throws {
    var trial = try trial()
    let opened = open(try link(), &trial)
    #expect(opener(opened) == (try appID()))
    let launch = try #require(opened.launch)
    #expect(launch.application.appID == (try appID()) && launch.activationToken == "token")
    trial.handle(.door(7, .registered(try appID(), .system)))
    trial.handle(.door(7, .begin(ticket: launch.ticket, showsFailure: true, 2)))
    guard case .claimed(let claimed)? = trial.handle(.door(7, .claim(ticket: launch.ticket, 3))).reply(3) else {
      Issue.record("it was not claimed")
      return
    }
    #expect(claimed.type == .browsingWeb && claimed.webpageURL == "https://example.com/articles/1?b=c#d")
    #expect(claimed.userInfo == [0xA0])
    // The link leaves no trace: no origin has to be told, and no offer is hidden.
    let ended = trial.handle(.door(7, .finish(ticket: launch.ticket, handled: true)))
    let journal = try #require(ended.record)
    #expect(journal == ContinuationJournal())
  }

  /// Each part that has to agree is taken away in turn.
  @Test func W5_aLinkThatIsNotGrantedStaysInTheBrowser() throws {
    func stays(_ trial: Trial, _ link: WebLink) -> String? {
      var trial = trial
      let opened = open(link, &trial)
      #expect(opened.launch == nil)
      guard case .link(nil)? = opened.reply(1) else { return nil }
      return trial.engine.explain(link, at: trial.moment).first?.reason ?? ""
    }
    #expect(stays(try trial(), try link("https://example.com/", .unmatched)) == "link-unmatched")
    #expect(stays(try trial(), try link("https://example.com/", .excluded(line: 2))) == "link-excluded")
    // The daemon's present record of the domain counts, whatever the file said when it was read.
    #expect(stays(try trial(linking: []), try link()) == "domain-names-others")
    #expect(stays(try trial(linking: ["other.com.example.Reader"]), try link()) == "domain-names-others")
    #expect(stays(try trial(), try link("https://example.com/", nil)) == "domain-unknown")
    #expect(stays(try trial("activitycontinuation:example.com"), try link()) == "")
    // An application that continues pages is a browser, whatever it claims.
    #expect(stays(try trial(types: [.browsingWeb]), try link()) == "")
    for url in ["http://example.com/", "https://example.com:8443/", "https://example.org/", "https://[::1]/"] {
      #expect(stays(try trial(), try link(url)) == "")
    }
    var own = try link()
    own.openers = [try appID()]
    #expect(stays(try trial(), own) == "own-link")
    var unproved = try trial()
    unproved.handle(.rules(MatchRules()))
    #expect(stays(unproved, try link()) == "no-manifest")
    var kept = try trial()
    var rules = try rules()
    rules.keepsLinks = [try domain("example.com")]
    kept.handle(.rules(rules))
    #expect(stays(kept, try link()) == "links-kept")
    #expect(kept.engine.linkClaims(at: kept.moment).map(\.refusal) == [.linksKept(try domain("example.com"))])
  }

  @Test func W5_aHostsLinksAreKeptAloneOrWithTheDomains() throws {
    var trial = try trial("applinks:*.example.com")
    var rules = try rules()
    rules.keepsLinks = [try domain("www.example.com")]
    trial.handle(.rules(rules))
    #expect(opener(open(try link("https://www.example.com/"), &trial)) == nil)
    #expect(opener(open(try link("https://shop.example.com/"), &trial, 2), 2) == (try appID()))
    rules.keepsLinks = [try domain("example.com")]
    trial.handle(.rules(rules))
    #expect(opener(open(try link("https://shop.example.com/"), &trial, 3), 3) == nil)
  }

  @Test func W5_aWildcardIsForTheNamesBelow() throws {
    var trial = try trial("applinks:*.example.com")
    #expect(opener(open(try link("https://www.example.com/"), &trial)) == (try appID()))
    #expect(opener(open(try link("https://example.com/"), &trial, 2), 2) == nil)
  }

  @Test func W5_inABrowserALinkIsTakenOnlyWhereTheUserWantsThatOfAll() throws {
    var trial = try trial()
    func open(_ request: RequestID) throws -> AppID? {
      opener(trial.handle(.control(request, .openLink(try link(), activationToken: nil, isInBrowser: true))), request)
    }
    #expect(try open(1) == nil)
    var rules = try rules()
    rules.opensLinks = true
    trial.handle(.rules(rules))
    #expect(try open(2) == (try appID()))
  }

  @Test func W5_userInterfacesAreToldOfLinksAndNotForEachOffer() throws {
    var trial = try trial()
    func tells(_ event: Event) -> Bool {
      trial.handle(event).contains { if case .signal(.linksChanged) = $0 { true } else { false } }
    }
    #expect(tells(.rules(try rules())))
    #expect(tells(.applications(ApplicationIndex())))
    #expect(tells(.association(try domain("example.com"), .file([], linking: []))))
    #expect(!tells(.paired([])))
  }

  /// If the application cannot be started, the user sees the page all the same.
  @Test func W5_aBrowserOpensTheLinkIfItsApplicationCannotBeStarted() throws {
    var trial = try trial()
    let launch = try #require(open(try link(), &trial).launch)
    let failure = SegueError(.launchFailed, "It cannot be started.")
    let failed = trial.handle(.launchFailed(ticket: launch.ticket, failure, ownerGone: false))
    #expect(failed.pages == ["https://example.com/articles/1?b=c#d"])
    // The same holds if it does not answer, or does not take the link.
    var silent = try self.trial()
    _ = open(try link(), &silent)
    #expect(silent.wait(Times().launch).pages.count == 1)
    var refusing = try self.trial()
    let ticket = try #require(open(try link(), &refusing).launch).ticket
    refusing.handle(.door(7, .registered(try appID(), .system)))
    refusing.handle(.door(7, .begin(ticket: ticket, showsFailure: true, 2)))
    refusing.handle(.door(7, .claim(ticket: ticket, 3)))
    #expect(refusing.handle(.door(7, .finish(ticket: ticket, handled: false))).pages.count == 1)
  }

  /// A link is no choice of an offer: neither cancels the other.
  @Test func W5_aLinkCancelsNoContinuation() throws {
    var trial = try trial()
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "desk")]))
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    var index = ApplicationIndex()
    var both = try reader("applinks:example.com")
    both.activityTypes = [try type()]
    index.set(both.appID, to: both)
    trial.handle(.applications(index))
    _ = try trial.offer(1)
    let chosen = trial.handle(.control(1, .choose(id(1), nil, activationToken: nil)))
    #expect(chosen.fetch != nil)
    let opened = open(try link(), &trial, 2)
    #expect(opened.launch != nil && opened.reply(1) == nil)
    _ = try trial.offer(2, sequence: 2)
    let second = trial.handle(.control(3, .choose(id(2), nil, activationToken: nil)))
    // The first offer's continuation is over, and the link's goes on.
    #expect(second.failure(1)?.code == .userCancelled)
    trial.handle(.door(7, .registered(try appID(), .system)))
    let begun = trial.handle(.door(7, .begin(ticket: try #require(opened.launch).ticket, showsFailure: true, 4)))
    #expect(begun.failure(4) == nil)
  }

  /// The next daemon resumes the link: the URL is in the journal.
  @Test func W5_aLinkOutlivesTheDaemon() throws {
    var trial = try trial()
    let journal = try #require(open(try link(), &trial).record)
    let written = try ContinuationJournal.decode(try journal.encode())
    #expect(written == journal)
    var next = Trial(journal: written)
    next.handle(.loaded([]))
    var index = ApplicationIndex()
    index.set(try appID(), to: try reader("applinks:example.com"))
    next.handle(.applications(index))
    let launch = try #require(next.handle(.canLaunch).launch)
    next.handle(.door(7, .registered(try appID(), .system)))
    next.handle(.door(7, .begin(ticket: launch.ticket, showsFailure: true, 2)))
    guard case .claimed(let claimed)? = next.handle(.door(7, .claim(ticket: launch.ticket, 3))).reply(3) else {
      Issue.record("it was not claimed")
      return
    }
    #expect(claimed.webpageURL == "https://example.com/articles/1?b=c#d")
  }

  @Test func W5_noMoreLinksAreOnTheirWayThanMay() throws {
    var trial = try trial()
    for number in 1...UInt64(Limits.linksOpened) {
      #expect(opener(open(try link(), &trial, number), number) == (try appID()))
    }
    let opened = open(try link(), &trial, 100)
    #expect(opened.launch == nil)
    guard case .link(nil)? = opened.reply(100) else {
      Issue.record("one link too many")
      return
    }
  }

  /// A link has no application at its other end.
  @Test func W5_aLinkHasNoStreamsAndNoFiles() throws {
    var trial = try trial()
    let launch = try #require(open(try link(), &trial).launch)
    trial.handle(.door(7, .registered(try appID(), .system)))
    trial.handle(.door(7, .begin(ticket: launch.ticket, showsFailure: true, 2)))
    trial.handle(.door(7, .claim(ticket: launch.ticket, 3)))
    let stream = trial.handle(.door(7, .openStream(continuation: launch.continuation, 4)))
    #expect(stream.failure(4)?.code == .notFound)
    let file = trial.handle(
      .door(7, .bringFile(continuation: launch.continuation, url: "file:///a", transfer: 1, 5)))
    #expect(file.failure(5)?.code == .notFound)
  }
}

extension [Effect] {
  fileprivate var pages: [String] {
    compactMap { if case .openBrowser(_, let page) = $0 { page.string } else { nil } }
  }
}
