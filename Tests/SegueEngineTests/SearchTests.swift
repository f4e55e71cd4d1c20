import SegueCore
import Testing

@testable import SegueEngine

@Suite struct SearchTermsTests {
  @Test(arguments: [
    (["tax"], "Taxes of 2025"), (["TAX", "25"], "Taxes of 2025"), (["of taxes"], "Taxes of 2025"),
    (["ÜBER"], "Wir reden über Brot"), (["и"], "ВОЙНА И МИР"), (["漢"], "漢字"), (["a\u{7}b"], "ab"), (["x_y"], "X_Y"),
  ])
  func X6_wordsAreFoundInWhicheverCase(_ words: [String], _ text: String) {
    #expect(SearchTerms(words).fit([text]))
  }

  @Test(arguments: [["tax", "2024"], ["taxes2"], ["@"], ["[axes"], ["{"], ["Taxes of 2025 and more"], ["ä"]])
  func X6_eachWordCounts(_ words: [String]) { #expect(!SearchTerms(words).fit(["Taxes of 2025"])) }

  /// A letter is not its neighbour in ASCII, as @ and ` or [ and { are.
  @Test func X6_lettersAloneHaveACase() {
    #expect(!SearchTerms(["`"]).fit(["@"]) && !SearchTerms(["["]).fit(["{"]) && SearchTerms(["z"]).fit(["Z"]))
  }

  @Test func X6_wordsMayBeInDifferentTexts() {
    #expect(SearchTerms(["tax", "writer"]).fit(["Taxes", "Writer"]))
    #expect(!SearchTerms(["taxwriter"]).fit(["Tax", "writer"]))
  }

  @Test func X6_nothingAndTooMuch() {
    #expect(SearchTerms([]).isEmpty && SearchTerms([" ", "", "\u{1}"]).isEmpty)
    let long = String(repeating: "a", count: Limits.searchBytes)
    #expect(SearchTerms([long]).fit([long]))
    #expect(!SearchTerms([long + "a"]).fit([long + "a"]) && !SearchTerms([long + "a"]).isEmpty)
    let many = [String](repeating: "a", count: Limits.searchWords)
    #expect(SearchTerms(many).fit(["a"]))
    #expect(!SearchTerms(many + ["a"]).fit(["a"]) && !SearchTerms(many + ["a"]).isEmpty)
    // Words count, also those of one text.
    #expect(SearchTerms([many.joined(separator: " ")]).fit(["a"]))
    #expect(!SearchTerms([(many + ["a"]).joined(separator: " ")]).fit(["a"]))
  }

  @Test func anOffersNameCanBeRead() throws {
    let id = OfferID(device: .number(2), activity: id(7))
    #expect(OfferID(text: id.text) == id)
    for text in ["", ":", id.text + ":", "x" + id.text, String(id.text.dropLast()), id.activity.hex] {
      #expect(OfferID(text: text) == nil, "\(text)")
    }
  }
}

@Suite struct SearchTests {
  /// A stored activity of this device, saved so many seconds after the others.
  private func stored(
    _ number: UInt64, _ title: String?, _ keywords: [String] = [], at seconds: UInt64 = 1_000, app: String? = nil
  ) throws -> StoredCopy {
    let offer = Offer(
      id: id(number), revision: 1, type: try type(), appID: try app.map { try appID($0) } ?? appID(), title: title)
    var copy = StoredCopy(.search, of: offer)
    (copy.keywords, copy.storedAt, copy.expiresAt) = (keywords, seconds, 2_000_000)
    return copy
  }

  private func titles(_ trial: Trial, _ words: String...) -> [String] {
    trial.engine.search(SearchTerms(words), at: trial.moment).map { $0.title }
  }

