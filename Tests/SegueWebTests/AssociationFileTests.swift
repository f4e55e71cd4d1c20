import SegueCore
import Testing

@testable import SegueWeb

@Suite struct AssociationFileTests {
  private func file(_ text: String) throws -> AssociationFile { try AssociationFile(Array(text.utf8)) }

  private let app = ApplicationIdentifier("TEAM1.org.example.Reader")

  private func verdict(
    _ details: String, _ url: String, applinks: String = ""
  ) throws -> WebLinkVerdict {
    let file = try file(
      "{\"applinks\": {\(applinks)\"details\": [{\"appIDs\": [\"TEAM1.org.example.Reader\"],\n\(details)}]}}")
    return file.verdict(on: try #require(WebLinkURL(url)), for: try #require(app))
  }

  private func opens(_ component: String, _ url: String, applinks: String = "") throws -> Bool {
    try verdict("\"components\": [{\(component)}]", url, applinks: applinks) == .opens(line: 2)
  }

  // MARK: Continuing

  @Test func W4_applicationsThatContinuePages() throws {
    let file = try file(
      """
      { "activitycontinuation": {
        "apps": [ "TEAM1.org.example.Reader",
                  "nonsense", "TEAM2.org.example.Writer" ] } }
      """)
    #expect(file.continuing.map(\.application.string) == ["TEAM1.org.example.Reader", "TEAM2.org.example.Writer"])
    #expect(file.continuing.map(\.line) == [2, 3])
    #expect(file.continues(try #require(app)))
    #expect(!file.continues(try #require(ApplicationIdentifier("TEAM2.org.example.Reader"))))
    #expect(file.remarks == ["Line 3: \"nonsense\" is not <team>.<application id>; it has no effect."])
  }

  @Test(arguments: [
    ("[]", "should be an object"), ("{\"activitycontinuation\": 1}", "should be an object"),
    ("{\"activitycontinuation\": {\"apps\": \"a\"}}", "should be an array"),
    ("{\"activitycontinuation\": {\"apps\": [\n1]}}", "Line 2: An application is a number"),
    ("{\"applinks\": []}", "should be an object"), ("{\"applinks\": {\"details\": 1}}", "should be an array"),
    ("{\"applinks\": {\"details\": [1]}}", "should be an object"),
    ("{\"applinks\": {\"details\": [{\"appIDs\": \"a\"}]}}", "should be an array"),
    ("{\"applinks\": {\"details\": [{\"components\": {}}]}}", "should be an array"),
    ("{\"applinks\": {\"details\": [{\"components\": [{\"/\": 1}]}]}}", "should be a string"),
    ("{\"applinks\": {\"details\": [{\"components\": [{\"?\": []}]}]}}", "a string or an object"),
    ("{\"applinks\": {\"details\": [{\"components\": [{\"exclude\": \"yes\"}]}]}}", "true or false"),
    ("{\"applinks\": {\"details\": [{\"components\": [{\"/\": \"/$(none)\"}]}]}}", "no variable is called"),
    ("{\"applinks\": {\"details\": [{\"components\": [{\"/\": \"/$(none\"}]}]}}", "without its )"),
    ("{\"applinks\": {\"details\": [{\"paths\": [1]}]}}", "should be a string"),
    ("{\"applinks\": {\"substitutionVariables\": {\"a\": \"b\"}, \"details\": []}}", "should be an array"),
  ])
  func attack48_wrongTypesAreRefused(_ text: String, _ message: String) {
    do throws(SegueError) {
      _ = try AssociationFile(Array(text.utf8))
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.message.contains(message), "\(error.message)")
    }
  }

  @Test func whatHasNoEffectIsTold() throws {
    #expect(try file("{\"nonsense\": 1, \"webcredentials\": {}}").remarks.count == 2)
    let path = "{\"applinks\": {\"details\": [{\"appID\": \"T.a.b\", \"components\": [{\"/\": \"help\", \"x\": 1}]}]}}"
    #expect(try file(path).remarks.map { $0.contains("never matches") || $0.contains("has the key") } == [true, true])
  }

