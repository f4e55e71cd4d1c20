import Glibc
import SegueCore
import SegueLink
import SegueState
import SegueTeam
import Testing

@testable import SegueDaemon

@Suite struct TeamsTests {
  private let key = TeamKey()

  private func manifest(_ serial: UInt64, _ applications: [String] = ["org.t.A"]) throws -> TeamManifest {
    TeamManifest(
      of: key, serial: serial, expires: try #require(CivilDate("2030-12-31")),
      applications: applications.compactMap { AppID($0) })
  }

  private func file(
    _ manifest: TeamManifest, by key: TeamKey? = nil, name: String? = nil, order: Int = 0, isTrusted: Bool = true
  ) throws -> TeamFile {
    TeamFile(
      Array(try manifest.signed(by: key ?? self.key).utf8), path: "/share/\(name ?? manifest.fileName)", order: order,
      isTrusted: isTrusted)
  }

  private func verified(_ teams: Teams) -> Team? {
    guard case .verified(let team)? = teams.records[key.team] else { return nil }
    return team
  }

  private func problem(_ teams: Teams) -> TeamProblem? {
    guard case .refused(let problem)? = teams.records[key.team] else { return nil }
    return problem
  }

  @Test func attack44_anOldManifestDoesNotComeBack() throws {
    var teams = Teams()
    var isNewer = false
    let first = try file(manifest(1, ["org.t.A", "org.t.B"]))
    let second = try file(manifest(2))
    isNewer = teams.resolve([first])
    #expect(isNewer)
    #expect(verified(teams)?.applications.count == 2)
    isNewer = teams.resolve([first])
    #expect(!isNewer)
    isNewer = teams.resolve([second])
    #expect(isNewer)
    #expect(verified(teams)?.applications.count == 1)
    isNewer = teams.resolve([])
    #expect(!isNewer)
    isNewer = teams.resolve([first])
    #expect(!isNewer)
    #expect(problem(teams) == .outdated(serial: 1, seen: 2))
    #expect(teams.problems.count == 1)
    // An old copy beside the new one does no harm.
    isNewer = teams.resolve([first, second])
    #expect(!isNewer)
    #expect(verified(teams)?.serial == 2)
  }

  @Test func attack44_anotherFileName() throws {
    var teams = Teams()
    var isNewer = false
    let other = TeamKey()
    let copy = try file(manifest(1), name: other.team + ".manifest")
    isNewer = teams.resolve([copy])
    #expect(!isNewer)
    #expect(teams.records[other.team] == .refused(.misnamed(team: key.team)))
    #expect(teams.records[key.team] == nil)
  }

  @Test func attack44_theReplacedKeySignsNoMore() throws {
    var teams = Teams()
    var isNewer = false
    let next = TeamKey()
    let stolen = try file(manifest(100))
    var rotated = try manifest(2)
    try rotated.replaceKey(key, by: next)
    let good = try file(rotated, by: next)
    // Even where whoever has the old key was there first, with a high serial.
    isNewer = teams.resolve([stolen])
    #expect(isNewer)
    isNewer = teams.resolve([good, stolen])
    #expect(isNewer)
    #expect(verified(teams)?.serial == 2)
    isNewer = teams.resolve([stolen])
    #expect(!isNewer)
    #expect(problem(teams) == .replacedKey)
    // Nor can it name another successor now.
    var forked = try manifest(200)
    let thief = TeamKey()
    try forked.replaceKey(key, by: thief)
    isNewer = teams.resolve([try file(forked, by: thief)])
    #expect(!isNewer)
    #expect(problem(teams) == .replacedKey)
    // The rightful one can.
    let third = TeamKey()
    rotated.serial = 3
    try rotated.replaceKey(next, by: third)
    isNewer = teams.resolve([try file(rotated, by: third)])
    #expect(isNewer)
    #expect(verified(teams)?.serial == 3)
  }

  @Test func attack44_theAdministratorsFileStandsFirst() throws {
    var teams = Teams()
    let mine = try file(manifest(1, ["org.t.Mine"]), order: 0, isTrusted: false)
    let theirs = try file(manifest(1, ["org.t.Theirs"]), order: 1)
    _ = teams.resolve([mine, theirs])
    #expect(verified(teams)?.isTrusted == true)
    #expect(verified(teams)?.applications.map(\.string) == ["org.t.Theirs"])
    // A newer one of the user's revokes, whoever believes in it otherwise.
    _ = teams.resolve([theirs, try file(manifest(2), order: 0, isTrusted: false)])
    #expect(verified(teams)?.isTrusted == false)
  }

  @Test func attack44_theMemoryOutlivesTheDaemon() throws {
    let folder = try RegistryFolder()
    folder.makeFolder("state", mode: 0o700)
    var teams = Teams()
    _ = teams.resolve([try file(manifest(7))])
    do {
      let state = try StateFolder(folder.absolute("state"))
      #expect(try Teams(TeamMemory(readingFrom: state)) == Teams())
      try teams.memory.save(to: state)
    }
    let state = try StateFolder(folder.absolute("state"))
    var read = try Teams(TeamMemory(readingFrom: state))
    #expect(read.memory.seen == teams.memory.seen)
    _ = read.resolve([try file(manifest(6))])
    #expect(problem(read) == .outdated(serial: 6, seen: 7))
    try state.write("teams", Array("[x]\nSerial=no\n".utf8))
    #expect(throws: SegueError.self) { try Teams(TeamMemory(readingFrom: state)) }
  }

  @Test func attack44_noMoreTeamsThanAreRemembered() throws {
    var teams = Teams()
    var files: [TeamFile] = []
    for number in 0...Limits.teams {
      let key = TeamKey()
      let manifest = TeamManifest(of: key, expires: try #require(CivilDate("2030-12-31")), applications: [])
      files.append(try file(manifest, by: key, order: number))
    }
    _ = teams.resolve(files)
    #expect(teams.memory.seen.count == Limits.teams)
    #expect(teams.records.values.count { $0 == .refused(.tooMany) } == 1)
  }

  @Test func attack44_manifestsAreWatched() throws {
    let folder = try RegistryFolder()
    folder.makeFolder("system")
    let registry = try Registry(folder.settings) { _ in }
    var told = 0
    registry.onChange = { _ in told += 1 }
    let manifest = try manifest(1)
    folder.write("system/segue/teams/" + manifest.fileName, try manifest.signed(by: key))
    #expect(registry.settle { registry.files.teamFiles.count == 1 })
    #expect(registry.files.teamFiles.values.first?.isTrusted == true)
    #expect(told > 0)
    folder.remove("system/segue/teams/" + manifest.fileName)
    #expect(registry.settle { registry.files.teamFiles.isEmpty })
    // In the home folder, and one that others may write to.
    folder.write("home/.local/share/segue/teams/" + manifest.fileName, try manifest.signed(by: key))
    #expect(registry.settle { registry.files.teamFiles.count == 1 })
    #expect(registry.files.teamFiles.values.first?.isTrusted == false)
    chmod(folder.absolute("home/.local/share/segue/teams/" + manifest.fileName), 0o666)
    #expect(registry.settle { registry.files.teamFiles.isEmpty })
    #expect(registry.problems.count == 1)
  }
}
