import SegueCore
import SegueTeam
import Testing

@Suite struct TeamManifestTests {
  private let key = TeamKey()

  private func manifest(_ serial: UInt64 = 1) throws -> TeamManifest {
    TeamManifest(
      of: key, serial: serial, expires: try #require(CivilDate("2030-12-31")),
      applications: [try #require(AppID("org.t.A")), try #require(AppID("org.t.B"))],
      types: [try #require(ActivityType("org.t.page"))])
  }

  private func problem(_ text: String) -> TeamProblem? {
    do throws(TeamProblem) { _ = try TeamManifest(verifying: Array(text.utf8)) } catch { return error }
    return nil
  }

  @Test func attack44_whatWasSignedIsRead() throws {
    let manifest = try manifest()
    let text = try manifest.signed(by: key)
    #expect(try TeamManifest(verifying: Array(text.utf8)) == manifest)
    #expect(manifest.team == key.team)
    #expect(key.team.utf8.count == 32)
    #expect(manifest.fileName == key.team + ".manifest")
    // Comments, order and space are not signed.
    let lines = text.split(separator: "\n").dropFirst()
    #expect(problem("# hello\n[Team]\n\n" + lines.reversed().joined(separator: "\n")) == nil)
  }

  @Test func attack44_alteredInAnyLine() throws {
    let text = try manifest().signed(by: key)
    for (old, new) in [
      ("Serial=1", "Serial=2"), ("2030", "2031"), ("org.t.A", "org.t.X"), ("org.t.B;", ""),
      ("org.t.page", "org.t.other"),
      ("[Team]", "[Team]\nNew=1"), ("Types=org.t.page;\n", ""),
    ] {
      let altered = text.replacing(old, with: new)
      #expect(altered != text)
      #expect(problem(altered) == .signature, "\(old)")
    }
    #expect(problem(text.replacing("Applications", with: "applications")) == .signature)
  }

  @Test func attack44_signedByAnotherKey() throws {
    let other = TeamKey()
    #expect(throws: SegueError.self) { try manifest().signed(by: other) }
    // The other key's name over it, or its signature under it.
    let text = try manifest().signed(by: key)
    let foreign = try TeamManifest(
      of: other, expires: manifest().expires, applications: manifest().applications, types: manifest().types
    ).signed(by: other)
    func line(_ start: String, of text: String) throws -> String {
      String(try #require(text.split(separator: "\n").first { $0.hasPrefix(start) }))
    }
    for start in ["Key=", "Signature="] {
      let mixed = text.replacing(try line(start, of: text), with: try line(start, of: foreign))
      #expect(problem(mixed) == .signature)
    }
  }

  @Test(arguments: [
    "", "[Team]\n", "nonsense", "[Team]\nKey=aaaa\n", "[Team]\nKey=1\nSerial=1\n", "[Team]\nKey=\u{202E}\n",
  ])
  func attack44_malformed(_ text: String) {
    guard case .malformed? = problem(text) else {
      Issue.record("\(text) was taken for something else")
      return
    }
  }

  @Test func attack44_malformedValues() throws {
    let text = try manifest().signed(by: key)
    for (old, new) in [
      ("Serial=1", "Serial=0"), ("Serial=1", "Serial=-1"), ("Serial=1", "Serial=99999999999999999999"),
      ("2030-12-31", "2030-12-32"), ("org.t.A", "A"), ("org.t.page", "page"), ("Signature=", "Signature=!"),
      ("Serial=1", "Serial=1\nSerial=1"),
    ] {
      guard case .malformed? = problem(text.replacing(old, with: new)) else {
        Issue.record("\(new) was not malformed")
        continue
      }
    }
  }

  @Test func attack44_aKeyIsReplaced() throws {
    let next = TeamKey()
    var manifest = try manifest(2)
    try manifest.replaceKey(key, by: next)
    let text = try manifest.signed(by: next)
    let read = try TeamManifest(verifying: Array(text.utf8))
    #expect(read.team == key.team)
    #expect(read.keys == [key.publicKey, next.publicKey])
    // The old key signs no more, and does not stand again in its own place.
    #expect(throws: SegueError.self) { try manifest.signed(by: key) }
    #expect(throws: SegueError.self) { try manifest.replaceKey(next, by: key) }
    #expect(throws: SegueError.self) { try manifest.replaceKey(key, by: TeamKey()) }
    // A successor that the old key did not sign for.
    let thief = TeamKey()
    var stolen = try self.manifest(3)
    try stolen.replaceKey(key, by: thief)
    let entry = try #require(text.split(separator: "\n").first { $0.hasPrefix("Successors=") })
    let other = try #require(
      try stolen.signed(by: thief).split(separator: "\n").first { $0.hasPrefix("Successors=") })
    let forged = entry.prefix { $0 != ":" } + other.drop { $0 != ":" }
    #expect(problem(text.replacing(entry, with: forged)) == .succession)
  }

  @Test func theKeysFile() throws {
    let read = try TeamKey(Array(key.text.utf8))
    #expect(read.publicKey == key.publicKey)
    for text in ["", "[Team Key]\n", "[Team Key]\nPrivate=aaaa\n", "nonsense"] {
      #expect(throws: SegueError.self) { try TeamKey(Array(text.utf8)) }
    }
  }
}