  @Test func X6_offersComeFirstThenWhatIsStored() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(
      .loaded([try stored(1, "Page one"), try stored(2, "Page two", at: 1_001), try stored(3, "Else", ["page"])]))
    _ = try trial.offer(7)
    #expect(titles(trial, "page") == ["A page", "Page two", "Page one", "Else"])
    #expect(titles(trial, "page", "desk") == ["A page"], "by its device")
    #expect(titles(trial, "reader").count == 4, "by its application")
    #expect(titles(trial, "continue") == ["A page"], "by what can be done with it")
    #expect(titles(trial, "nothing") == [] && titles(trial, " ") == [])
    let found = try #require(trial.engine.search(SearchTerms(["page"]), at: trial.moment).first)
    #expect(found.details == ["From desk"] && found.isOnOffer && found.application.name == "Reader")
    #expect(trial.engine.found(found.id, at: trial.moment) == found)
  }

  @Test func X6_anActivityIsFoundOnce() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.loaded([try stored(7, "A page")]))
    _ = try trial.offer(7)
    #expect(titles(trial, "page") == ["A page"])
  }

  @Test func X6_whatCannotBeContinuedIsNotFound() throws {
    var trial = Trial()
    try trial.pair()
    var expired = try stored(1, "A page")
    expired.expiresAt = 1_000
    trial.handle(.loaded([expired, try stored(2, "A page", app: "com.example.Gone")]))
    #expect(titles(trial, "page") == [])
    #expect(trial.engine.found(OfferID(device: Trial.own, activity: id(1)), at: trial.moment) == nil)
    #expect(trial.engine.found(OfferID(device: Trial.other, activity: id(1)), at: trial.moment) == nil)
  }

  @Test func X6_aSearchFindsNoMoreThanIsShown() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.loaded(try (1...100).map { try stored($0, "Page \($0)", at: $0) }))
    #expect(titles(trial, "page").count == Limits.searchResults)
    #expect(titles(trial, "page").first == "Page 100")
  }

  @Test func X6_aLockedScreenShowsNothing() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.loaded([try stored(1, "Page one")]))
    _ = try trial.offer(7)
    let found = try #require(trial.engine.search(SearchTerms(["page"]), at: trial.moment).first)
    #expect(trial.engine.shown(at: trial.moment).count == 1)
    trial.now = trial.now + 10_000
    let isTold = trial.handle(.locked(true)).contains { if case .signal(.offersChanged) = $0 { true } else { false } }
    #expect(isTold, "the panel is told")
    #expect(titles(trial, "page") == [] && trial.engine.shown(at: trial.moment).isEmpty)
    #expect(trial.engine.found(found.id, at: trial.moment) == nil)
    trial.handle(.locked(false))
    #expect(titles(trial, "page").count == 2)
  }

  @Test func X6_whatIsChosenIsContinued() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.loaded([try stored(1, "Page one")]))
    trial.handle(.canLaunch)
    _ = try trial.offer(7)
    let effects = trial.handle(.picked(OfferID(device: Trial.other, activity: id(7)), activationToken: "token"))
    #expect(effects.launch?.activationToken == "token")
    let again = trial.handle(.picked(OfferID(device: Trial.own, activity: id(1)), activationToken: nil))
    #expect(again.launch?.application.appID == (try appID()))
  }
}

@Suite struct LoginSessionTests {
  private let locked = LoginSession(type: "wayland", class: "user", isLocked: true)
  private let open = LoginSession(type: "x11", class: "user", isLocked: false)

  /// With two of them, somebody may sit before the one that is not locked.
  @Test func X6_allScreensCount() {
    #expect(!LoginSession.areLocked([]) && !LoginSession.areLocked([open]) && LoginSession.areLocked([locked]))
    #expect(!LoginSession.areLocked([locked, open]) && LoginSession.areLocked([locked, locked]))
  }

  @Test(arguments: [
    LoginSession(type: "tty", class: "user", isLocked: false),
    LoginSession(type: "x11", class: "greeter", isLocked: false), LoginSession(type: nil, class: nil, isLocked: nil),
    LoginSession(type: "x11", class: "user", isLocked: nil),
  ])
  func X6_aSessionWithoutAScreenDoesNotCount(_ other: LoginSession) {
    #expect(LoginSession.areLocked([other, locked]) && !LoginSession.areLocked([other]))
  }
}