  // MARK: Links

  // The tables follow the published descriptions of applinks.Details.Components and of the older paths.
  @Test(arguments: [
    ("*", "/", true), ("*", "", true), ("/", "", true), ("/", "/", true), ("/", "/a", false),
    ("/buy", "/buy", true), ("/buy", "/buy/", false), ("/buy", "/Buy", false), ("/buy/*", "/buy/", true),
    ("/buy/*", "/buy", false), ("/buy/*", "/buy/a/b", true), ("/help/????", "/help/1234", true),
    ("/help/????", "/help/123", false), ("/help/?*", "/help/", false), ("/help/?*", "/help/x", true),
    ("*/end", "/a/b/end", true), ("*/end", "/a/b/ends", false), ("/*a*b*c", "/xxaxxbxxc", true),
    ("/*a*b*c", "/xxcxxbxxa", false), ("/a*a", "/a", false), ("/a*a", "/aa", true), ("", "/", false),
    ("/a%20b", "/a%20b", true), ("/a b", "/a%20b", false),
  ])
  func W5_paths(_ pattern: String, _ path: String, _ matches: Bool) throws {
    #expect(try opens("\"/\": \"\(pattern)\"", "https://example.com" + path) == matches)
    // The older form: the same, and it looks at the path alone.
    let old = try verdict("\"paths\": [\"\(pattern)\"]", "https://example.com" + path + "?q=1#f")
    #expect((old == .opens(line: 2)) == matches)
  }

  @Test(arguments: [
    ("\"?\": \"a=*\"", "?a=1", true), ("\"?\": \"a=*\"", "?b=1", false), ("\"?\": \"a=*\"", "", false),
    ("\"?\": \"\"", "", true), ("\"?\": \"\"", "?a", false), ("\"?\": \"*\"", "", true),
    ("\"?\": {\"a\": \"????\"}", "?a=1234", true), ("\"?\": {\"a\": \"????\"}", "?a=123", false),
    ("\"?\": {\"a\": \"????\"}", "?b=1&a=1234", true), ("\"?\": {\"a\": \"1\", \"b\": \"2\"}", "?b=2&a=1", true),
    ("\"?\": {\"a\": \"1\", \"b\": \"2\"}", "?a=1", false),
    // All items of one name, and none as an empty one.
    ("\"?\": {\"a\": \"1*\"}", "?a=1&a=12", true), ("\"?\": {\"a\": \"1*\"}", "?a=1&a=2", false),
    ("\"?\": {\"a\": \"*\"}", "", true), ("\"?\": {\"a\": \"?*\"}", "", false), ("\"?\": {\"a\": \"\"}", "?a", true),
    ("\"#\": \"top\"", "#top", true), ("\"#\": \"top\"", "#Top", false), ("\"#\": \"top\"", "", false),
    ("\"#\": \"*\"", "", true), ("\"#\": \"no*\", \"?\": \"q=1\"", "?q=1#nothing", true),
    ("\"#\": \"no*\", \"?\": \"q=1\"", "?q=2#nothing", false),
  ])
  func W5_queriesAndFragments(_ component: String, _ rest: String, _ matches: Bool) throws {
    #expect(try opens(component, "https://example.com/" + rest) == matches)
  }

  @Test(arguments: [
    ("\"/\": \"/Buy\", \"caseSensitive\": false", "/bUY", true), ("\"/\": \"/Buy\"", "/bUY", false),
    ("\"?\": {\"A\": \"x\"}, \"caseSensitive\": false", "/?a=X", true), ("\"?\": {\"A\": \"x\"}", "/?a=x", false),
    ("\"/\": \"/ä b\", \"percentEncoded\": false", "/%C3%A4%20b", true), ("\"/\": \"/ä b\"", "/%C3%A4%20b", false),
    ("\"/\": \"/?\", \"percentEncoded\": false", "/%C3%A4", true), ("\"/\": \"/?\"", "/%C3%A4", false),
  ])
  func W5_caseAndPercentEncoding(_ component: String, _ path: String, _ matches: Bool) throws {
    #expect(try opens(component, "https://example.com" + path) == matches)
  }

