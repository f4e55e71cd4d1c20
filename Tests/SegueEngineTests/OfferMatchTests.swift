import SegueCore
import SegueEngine
import Testing

@Suite struct OfferMatchTests {
  private let now: UInt64 = 1_800_000_000
  private let team = "teamteamteamteamteamteamteamteam"

  private func id(_ text: String) throws -> AppID { try #require(AppID(text)) }

  private func type(_ text: String = "org.t.page") throws -> ActivityType { try #require(ActivityType(text)) }

  private func application(
    _ id: String, types: [String] = ["org.t.page"], tier: InstalledApplication.Tier = .system, team: String? = nil
  ) throws -> InstalledApplication {
    InstalledApplication(
      appID: try self.id(id), name: id, desktopFile: "/\(id)", tier: tier,
      activityTypes: types.compactMap { ActivityType($0) }, team: team)
  }

  private func index(_ applications: InstalledApplication...) -> ApplicationIndex {
    var index = ApplicationIndex()
    for application in applications { index.set(application.appID, to: application) }
    return index
  }

  private func offer(
    _ app: String = "org.t.Writer", tier: InstalledApplication.Tier = .system, team: String? = nil
  ) throws -> Offer {
    Offer(id: .random(), revision: 1, type: try type(), appID: try id(app), tier: tier, team: team)
  }

  private func manifest(
    _ applications: [String] = ["org.t.Writer", "org.t.Reader"], types: [String] = [], expires: UInt64? = nil,
    isTrusted: Bool = true
  ) throws -> Team {
    Team(
      id: team, serial: 1, expires: expires ?? now + 1, applications: Set(applications.compactMap { AppID($0) }),
      types: Set(types.compactMap { ActivityType($0) }), isTrusted: isTrusted)
  }

  private func names(_ match: OfferMatch) -> [String] { match.candidates.map { $0.appID.string } }

  // MARK: The same application id

  @Test func V12_theSameApplicationIDAndADeclaredType() throws {
    let rules = MatchRules()
    let offer = try offer()
    #expect(names(index(try application("org.t.Writer")).match(offer, rules, now: now)) == ["org.t.Writer"])
    let match = index(try application("org.t.Writer", types: ["org.t.other"])).match(offer, rules, now: now)
    #expect(match.candidates.isEmpty)
    #expect(match.refusals.map(\.reason) == [.typeNotDeclared])
    #expect(ApplicationIndex().match(offer, rules, now: now).error?.code == .noApplication)
  }

  @Test(arguments: [
    (InstalledApplication.Tier.user, InstalledApplication.Tier.user, true), (.system, .user, true),
    (.user, .system, false), (.system, .sandbox, false), (.sandbox, .system, true), (.user, .sandbox, false),
  ])
  func V12_theTierHereIsTheSameOrHigher(
    _ here: InstalledApplication.Tier, _ there: InstalledApplication.Tier, _ accepted: Bool
  ) throws {
    let match = index(try application("org.t.Writer", tier: here)).match(try offer(tier: there), .init(), now: now)
    #expect(match.refusals.map(\.reason) == (accepted ? [] : [.tierTooLow]))
    #expect(match.candidates.isEmpty != accepted)
  }

  // MARK: Browsers

  @Test func W2_theDefaultBrowserTakesEveryBrowsersPages() throws {
    let web = ActivityType.browsingWeb
    func host(_ id: String, for browsers: [String] = []) throws -> InstalledApplication {
      InstalledApplication(
        appID: try self.id(id), name: id, desktopFile: "/\(id)", tier: .user, activityTypes: [web], actsFor: browsers)
    }
    let index = index(
      try host("org.t.Asked", for: ["old.desktop", "asked.desktop"]), try host("org.t.Browser"), try host("org.t.Other")
    )
    let page = Offer(id: .random(), revision: 1, type: web, appID: try id("org.t.Tabs"), webHost: "a.example")
    func taker(_ browser: String?) -> (AppID?, [MatchReason], String?) {
      let match = index.match(page, MatchRules(browser: browser), now: now)
      return (match.preferred?.appID, match.refusals.map(\.reason), match.browserHost)
    }
    let others = [MatchReason.notDefaultBrowser, .notDefaultBrowser]
    #expect(taker("asked.desktop") == (try id("org.t.Asked"), others, nil))
    // An application may be the browser itself.
    #expect(taker("org.t.Browser.desktop") == (try id("org.t.Browser"), others, nil))
    #expect(taker("none.desktop") == (nil, others + [.notDefaultBrowser], "a.example"))
    #expect(taker(nil) == (nil, others + [.notDefaultBrowser], "a.example"))
    // A program that the browser has started acts for it, whatever its name is.
    var rules = MatchRules(browser: "none.desktop")
    rules.browserHosts = [try id("org.t.Other")]
    #expect(index.match(page, rules, now: now).preferred?.appID == (try id("org.t.Other")))
    // A user who names a browser gets that one.
    #expect(try index.match(page, MatchRules(), now: now).candidate(id("org.t.Other")).appID == id("org.t.Other"))
    // It is so of the browsing type alone.
    let other = try offer()
    let reader = InstalledApplication(
      appID: try id("org.t.Asked"), name: "", desktopFile: "", tier: .system, activityTypes: [other.type],
      actsFor: ["asked.desktop"])
    var one = ApplicationIndex()
    one.set(reader.appID, to: reader)
    #expect(one.match(other, MatchRules(browser: "asked.desktop"), now: now).refusals.map(\.reason) == [.noTeam])
  }

  // MARK: Acting for another application

  private static let film = "org.segue.open.Media"

  private func acting(_ id: String, for programs: [String]) throws -> InstalledApplication {
    var application = try application(id, types: [Self.film])
    application.actsFor = programs.map { $0 + ".desktop" }
    return application
  }

  private func film(of id: String) throws -> Offer {
    Offer(id: .random(), revision: 1, type: try type(Self.film), appID: try self.id(id))
  }

  @Test func O6_whatIsInsideAProgramComesBeforeWhatActsForItFromOutside() throws {
    let index = index(
      try acting("org.t.Bridge", for: ["player", "org.t.Inside"]), try application("org.t.Inside", types: [Self.film]),
      try application("org.t.Another", types: [Self.film]))
    for origin in ["org.t.Bridge", "org.t.Inside"] {
      let match = index.match(try film(of: origin), MatchRules(), now: now)
      #expect(names(match) == ["org.t.Inside", "org.t.Bridge", "org.t.Another"])
      #expect(match.preferred?.appID.string == "org.t.Inside")
    }
  }

  @Test func O1_whatActsForTheOffersProgramIsTheSameApplication() throws {
    let rules = MatchRules(defaults: [try type(Self.film): try id("org.t.Another")])
    let index = index(
      try acting("org.t.Bridge", for: ["org.t.Player"]), try application("org.t.Another", types: [Self.film]))
    // The player takes part by itself there, and here the bridge acts for it.
    let match = index.match(try film(of: "org.t.Player"), rules, now: now)
    #expect(match.preferred?.appID.string == "org.t.Bridge")
    #expect(index.match(try film(of: "org.t.Third"), rules, now: now).preferred?.appID.string == "org.t.Another")
  }

  @Test func O1_twoThatActForOneProgramAreOneApplication() throws {
    let index = index(
      try acting("org.t.Zed", for: ["player"]), try acting("org.t.Web", for: ["player"]),
      try application("org.t.Another", types: [Self.film]))
    let offer = try film(of: "org.t.Zed")
    #expect(names(index.match(offer, MatchRules(), now: now)) == ["org.t.Zed", "org.t.Web", "org.t.Another"])
  }

  @Test func O1_aChoiceOfAProgramCountsForWhatActsForIt() throws {
    let rules = MatchRules(defaults: [try type(Self.film): try id("org.t.Player")])
    let index = index(
      try acting("org.t.Bridge", for: ["org.t.Player"]), try application("org.t.Another", types: [Self.film]))
    let match = index.match(try film(of: "org.t.Third"), rules, now: now)
    #expect(match.preferred?.appID.string == "org.t.Bridge")
    #expect(try match.candidate(id("org.t.Player")).appID.string == "org.t.Bridge")
  }

  @Test func O1_actingForAProgramGivesNoRight() throws {
    var bridge = try acting("org.t.Bridge", for: ["org.t.Writer"])
    bridge.activityTypes = [try type()]
    #expect(index(bridge).match(try offer(), MatchRules(), now: now).refusals.map(\.reason) == [.noTeam])
    bridge.tier = .user
    bridge.activityTypes = [try type(Self.film)]
    let offer = Offer(
      id: .random(), revision: 1, type: try type(Self.film), appID: try id("org.t.Writer"), tier: .system)
    #expect(index(bridge).match(offer, MatchRules(), now: now).refusals.map(\.reason) == [.tierTooLow])
  }

  // MARK: Open types

  @Test(arguments: [
    (InstalledApplication.Tier.user, InstalledApplication.Tier.user, true), (.system, .user, true),
    (.user, .system, false), (.system, .sandbox, false), (.sandbox, .system, true), (.user, .sandbox, false),
  ])
  func O1_anOpenTypeIsForEveryApplicationWithinTiers(
    _ here: InstalledApplication.Tier, _ there: InstalledApplication.Tier, _ accepted: Bool
  ) throws {
    let open = "org.segue.open.Reading"
    let index = index(try application("org.t.Reader", types: [open], tier: here))
    let offer = Offer(id: .random(), revision: 1, type: try type(open), appID: try id("org.t.Viewer"), tier: there)
    let match = index.match(offer, MatchRules(), now: now)
    #expect(match.refusals.map(\.reason) == (accepted ? [] : [.tierTooLow]))
    #expect(match.preferred?.appID == (accepted ? try id("org.t.Reader") : nil))
  }

  @Test(arguments: ["org.segue.opened.Reading", "org.segue.open", "org.segue.Open.Reading", "x.org.segue.open.Reading"])
  func O1_anotherTypeIsNone(_ text: String) throws {
    let index = index(try application("org.t.Reader", types: [text]))
    let offer = Offer(id: .random(), revision: 1, type: try type(text), appID: try id("org.t.Viewer"))
    #expect(index.match(offer, MatchRules(), now: now).refusals.map(\.reason) == [.noTeam])
  }

  @Test func O1_theSameApplicationComesFirstThenTheUsersDefaultThenAChoice() throws {
    let open = "org.segue.open.Reading"
    let others = [try application("org.t.A", types: [open]), try application("org.t.B", types: [open])]
    let same = try application("org.t.Viewer", types: [open])
    let offer = Offer(id: .random(), revision: 1, type: try type(open), appID: same.appID)
    #expect(index(others[0], others[1]).match(offer, MatchRules(), now: now).needsChoice)
    let rules = MatchRules(defaults: [try type(open): try id("org.t.B")])
    #expect(index(others[0], others[1]).match(offer, rules, now: now).preferred?.appID == others[1].appID)
    #expect(index(others[0], others[1], same).match(offer, rules, now: now).preferred?.appID == same.appID)
  }

  // MARK: Teams

  /// One change to a case in which the team lets Reader continue Writer's activity, and the first reason that follows.
  struct Case: Sendable {
    var here: String? = "teamteamteamteamteamteamteamteam"
    var there: String? = "teamteamteamteamteamteamteamteam"
    var tier = InstalledApplication.Tier.system
    var tierThere = InstalledApplication.Tier.system
    var record: TeamRecord?
    var override = false
    var reason: MatchReason?
  }

  private func reason(_ test: Case) throws -> MatchReason? {
    let index = index(try application("org.t.Reader", tier: test.tier, team: test.here))
    var rules = MatchRules(allowsUserTeams: test.override)
    rules.teams[team] = test.record
    let match = index.match(try offer(tier: test.tierThere, team: test.there), rules, now: now)
    #expect(match.candidates.count + match.refusals.count == 1)
    return match.refusals.first?.reason
  }

  @Test func V12_aTeamThatAManifestHereVerifies() throws {
    let good = TeamRecord.verified(try manifest())
    let cases = [
      Case(record: good, reason: nil),
      Case(record: .verified(try manifest(types: ["org.t.page"])), reason: nil),
      Case(here: nil, record: good, reason: .noTeam), Case(there: nil, record: good, reason: .noTeamAtOrigin),
      Case(there: "other", record: good, reason: .otherTeam), Case(record: nil, reason: .noManifest),
      Case(tierThere: .sandbox, record: good, reason: .tierTooLow),
      Case(tier: .user, tierThere: .user, record: good, reason: .userTier),
      Case(tierThere: .user, record: good, reason: .userTierAtOrigin),
      Case(record: .verified(try manifest(isTrusted: false)), reason: .userManifest),
      Case(record: .verified(try manifest(expires: now)), reason: .manifestExpired),
      Case(record: .verified(try manifest(["org.t.Reader"])), reason: .originNotListed),
      Case(record: .verified(try manifest(["org.t.Writer"])), reason: .applicationNotListed),
      Case(record: .verified(try manifest(types: ["org.t.other"])), reason: .typeNotListed),
      Case(record: .refused(.signature), reason: .manifestRefused(.signature)),
      // The developer's override.
      Case(tier: .user, tierThere: .user, record: .verified(try manifest(isTrusted: false)), override: true),
      Case(tier: .user, tierThere: .system, record: good, override: true, reason: .tierTooLow),
      Case(tier: .user, tierThere: .user, record: nil, override: true, reason: .noManifest),
    ]
    for test in cases { #expect(try reason(test) == test.reason, "\(test)") }
  }

  @Test func X1_everyReasonIsASentence() throws {
    let problems: [TeamProblem] = [
      .malformed("line 3: no"), .misnamed(team: team), .signature, .succession, .outdated(serial: 1, seen: 2),
      .replacedKey, .tooMany,
    ]
    let reasons: [MatchReason] =
      [
        .ownActivity, .typeNotDeclared, .tierTooLow, .notDefaultBrowser, .noTeam, .noTeamAtOrigin, .otherTeam,
        .userTier,
        .userTierAtOrigin, .noManifest, .userManifest, .manifestExpired, .originNotListed, .applicationNotListed,
        .typeNotListed,
      ] + problems.map { .manifestRefused($0) }
    let sentences = try reasons.map { $0.sentence(try application("org.t.Reader", team: team), try offer()) }
    #expect(Set(sentences).count == reasons.count)
    for sentence in sentences { #expect(sentence.hasSuffix("."), "\(sentence)") }
  }

  // MARK: Several

  private func three() throws -> (ApplicationIndex, MatchRules) {
    let index = index(
      try application("org.t.B", team: team), try application("org.t.A", team: team),
      try application("org.t.Writer", team: team))
    return (index, MatchRules(teams: [team: .verified(try manifest(["org.t.Writer", "org.t.A", "org.t.B"]))]))
  }

  @Test func V10_theSameIDThenTheDefaultThenAChoice() throws {
    var (index, rules) = try three()
    let offer = try offer(team: team)
    rules.defaults[offer.type] = try id("org.t.B")
    var match = index.match(offer, rules, now: now)
    // The same id stands before a default.
    #expect(names(match) == ["org.t.Writer", "org.t.A", "org.t.B"])
    #expect(match.preferred?.appID == offer.appID)
    index.set(offer.appID, to: nil)
    match = index.match(offer, rules, now: now)
    #expect(names(match) == ["org.t.B", "org.t.A"])
    #expect(match.preferred?.appID.string == "org.t.B")
    rules.defaults = [offer.type: try id("org.t.Gone")]
    match = index.match(offer, rules, now: now)
    #expect(match.preferred == nil)
    #expect(match.needsChoice)
    #expect(match.error?.message.contains("org.t.A (org.t.A), org.t.B (org.t.B)") == true)
    #expect(try match.candidate(try id("org.t.A")).appID.string == "org.t.A")
    index.set(try id("org.t.B"), to: nil)
    match = index.match(offer, rules, now: now)
    #expect(match.preferred?.appID.string == "org.t.A")
    #expect(!match.needsChoice)
  }

  @Test func V10_whoMayNotIsToldWhy() throws {
    let match = index(try application("org.t.Reader")).match(try offer(), .init(), now: now)
    #expect(match.error?.code == .noApplication)
    #expect(match.error?.message.contains("declares no team") == true)
    #expect(throws: SegueError.self) { try match.candidate(try id("org.t.Reader")) }
    #expect(throws: SegueError.self) { try match.candidate(try id("org.t.Missing")) }
  }

  @Test func V19_notToTheApplicationItself() throws {
    let (index, rules) = try three()
    let match = index.match(try offer(team: team), rules, isHere: true, now: now)
    #expect(names(match) == ["org.t.A", "org.t.B"])
    #expect(match.refusals.map(\.reason) == [.ownActivity])
  }

  // MARK: Hiding

  @Test func V12_onlyWhoMayContinueItHearsOfIt() throws {
    let other = try application("org.t.Other")
    let match = try index(application("org.t.Writer"), other).match(try offer(), MatchRules(), now: now)
    #expect(match.isListed(for: try id("org.t.Writer"), tier: .system))
    #expect(match.isListed(for: try id("org.t.Writer"), tier: .sandbox))
    // A process of which less is sure than of the application that is installed.
    #expect(!match.isListed(for: try id("org.t.Writer"), tier: .user))
    #expect(!match.isListed(for: other.appID, tier: .system))
    #expect(!match.isListed(for: try id("org.t.Nobody"), tier: .system))
    // An application's own activity on this device is no offer to itself (semantics V19).
    let here = try index(application("org.t.Writer")).match(try offer(), MatchRules(), isHere: true, now: now)
    #expect(!here.isListed(for: try id("org.t.Writer"), tier: .system))
  }

  @Test func V15_hiddenUntilItChanges() throws {
    var offer = try offer()
    offer.revision = 3
    #expect(offer.hiding(continued: nil) { _ in nil } == nil)
    #expect(offer.hiding(continued: 3) { _ in nil } == .continuedHere)
    #expect(offer.hiding(continued: 4) { _ in nil } == .continuedHere)
    #expect(offer.hiding(continued: 2) { _ in nil } == nil)
    offer.isChanged = true
    #expect(offer.hiding(continued: 3) { _ in nil } == nil)
    // Announced before the snapshot that was continued.
    #expect(offer.hiding(continued: 4) { _ in nil } == .continuedHere)
  }

  @Test func V15_hiddenWhileItGoesOnWithOurOwn() throws {
    let own = Identifier(high: 0, low: 7)
    var offer = try offer()
    offer.continuedFrom = ActivityReference(id: own, revision: 2)
    #expect(offer.hiding(continued: nil) { $0 == own ? 2 : nil } == .madeFromOwn)
    #expect(offer.hiding(continued: nil) { $0 == own ? 3 : nil } == nil)
    #expect(offer.hiding(continued: nil) { _ in nil } == nil)
    offer.continuedFrom = nil
    #expect(offer.hiding(continued: nil) { _ in 2 } == nil)
  }
}
