import Glibc
import Logging
import SegueBus
import SegueCore
import SegueEngine
import SegueState
import Testing

@testable import SegueDaemon

/// Bounds of what the daemon reads: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  let folder: RegistryFolder

  init() throws { folder = try RegistryFolder() }

  @Test func causesOfLines() {
    let lines = Lines()
    let log = Log(lines.logger)
    for number in 0..<Limits.logCauses { log.notice("", cause: "\(number)") }
    #expect(lines.lines.count == Limits.logCauses)
    log.notice("", cause: "one more")
    #expect(lines.lines.count == Limits.logCauses)
    log.notice("", cause: "0")
    #expect(lines.lines.count == Limits.logCauses + 1)
  }

  @Test func foldersInFolders() throws {
    func path(_ depth: Int) -> String {
      "system/applications/" + (0..<depth).map { "a\($0)/" }.joined() + "com.example.Reader.desktop"
    }
    folder.write(path(Limits.folderDepth), RegistryFolder.desktop())
    folder.write(path(Limits.folderDepth + 1), RegistryFolder.desktop())
    let ids = try Registry(folder.settings) { _ in }.ids
    #expect(ids.count == 1)
    #expect(ids.first?.hasPrefix((0..<Limits.folderDepth).map { "a\($0)-" }.joined() + "com") == true)
  }

  @Test(arguments: [0, 1]) func configurationsOfOthers(_ more: Int) throws {
    let home = folder.path
    let text = "<configuration version=\"36\"><folder id='a' path='/a'/></configuration>"
    let room = Limits.foreignConfigurationLength - text.utf8.count + more
    folder.write(".config/syncthing/config.xml", text + String(repeating: "\n", count: room))
    var lines: [String] = []
    let containers = try Containers(ContainerSettings { ["HOME": home][$0] }) { lines.append($0) }
    #expect(containers.table.containers.count == 1 - more)
    #expect(lines.count == more)
  }

  @Test func foldersInTheEnvironment() {
    let folders = (0...Limits.dataFolders).map { "/d\($0)" }
    let languages = (0...Limits.environmentItems).map { "l\($0)" }
    for more in [0, 1] {
      let settings = RegistrySettings {
        switch $0 {
        case "XDG_DATA_DIRS": folders.prefix(Limits.dataFolders + more).joined(separator: ":")
        case "LANGUAGE": languages.prefix(Limits.environmentItems + more).joined(separator: ":")
        case "LANG": "de"
        default: nil
        }
      }
      #expect(settings.directories.map(\.path) == Array(folders.prefix(Limits.dataFolders)))
      #expect(settings.locales == languages.prefix(Limits.environmentItems) + ["de"])
    }
  }

  @Test func callersThatAreRemembered() throws {
    func name(_ number: Int) throws -> BusName { try #require(BusName(":1.\(number)")) }
    func caller(_ process: Int) -> CallerIdentity.Verdict { .refused(SegueError(.accessDenied, "\(process)")) }
    var callers = Callers()
    for number in 0..<Limits.callersRemembered { callers.remember(caller(number), of: try name(number)) }
    for number in 0..<Limits.callersRemembered {
      #expect(try callers[name(number)] == caller(number))
    }
    callers.remember(caller(-1), of: try name(Limits.callersRemembered))
    #expect(try callers[name(Limits.callersRemembered)] == caller(-1))
    for number in 0..<Limits.callersRemembered { #expect(try callers[name(number)] == nil) }
  }

  @Test func refusalsThatAreRemembered() throws {
    func id(_ number: Int) throws -> AppID { try #require(AppID("org.example.Refused\(number)")) }
    func note(_ number: Int, _ text: String = "Why.", in refusals: inout Refusals) throws {
      refusals.note(SegueError(.accessDenied, text), of: try id(number))
    }
    var refusals = Refusals()
    for number in 0..<Limits.refusalsRemembered { try note(number, in: &refusals) }
    #expect(refusals.table.count == Limits.refusalsRemembered)
    // The same one again takes no further place, and counts as the newest.
    try note(0, "Now.", in: &refusals)
    #expect(refusals.table.count == Limits.refusalsRemembered)
    try note(Limits.refusalsRemembered, in: &refusals)
    #expect(refusals.table.count == Limits.refusalsRemembered)
    #expect(try refusals.table[id(0)]?.message == "Now.")
    #expect(try refusals.table[id(1)] == nil && refusals.table[id(2)] != nil)
    refusals.forget(try id(2))
    #expect(try refusals.table[id(2)] == nil)
  }

  @Test(arguments: [0, 1]) func linksOnAPath(_ more: Int) {
    folder.write("file", "")
    let count = Limits.pathLinks + more
    for number in 1...count { folder.link("l\(number)", to: number == count ? "file" : "l\(number + 1)") }
    let trust = PathTrust(owners: [getuid()], forbidden: S_IWGRP | S_IWOTH, boundary: folder.path)
    let verdict = trust.follow(folder.absolute("l1"))
    if more == 0 {
      #expect(verdict == .trusted(folder.absolute("file")))
    } else {
      #expect(verdict == .refused(folder.absolute("l\(count)") + " leads nowhere"))
    }
  }

  @Test func attack43_whatIsAnotherUsersIsNotFollowed() {
    folder.write("file", "")
    folder.link("link", to: "file")
    let trust = PathTrust(owners: [getuid() + 1], forbidden: 0, boundary: folder.absolute("elsewhere"))
    #expect(trust.follow(folder.absolute("link")) == .refused(folder.absolute("link") + " is another user's link"))
    #expect(trust.follow(folder.absolute("file")) == .refused(folder.absolute("file") + " is another user's"))
  }

  @Test(arguments: [0, 1]) func piecesOfAFile(_ more: Int) throws {
    let count = Limits.filePiece + more
    folder.write("file", [UInt8](repeating: 7, count: count))
    let path = folder.absolute("file")
    func source() throws -> FileSource { FileSource(try #require(FileDescriptor(open(path, O_RDONLY | O_CLOEXEC)))) }
    let file = try source()
    let found = try file.begin(at: 0, of: [])
    #expect(try file.skip(to: UInt64(count)) == (more == 0))
    #expect(try file.skip(to: UInt64(count)) == true)
    // A device that has all of it goes on at its end; one that claims to have more begins anew.
    #expect(try source().begin(at: UInt64(count), of: found.version).offset == UInt64(count))
    #expect(try source().begin(at: UInt64(count) + 1, of: found.version).offset == 0)
  }

  @Test func sentencesOfTheLog() {
    let lines = Lines()
    let log = Log(lines.logger)
    let longest = String(repeating: "x", count: Limits.sentenceLength)
    log.notice(longest, cause: "test")
    log.notice(longest + "x", cause: "test")
    #expect(lines.lines.count == 2 && lines.lines.first == longest)
    #expect(lines.lines.last != longest + "x" && lines.lines.last?.utf8.count ?? 0 <= Limits.sentenceLength)
    // And no more of one cause than may be.
    for _ in 2..<Limits.logLinesPerMinute { log.notice("line", cause: "test") }
    #expect(lines.lines.count == Limits.logLinesPerMinute && lines.lines.last == "line")
    for _ in 0..<3 { log.notice("line", cause: "test") }
    #expect(lines.lines.count == Limits.logLinesPerMinute + 1)
    #expect(lines.lines.last == "more of the same kind (test) is not logged for a minute")
  }
}
