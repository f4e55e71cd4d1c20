import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

@Suite struct RegistryFileTests {
  @Test(arguments: [
    ("reader", ["reader"]), ("/usr/bin/reader %U", ["/usr/bin/reader", "%U"]),
    ("\"/opt/a b/reader\" 'x y' z\\ w", ["/opt/a b/reader", "x y", "z w"]),
    ("a \"\\\"\\$\\`\\\\\\n\"", ["a", "\"$`\\\\n"]), ("a '' b", ["a", "", "b"]), ("  a\t b  ", ["a", "b"]),
    ("a @@u %U @@", ["a", "@@u", "%U", "@@"]), ("a'b'\"c\"", ["abc"]), ("é 'ü'", ["é", "ü"]),
  ])
  func commandLine(_ line: String, _ words: [String]) throws {
    #expect(try ExecLine.split(line) == words)
  }

  @Test(arguments: ["", "  ", "a \"b", "a 'b", "a \\", "'' a", "\"", "a \"\\"])
  func attack30_malformedCommandLine(_ line: String) {
    #expect(throws: SegueError.self) { try ExecLine.split(line) }
  }

  @Test(arguments: [
    (["env", "A=1", "-i", "p", "x=1"], ["p", "x=1"]), (["/usr/bin/env", "python3"], ["python3"]), (["env"], ["env"]),
    (["p", "env"], ["p", "env"]), ([], []),
  ])
  func env(_ words: [String], _ command: [String]) { #expect(ExecLine.withoutEnv(words) == command) }

  private func read(_ text: String) throws -> DesktopFile? {
    let content = try DesktopFile.read(Array(text.utf8), DesktopFile.Wanted(locales: ["de"]))
    guard case .application(let file) = content else { return nil }
    return file
  }

  @Test func desktopFile() throws {
    let file = try #require(
      try read(
        RegistryFolder.desktop(
          """
          X-Segue-DocumentActivityTypes=text/plain=com.example.text;image/png=com.example.reading;
          X-Segue-Team=ABC234
          TryExec=/opt/my reader/reader
          X-Flatpak=com.example.Reader
          """)))
    #expect(file.name == "Leser")
    #expect(file.icon == "reader")
    #expect(file.activityTypes.map(\.string) == ["com.example.reading", "com.example.text"])
    #expect(documentTypes(file) == ["text/plain": "com.example.text", "image/png": "com.example.reading"])
    #expect(file.team == "ABC234")
    #expect(file.commands == [["reader", "%U"], ["/opt/my reader/reader"]])
    #expect(file.flatpakID == "com.example.Reader")
    #expect(file.problems == [])
  }

  private func documentTypes(_ file: DesktopFile) -> [String: String] {
    Dictionary(uniqueKeysWithValues: file.documentTypes.map { ($0.string, $1.string) })
  }