  @Test func W5_defaultsOfTheDomainOfTheEntryAndOfTheComponent() throws {
    let domain = "\"defaults\": {\"caseSensitive\": false},"
    let url = "https://example.com/A"
    #expect(try opens("\"/\": \"/a\"", url, applinks: domain))
    #expect(try !opens("\"/\": \"/a\", \"caseSensitive\": true", url, applinks: domain))
    let entry = "\"defaults\": {\"caseSensitive\": true}, \"components\": [{\"/\": \"/a\"}]"
    #expect(try verdict(entry, url, applinks: domain) == .unmatched)
  }

  @Test(arguments: [
    ("/$(lang)/x", "/de/x", true), ("/$(lang)/x", "/qq/x", false), ("/$(lang)/x", "/DE/x", false),
    ("/$(region)", "/CH", true), ("/$(region)", "/ch", false), ("/$(digit)$(digit)", "/42", true),
    ("/$(digit)$(digit)", "/4", false), ("/$(alpha)", "/Q", true), ("/$(upper)", "/q", false),
    ("/$(lower)", "/q", true), ("/$(alnum)", "/-", false), ("/$(xdigit)", "/f", true), ("/$(xdigit)", "/g", false),
    ("/$(food)/list", "/burrito/list", true), ("/$(food)/list", "/soup of the day/list", false),
    ("/$(food)", "/pizza", true), ("/$(food)", "/pizzas", false), ("/$(food)", "/soup", true),
    ("/$(food)$(food)", "/pizzasoup", true), ("/$(Food)", "/Pizza", true), ("*$(food)", "/a/pizza", true),
    ("/$(food)-*", "/soups-", true),
  ])
  func W5_substitutionVariables(_ pattern: String, _ path: String, _ matches: Bool) throws {
    let variables = """
      "substitutionVariables": {"food": ["burrito", "pizza", "so?p", "soup?"], "Food": ["Pizza"]},
      """
    let text = path.replacing(" ", with: "%20")
    #expect(try opens("\"/\": \"\(pattern)\"", "https://example.com" + text, applinks: variables.oneLine) == matches)
  }

  @Test func W5_theFirstPatternThatMatchesDecides() throws {
    let components = """
      "components": [{"/": "/help/website/*", "exclude": true}, {"/": "/help/*"}]
      """.oneLine
    #expect(try verdict(components, "https://example.com/help/website/a") == .excluded(line: 2))
    #expect(try verdict(components, "https://example.com/help/a") == .opens(line: 2))
    #expect(try verdict(components, "https://example.com/a") == .unmatched)
    let paths = "\"paths\": [\"NOT /help/website/*\", \"/help/*\"]"
    #expect(try verdict(paths, "https://example.com/help/website/a") == .excluded(line: 2))
    #expect(try verdict(paths, "https://example.com/help/a") == .opens(line: 2))
    // Where there are both, the newer form counts.
    #expect(try verdict("\"components\": [], " + paths, "https://example.com/help/a") == .unmatched)
  }

  @Test func W5_theFormsOfAnEntry() throws {
    let url = try #require(WebLinkURL("https://example.com/a"))
    let app = try #require(app)
    for text in [
      "{\"applinks\": {\"apps\": [], \"details\": [{\"appID\": \"TEAM1.org.example.Reader\", \"paths\": [\"*\"]}]}}",
      "{\"applinks\": {\"details\": {\"TEAM1.org.example.Reader\": {\"paths\": [\"*\"]}}}}",
      "{\"applinks\": {\"details\": [{\"appIDs\": [\"A.b.c\", \"TEAM1.org.example.Reader\"], \"components\": [{}]}]}}",
    ] {
      #expect(try file(text).verdict(on: url, for: app) == .opens(line: 1))
    }
    #expect(try file("{}").verdict(on: url, for: app) == .notNamed)
  }

