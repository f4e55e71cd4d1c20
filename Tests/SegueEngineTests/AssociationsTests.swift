import SegueCore
import Testing

@testable import SegueEngine

@Suite struct AssociationsTests {
  private func domain(_ text: String) throws -> DomainName { try #require(DomainName(text)) }

  private let team = "teamteamteamteamteamteamteamteam"
  private let reader = "com.example.Reader"

  private func reader(
    _ claims: [String], team: String? = "teamteamteamteamteamteamteamteam", types: [String] = [],
    tier: InstalledApplication.Tier = .system
  ) throws -> InstalledApplication {
    InstalledApplication(
      appID: try appID(), name: "Reader", desktopFile: "/reader.desktop", tier: tier,
      activityTypes: try types.map { try type($0) }, team: team,
      domains: try claims.map { try #require(AssociatedDomain($0)) })
  }

  private func index(_ applications: InstalledApplication...) -> ApplicationIndex {
    var index = ApplicationIndex()
    for application in applications { index.set(application.appID, to: application) }
    return index
  }

  private func rules() throws -> MatchRules {
    MatchRules(teams: [
      team: .verified(
        Team(id: team, serial: 1, expires: .max, applications: [try appID()], isTrusted: true))
    ])
  }

  /// An engine with an application that claims the domain, and the answer of the domain.
  private func trial(
    _ claims: [String] = ["activitycontinuation:example.com"], answer: AssociationAnswer? = nil
  ) throws -> Trial {
    var trial = Trial()
    trial.handle(.loaded([]))
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "desk")]))
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    trial.handle(.rules(try rules()))
    trial.handle(.applications(index(try reader(claims))))
    if let answer { trial.handle(.association(try domain("example.com"), answer)) }
    return trial
  }

  /// The other device has a page on offer.
  private func page(
    _ host: String = "example.com", appID: String = "org.example.Browser", sequence: UInt64 = 1
  ) throws -> Event {
    let offer = Offer(
      id: id(1), revision: 1, type: .browsingWeb, appID: try SegueEngineTests.appID(appID), title: "A page",
      webHost: host)
    return .link(.message(Trial.other, .offers(sequence: sequence, [offer])))
  }

  private func granted() -> AssociationAnswer { .file(["\(team).\(reader)"]) }

  // MARK: Fetching

  @Test func W4_aClaimIsFetchedWhenItAppearsAndThenDaily() throws {
    var trial = Trial()
    let example = try domain("example.com")
    #expect(trial.handle(.applications(index(try reader(["activitycontinuation:example.com"])))).fetched == [example])
    // The fetch is under way.
    #expect(trial.handle(.applications(index(try reader(["activitycontinuation:example.com"])))).fetched.isEmpty)
    #expect(
      trial.handle(.association(example, granted())).kept?.grant == DomainGrant(applications: ["\(team).\(reader)"]))
    #expect(trial.wait(Limits.associationInterval - 1).fetched.isEmpty)
    // The fetch comes up to a tenth later, at random.
    #expect(trial.wait(Limits.associationInterval / 10 + 1).fetched == [example])
  }

  @Test func attack48_onlyWhatAnInstalledApplicationClaimsIsFetched() throws {
    var trial = try trial(["activitycontinuation:example.com", "applinks:links.example.com"], answer: granted())
    var effects = trial.handle(try page("evil.example.net"))
    effects += trial.handle(try page("example.org"))
    effects += trial.handle(.control(1, .choose(id(1), nil, activationToken: nil)))
    effects += trial.wait(Limits.associationInterval * 2)
    #expect(Set(effects.fetched) == [try domain("example.com")])
  }

  @Test func aClaimThatIsGoneIsForgotten() throws {
    var trial = try trial(answer: granted())
    #expect(trial.handle(.applications(index(try reader([])))).forgotten == [try domain("example.com")])
    #expect(trial.wait(Limits.associationInterval * 2).fetched.isEmpty)
    // An answer that comes late changes nothing.
    #expect(trial.handle(.association(try domain("example.com"), granted())).kept == nil)
  }

  @Test func noMoreAreFetchedAtOnceThanMay() throws {
    let names = ["a.example", "b.example", "c.example", "d.example"]
    var trial = Trial()
    let first = trial.handle(.applications(index(try reader(names.map { "activitycontinuation:" + $0 })))).fetched
    #expect(first.count == Limits.associationFetches)
    var fetched = first
    var open = first
    while let domain = open.popLast() {
      let more = trial.handle(.association(domain, .refused("No."))).fetched
      fetched += more
      open += more
    }
    #expect(fetched.map(\.string).sorted() == names)
  }

  @Test func W4_failuresAreAskedAgainLaterEachTime() throws {
    var trial = try trial()
    let example = try domain("example.com")
    var pauses: [UInt64] = []
    for _ in 0..<12 {
      trial.handle(.association(example, .unreachable("Nobody answers.")))
      let start = trial.now
      while trial.wait(10_000).fetched.isEmpty, start.time(until: trial.now) < 2 * Limits.associationInterval {}
      pauses.append(start.time(until: trial.now))
    }
    trial.handle(.association(example, .unreachable("Nobody answers.")))
    for (number, pause) in pauses.enumerated() {
      let least = min(Limits.associationInterval, Limits.associationRetryTime << UInt64(number))
      #expect(pause >= least && pause <= least + least / 10 + 10_000, "\(number): \(pause)")
    }
    // Once the answer is good, the fetches are daily again.
    while trial.wait(10_000).fetched.isEmpty {}
    trial.handle(.association(example, granted()))
    #expect(trial.wait(Limits.associationInterval - 1).fetched.isEmpty)
  }

  @Test func noMoreDomainsAreAskedThanMay() throws {
    var index = ApplicationIndex()
    for number in 0...(Limits.domains / Limits.domainsPerApplication) {
      var application = try reader(
        (0..<Limits.domainsPerApplication).map { "activitycontinuation:d\(number)-\($0).example" })
      application.appID = try appID("com.example.App\(number)")
      index.set(application.appID, to: application)
    }
    var trial = Trial()
    var open = trial.handle(.applications(index)).fetched
    var count = open.count
    while let domain = open.popLast() {
      let more = trial.handle(.association(domain, .refused("No."))).fetched
      count += more.count
      open += more
    }
    #expect(count == Limits.domains)
  }

  // MARK: After a restart

  @Test func W4_whatWasKnownCountsAfterARestart() throws {
    var trial = Trial()
    let stored = StoredAssociation(
      domain: try domain("example.com"), grant: DomainGrant(applications: ["\(team).\(reader)"]),
      answered: 1_000_000 - 3_600, asked: 1_000_000 - 3_600, failures: 0)
    let gone = StoredAssociation(
      domain: try domain("gone.example"), grant: DomainGrant(), answered: 1, asked: 1, failures: 0)
    trial.handle(.associations([stored, gone]))
    let effects = trial.handle(.applications(index(try reader(["activitycontinuation:example.com"]))))
    #expect(effects.fetched.isEmpty)
    #expect(effects.forgotten == [try domain("gone.example")])
    #expect(trial.wait(Limits.associationInterval - 3_600_000 - 1).fetched.isEmpty)
    #expect(trial.wait(Limits.associationInterval / 10 + 1).fetched == [try domain("example.com")])
  }

  @Test func aClockThatWasSetBackDoesNotPutItOff() throws {
    var trial = Trial()
    trial.handle(
      .associations([
        StoredAssociation(
          domain: try domain("example.com"), grant: DomainGrant(), answered: 2_000_000, asked: 2_000_000, failures: 0)
      ]))
    let effects = trial.handle(.applications(index(try reader(["activitycontinuation:example.com"]))))
    #expect(effects.fetched == [try domain("example.com")])
  }

  @Test func numbersThatSegueNeverWrites() throws {
    var trial = Trial()
    let domain = try domain("example.com")
    trial.handle(
      .associations([
        StoredAssociation(domain: domain, grant: DomainGrant(), answered: .max, asked: 1, failures: .max)
      ]))
    let effects = trial.handle(.applications(index(try reader(["activitycontinuation:example.com"]))))
    #expect((effects + trial.wait(2 * Limits.associationInterval)).fetched == [domain])
    trial.handle(.association(domain, .unreachable("It is away.")))
    #expect(trial.wait(2 * Limits.associationInterval).fetched == [domain])
  }

  // MARK: Grants

  @Test func W3_aPageGoesToAnApplicationThatItsDomainNames() throws {
    var trial = try trial(answer: granted())
    trial.handle(try page())
    let listed = try #require(trial.engine.list(at: trial.moment).first)
    #expect(listed.match.preferred?.appID == (try appID()))
    let chosen = trial.handle(.control(1, .choose(id(1), nil, activationToken: nil)))
    #expect(chosen.launch?.application.appID == (try appID()))
    #expect(chosen.launch?.type == .browsingWeb)
  }

  /// The application is given the page, and none of the browser's own state.
  @Test func W3_theApplicationGetsThePageAndNoUserInfo() throws {
    var trial = try trial(answer: granted())
    trial.handle(try page())
    let chosen = trial.handle(.control(1, .choose(id(1), nil, activationToken: nil)))
    let fetch = try #require(chosen.fetch).0
    let snapshot = Snapshot(
      id: id(1), revision: 1, type: .browsingWeb, webpageURL: "https://example.com/a?b#c",
      userInfo: [0xA1, 0x61, 0x61, 0x01])
    trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    let ticket = try #require(chosen.launch).ticket
    trial.handle(.door(7, .registered(try appID(), .system)))
    trial.handle(.door(7, .begin(ticket: ticket, showsFailure: true, 2)))
    guard case .claimed(let claimed)? = trial.handle(.door(7, .claim(ticket: ticket, 3))).reply(3) else {
      Issue.record("it was not claimed")
      return
    }
    #expect(claimed.webpageURL == "https://example.com/a?b#c")
    #expect(claimed.userInfo == [0xA0])
  }

  @Test(arguments: [
    "https://example.org/", "https://example.com.evil.net/", "https://user@example.com/", "https://example.com:8443/",
    "javascript:alert(1)", nil,
  ])
  func attack29_aPageOfAnotherHostIsNotHandedOver(_ url: String?) throws {
    var trial = try trial(answer: granted())
    trial.handle(try page())
    let chosen = trial.handle(.control(1, .choose(id(1), nil, activationToken: nil)))
    let fetch = try #require(chosen.fetch).0
    let snapshot = Snapshot(id: id(1), revision: 1, type: .browsingWeb, webpageURL: url, userInfo: [0xA0])
    trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    let ticket = try #require(chosen.launch).ticket
    trial.handle(.door(7, .registered(try appID(), .system)))
    trial.handle(.door(7, .begin(ticket: ticket, showsFailure: true, 2)))
    let error = try #require(trial.handle(.door(7, .claim(ticket: ticket, 3))).failure(3))
    #expect(error.message.contains("not on the host"))
  }

  /// A browser that uses Segue also opens what was shown: the page's host, or no page if no host was shown.
  @Test(
    arguments: [
      ("example.com", "https://example.com/a", true), ("example.com", "https://example.org/", false),
      ("example.com", "https://example.com:8443/", false), ("example.com", nil, false),
      (nil, "https://example.org/", false), (nil, nil, true),
    ] as [(String?, String?, Bool)])
  func attack29_aBrowserGetsNoPageOfAnotherHostThanWasShown(_ host: String?, _ url: String?, _ isRight: Bool) throws {
    var trial = try trial()
    trial.handle(.applications(index(try reader([], types: ["org.segue.BrowsingWeb"]))))
    let offer = Offer(
      id: id(1), revision: 1, type: .browsingWeb, appID: try SegueEngineTests.appID(reader), title: "A page",
      webHost: host)
    trial.handle(.link(.message(Trial.other, .offers(sequence: 1, [offer]))))
    let chosen = trial.handle(.control(1, .choose(id(1), nil, activationToken: nil)))
    let place: [UInt8] = [0xA1, 0x61, 0x61, 1]
    let snapshot = Snapshot(id: id(1), revision: 1, type: .browsingWeb, webpageURL: url, userInfo: place)
    trial.handle(.link(.fetchAnswered(try #require(chosen.fetch).0, .snapshot(snapshot))))
    let ticket = try #require(chosen.launch).ticket
    trial.handle(.door(7, .registered(try appID(), .system)))
    trial.handle(.door(7, .begin(ticket: ticket, showsFailure: true, 2)))
    let reply = trial.handle(.door(7, .claim(ticket: ticket, 3))).reply(3)
    if isRight {
      guard case .claimed(let claimed)? = reply else { throw Failure([]) }
      // The browser's own state comes with the page.
      #expect(claimed.webpageURL == url && claimed.userInfo == place)
    } else {
      guard case .failed(let error)? = reply else { throw Failure([]) }
      #expect(error.message.contains("not on the host"))
    }
  }

  private func reason(_ trial: Trial) -> String? {
    (try? trial.engine.explain("", at: trial.moment))?.first { $0.localApplication != nil }?.reason
  }

  @Test func W3_explainSaysWhyAPageDoesNotGoToAnApplication() throws {
    var trial = try trial()
    trial.handle(try page())
    #expect(reason(trial) == "domain-unknown")
    let example = try domain("example.com")
    /// The domain is asked again, and gives this answer.
    func answer(_ answer: AssociationAnswer) throws {
      while trial.handle(.time).fetched.isEmpty, trial.now.milliseconds < 100 * Limits.associationInterval {
        trial.now = trial.now + 60_000
      }
      trial.handle(.association(example, answer))
    }
    trial.handle(.association(example, .refused("It redirects.")))
    #expect(reason(trial) == "domain-refused")
    let sentence = try trial.engine.explain("", at: trial.moment).map(\.sentence)
    #expect(sentence.contains { $0.contains("It redirects.") })
    try answer(.file(["\(team).com.example.Other"]))
    #expect(reason(trial) == "domain-names-others")
    // The file names another team's application of this name.
    try answer(.file(["other.\(reader)"]))
    #expect(reason(trial) == "domain-names-others")
    try answer(granted())
    #expect(reason(trial) == "offered")
    trial.handle(.rules(MatchRules()))
    #expect(reason(trial) == "no-manifest")
    trial.handle(.rules(try rules()))
    trial.handle(.applications(index(try reader(["activitycontinuation:example.com"], tier: .user))))
    #expect(reason(trial) == "user-tier")
    trial.handle(.applications(index(try reader(["activitycontinuation:example.com"], team: nil))))
    #expect(reason(trial) == "no-team-for-domain")
  }

  /// A team's name alone proves no claim: its manifest must list the application.
  @Test func W3_aTeamThatIsNotProvedIsNone() throws {
    var trial = try trial(answer: granted())
    trial.handle(try page())
    trial.handle(
      .rules(
        MatchRules(teams: [
          team: .verified(
            Team(
              id: team, serial: 1, expires: .max, applications: [try appID("com.example.Other")], isTrusted: true))
        ])))
    #expect(reason(trial) == "application-not-listed")
    trial.handle(.rules(MatchRules(teams: [team: .refused(.signature)])))
    #expect(reason(trial) == "manifest-refused")
  }

  @Test func anAnswerThatNobodyAskedForIsNotTaken() throws {
    var trial = try trial(answer: .refused("No."))
    trial.handle(try page())
    #expect(trial.handle(.association(try domain("example.com"), granted())).kept == nil)
    #expect(reason(trial) == "domain-refused")
  }

  @Test(arguments: [
    ("activitycontinuation:example.com", "example.com", true),
    ("activitycontinuation:example.com", "www.example.com", false),
    ("activitycontinuation:*.example.com", "www.example.com", true),
    ("activitycontinuation:*.example.com", "a.b.example.com", true),
    ("activitycontinuation:*.example.com", "example.com", false),
    ("activitycontinuation:*.example.com", "badexample.com", false),
    ("applinks:example.com", "example.com", false),
    ("activitycontinuation:example.com", "example.com:8443", false),
    ("activitycontinuation:example.com", "EXAMPLE.com", false),
  ])
  func W3_whichHostsAClaimIsFor(_ claim: String, _ host: String, _ fits: Bool) throws {
    var trial = try trial([claim], answer: granted())
    trial.handle(try page(host))
    #expect(try #require(trial.engine.list(at: trial.moment).first).match.candidates.isEmpty == !fits)
  }

  @Test func W4_aServerThatSaysNoIsBelievedAndOneThatIsAwayIsWaitedForAWeek() throws {
    var trial = try trial(answer: granted())
    trial.handle(try page())
    let example = try domain("example.com")
    var passed: UInt64 = 0
    while reason(trial) == "offered", passed < 2 * Limits.associationLife {
      trial.now = trial.now + 3_600_000
      passed += 3_600_000
      if !trial.handle(.time).fetched.isEmpty { trial.handle(.association(example, .unreachable("Nobody answers."))) }
    }
    #expect(passed >= Limits.associationLife && passed <= Limits.associationLife + 2 * Limits.associationInterval)
    #expect(reason(trial) == "domain-refused")
  }

  @Test func W3_aBrowserThatTheUserHasChosenComesFirst() throws {
    var trial = try trial(answer: granted())
    var browser = try reader([], types: ["org.segue.BrowsingWeb"])
    browser.appID = try appID("org.example.Browser")
    trial.handle(.applications(index(try reader(["activitycontinuation:example.com"]), browser)))
    trial.handle(try page())
    func preferred(_ trial: Trial) -> String? {
      trial.engine.list(at: trial.moment).first?.match.preferred?.appID.string
    }
    #expect(preferred(trial) == reader)
    var rules = try rules()
    // Being the default browser does not make it the choice for these pages.
    rules.browser = "org.example.Browser.desktop"
    trial.handle(.rules(rules))
    #expect(preferred(trial) == reader)
    trial.handle(try page("elsewhere.example", appID: "org.example.Other", sequence: 2))
    #expect(preferred(trial) == "org.example.Browser")
    trial.handle(try page(sequence: 3))
    rules.defaults = [.browsingWeb: try appID("org.example.Browser")]
    trial.handle(.rules(rules))
    #expect(preferred(trial) == "org.example.Browser")
  }

  /// If two applications may continue a page, the sentence says which one does, and why.
  @Test func W3_explainSaysWhichApplicationComesFirst() throws {
    var trial = try trial(answer: granted())
    var browser = try reader([], types: ["org.segue.BrowsingWeb"])
    browser.appID = try appID("org.example.Browser")
    let other = try appID("org.example.Other")
    trial.handle(.applications(index(try reader(["activitycontinuation:example.com"]), browser)))
    var rules = try rules()
    rules.browser = "org.example.Browser.desktop"
    trial.handle(.rules(rules))
    func said(_ trial: Trial, of application: String) throws -> String {
      try #require(
        try trial.engine.explain("", at: trial.moment).first { $0.localApplication?.string == application }?.sentence)
    }
    trial.handle(try page())
    #expect(try said(trial, of: reader).hasSuffix("comes first: the page's domain names it."))
    #expect(try said(trial, of: "org.example.Browser").contains("if you choose it"))
    rules.defaults = [.browsingWeb: browser.appID]
    trial.handle(.rules(rules))
    #expect(try said(trial, of: "org.example.Browser").hasSuffix("you have chosen it for pages."))
    #expect(try said(trial, of: reader).contains("if you choose it"))
    // If no domain names an application, the browser that the page comes from is first, and then the default one.
    rules.defaults = [:]
    var second = browser
    second.appID = other
    second.actsFor = ["org.example.Browser.desktop"]
    trial.handle(.rules(rules))
    trial.handle(.applications(index(browser, second)))
    trial.handle(try page(appID: "org.example.Other", sequence: 2))
    #expect(try said(trial, of: other.string).hasSuffix("the page is of the same application."))
    trial.handle(try page(appID: "org.example.Third", sequence: 3))
    #expect(try said(trial, of: "org.example.Browser").hasSuffix("it is of the default browser."))
    #expect(try said(trial, of: other.string).contains("if you choose it"))
  }
}

extension [Effect] {
  fileprivate var fetched: [DomainName] {
    compactMap { if case .fetchAssociation(let domain) = $0 { domain } else { nil } }
  }
  fileprivate var forgotten: [DomainName] {
    compactMap { if case .forgetAssociation(let domain) = $0 { domain } else { nil } }
  }
  fileprivate var kept: StoredAssociation? {
    for case .keepAssociation(let stored) in self { return stored }
    return nil
  }
}