  @Test func R7_mimeTypesMayShareAnActivityType() throws {
    let file = try #require(
      try read(
        """
        [Desktop Entry]
        Type=Application
        Name=x
        X-Segue-DocumentActivityTypes=text/plain=a.text;Text/HTML=a.text;text/plain=a.text;image/png=a.image;
        """))
    #expect(documentTypes(file) == ["text/plain": "a.text", "text/html": "a.text", "image/png": "a.image"])
    // It claims them by that: they need not stand in X-Segue-ActivityTypes.
    #expect(file.activityTypes.map(\.string) == ["a.text", "a.image"])
    #expect(file.problems == [])
  }

  @Test(arguments: [0, 1]) func typesProgramsAndTheTeamHaveBounds(_ more: Int) throws {
    func list(_ count: Int, _ item: (Int) -> String) -> String { (0..<count).map { item($0) + ";" }.joined() }
    let team = String(repeating: "A", count: Limits.teamLength + more)
    let file = try #require(
      try read(
        """
        [Desktop Entry]
        Type=Application
        Name=x
        X-Segue-ActivityTypes=\(list(Limits.typesPerApplication + more) { "a.t\($0)" })
        X-Segue-ActsFor=\(list(Limits.actsFor + more) { "b\($0).desktop" })
        X-Segue-Team=\(team)

        """))
    #expect(file.activityTypes.count == Limits.typesPerApplication)
    #expect(file.actsFor.count == Limits.actsFor)
    #expect(file.team == (more == 0 ? team : nil))
    #expect(file.problems.count == 3 * more, "\(file.problems)")
  }

  @Test func W2_whomAnApplicationActsFor() throws {
    let names = (0..<9).map { "b\($0).desktop;" }.joined()
    let start = "[Desktop Entry]\nType=Application\nName=x\nX-Segue-ActivityTypes=a.b\nX-Segue-ActsFor="
    let file = try #require(try read(start + "chromium.desktop;a/b.desktop;chromium;\n"))
    #expect(file.actsFor == ["chromium.desktop"])
    #expect(file.problems.count { $0.contains("is not a desktop file's id") } == 2)
    let many = try #require(try read(start + names + "\n"))
    #expect(many.actsFor.count == Limits.actsFor)
    #expect(many.problems == ["X-Segue-ActsFor: more than 8 programs; the others are ignored."])
  }

  @Test(arguments: [
    ("X-Segue-ActivityTypes=a;b.c;b.c;d e.f", "X-Segue-ActivityTypes: a is not"),
    ("X-Segue-ActivityTypes=a.b\\x;", "unknown escape"), ("X-Segue-ActivityTypes=", "No activity type"),
    ("X-Segue-DocumentActivityTypes=text=a.b", "text=a.b is not <mime type>"),
    ("X-Segue-DocumentActivityTypes=text/plain", "text/plain is not <mime type>"),
    ("X-Segue-DocumentActivityTypes=text/plain=a", "a is not an activity type"),
    ("X-Segue-DocumentActivityTypes=text/plain=a.b;TEXT/plain=a.c", "text/plain names two types; a.b is taken"),
    ("X-Segue-Team=../x", "is not a team"), ("Exec=\"reader", "a quote that does not end"),
    ("Name=", "Name is missing"),
    ("Name=a\\q", "unknown escape"),
    ("X-Segue-ActivityTypes=" + (0..<300).map { "a.b\($0);" }.joined(), "More than 256 activity types"),
  ])
  func problems(_ line: String, _ problem: String) throws {
    let file = try #require(try read("[Desktop Entry]\nType=Application\nName=x\nX-Segue-ActivityTypes=a.b\n\(line)\n"))
    #expect(file.problems.count { $0.contains(problem) } == 1, "\(file.problems)")
    #expect(file.activityTypes.count <= Limits.typesPerApplication)
  }

  @Test func domains() throws {
    let key = "[Desktop Entry]\nType=Application\nName=x\nX-Segue-AssociatedDomains="
    let list = "activitycontinuation:example.com;applinks:*.example.org;https://bad/;activitycontinuation:example.com;"
    let file = try #require(try read(key + list + "\n"))
    #expect(file.domains.map(\.string) == ["activitycontinuation:example.com", "applinks:*.example.org"])
    #expect(file.problems.count == 1 && file.problems[0].contains("https://bad/ is not"))
    func claims(_ count: Int) -> String { (0..<count).map { "applinks:d\($0).example;" }.joined() }
    let most = try #require(try read(key + claims(Limits.domainsPerApplication) + "\n"))
    #expect(most.domains.count == Limits.domainsPerApplication && most.problems.isEmpty)
    let more = try #require(try read(key + claims(Limits.domainsPerApplication + 1) + "\n"))
    #expect(more.domains == most.domains && more.problems.count == 1)
  }

  @Test func otherContents() throws {
    func content(_ text: String) throws -> DesktopFile.Content {
      try DesktopFile.read(Array(text.utf8), DesktopFile.Wanted(locales: []))
    }
    #expect(try content("[Desktop Entry]\nHidden=true\n") == .hidden)
    #expect(try content("[Desktop Entry]\nX-Segue-ActivityTypes=a.b\nHidden=true\n") == .hidden)
    #expect(try content("[Desktop Entry]\nHidden=maybe\n") == .other)
    #expect(try content("[Other]\nX-Segue-ActivityTypes=a.b\n") == .other)
    #expect(try content("") == .other)
    for text in [
      "[Desktop Entry]\nType=Link\nX-Segue-ActivityTypes=a.b\n", "[Desktop Entry]\nX-Segue-ActivityTypes=a.b\n",
      "[Desktop Entry]\nX-Segue-ActivityTypes=a.b\nHidden=1", "nonsense",
    ] {
      #expect(throws: SegueError.self) { try content(text) }
    }
  }

  @Test(
    arguments: [
      ("Name=com.example.Reader.Segue\nExec=/bin/x --y 'a b'", ["/bin/x", "--y", "a b"], ""),
      ("Name=com.example.Reader.Segue\nExec=x", ["x"], "not an absolute path"),
      ("Name=com.example.Reader\nExec=/bin/x", nil, "should be com.example.Reader.Segue"),
      ("Name=com.example.Reader.Segue", nil, "no Exec"), ("Exec=/bin/x", nil, "no Name"),
      ("Name=com.example.Reader.Segue\nExec=/bin/x \"y", nil, "a quote that does not end"),
    ] as [(String, [String]?, String)])
  func serviceFile(_ lines: String, _ exec: [String]?, _ problem: String) throws {
    let id = try appID()
    do throws(SegueError) {
      let file = try ServiceFile(Array("[D-BUS Service]\n\(lines)\n".utf8), of: id)
      #expect(file.exec == exec)
      #expect(problem.isEmpty ? file.problems.isEmpty : file.problems.contains { $0.contains(problem) })
    } catch {
      #expect(exec == nil)
      #expect(error.message.contains(problem))
    }
  }

  @Test func settings() {
    func settings(_ values: [String: String]) -> RegistrySettings { RegistrySettings { values[$0] } }
    let usual = settings(["HOME": "/home/a/"])
    #expect(usual.directories.map(\.path) == ["/home/a/.local/share", "/usr/local/share", "/usr/share"])
    #expect(usual.directories.map(\.isSystem) == [false, true, true])
    #expect(usual.locales == [])
    let own = settings([
      "HOME": "/home/a", "XDG_DATA_HOME": "/data", "LANG": "de_DE.UTF-8", "LANGUAGE": "sv:de", "LC_MESSAGES": "fr_FR",
      "XDG_DATA_DIRS": "relative:/home/a/.local/share/flatpak/exports/share:/usr//share/::/usr/share:/data",
      "PATH": "/x",
    ])
    #expect(own.directories.map(\.path) == ["/data", "/home/a/.local/share/flatpak/exports/share", "/usr/share"])
    #expect(own.directories.map(\.isSystem) == [false, false, true])
    #expect(own.directories[1].flatpakInstallation == "/home/a/.local/share/flatpak")
    #expect(own.locales == ["sv", "de", "fr_FR"])
    #expect(own.programPath == ["/x"])
    #expect(settings(["LC_ALL": "C.UTF-8", "LANG": "de", "LANGUAGE": "de"]).locales == [])
    #expect(settings([:]).directories.map(\.path) == ["/usr/local/share", "/usr/share"])
  }
}