  // MARK: URLs

  @Test(arguments: [
    "http://example.com/", "https://user@example.com/", "https://example.com:8443/", "https://192.0.2.1/",
    "https://localhost/", "javascript:x", "https://[::1]/", "https://exa mple.com/",
  ])
  func attack29_otherURLsAreNoLinks(_ url: String) { #expect(WebLinkURL(url) == nil) }

  @Test func theUsualPortIsNone() {
    #expect(WebLinkURL("https://EXAMPLE.com:443/a")?.host.string == "example.com")
  }

  // MARK: Bounds

  @Test func patternsHaveABound() throws {
    func text(_ count: Int) -> String {
      let paths = [String](repeating: "\"*\"", count: count).joined(separator: ",")
      return "{\"applinks\":{\"details\":[{\"appID\":\"T.a.b\",\"paths\":[\(paths)]}]}}"
    }
    #expect(throws: Never.self) { try file(text(Limits.associationPatterns)) }
    #expect(throws: SegueError.self) { try file(text(Limits.associationPatterns + 1)) }
  }

  @Test func applicationsHaveABound() throws {
    func text(_ count: Int) -> String {
      let apps = (0..<count).map { "\"T.a.b\($0)\"" }.joined(separator: ",")
      return "{\"activitycontinuation\":{\"apps\":[\(apps)]}}"
    }
    #expect(try file(text(Limits.associationApplications)).continuing.count == Limits.associationApplications)
    #expect(throws: SegueError.self) { try file(text(Limits.associationApplications + 1)) }
    // Each in an entry of its own counts too; one that is named again does not.
    func links(_ count: Int) -> String {
      let details = (Array(0..<count) + [0]).map { "{\"appID\":\"T.a.b\($0)\",\"paths\":[]}" }
      return "{\"applinks\":{\"details\":[\(details.joined(separator: ","))]}}"
    }
    #expect(try file(links(Limits.associationApplications)).linked.count == Limits.associationApplications)
    #expect(throws: SegueError.self) { try file(links(Limits.associationApplications + 1)) }
  }

  /// 100 values of a variable, as often as fits: what it means has a bound, and so has the time that it takes.
  @Test func stepsOfPatternsHaveABound() throws {
    func text(_ count: Int) -> String {
      let values = (0..<100).map { "\"\($0)\"" }.joined(separator: ",")
      let pattern = String(repeating: "$(v)", count: count)
      return "{\"applinks\":{\"substitutionVariables\":{\"v\":[\(values)]},"
        + "\"details\":[{\"appID\":\"T.a.b\",\"components\":[{\"/\":\"/\(pattern)\"}]}]}}"
    }
    let each = 1 + (0..<100).reduce(0) { $0 + "\($1)".count + 1 }
    let count = (Limits.patternSteps - 4) / each
    let app = try #require(ApplicationIdentifier("T.a.b"))
    let good = try file(text(count))
    for (length, verdict) in [(count, WebLinkVerdict.opens(line: 1)), (2000, .unmatched)] {
      let url = try #require(WebLinkURL("https://example.com/" + String(repeating: "1", count: length)))
      #expect(good.verdict(on: url, for: app) == verdict)
    }
    #expect(throws: SegueError.self) { try file(text(count + 1)) }
  }

  /// A pattern that would take a matcher that goes back to each `*` longer than the universe exists.
  @Test func aPatternOfManyStarsIsFollowedInTime() throws {
    let pattern = "/" + String(repeating: "*a", count: 500) + "b"
    #expect(try !opens("\"/\": \"\(pattern)\"", "https://example.com/" + String(repeating: "a", count: 2000)))
  }
}

extension String {
  /// On one line, so that the lines of a test's file stay what they are.
  fileprivate var oneLine: String { replacing("\n", with: " ") }
}
