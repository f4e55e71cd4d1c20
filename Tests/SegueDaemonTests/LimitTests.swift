import SegueBus
import SegueCore
import SegueEngine
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
    func caller(_ process: Int) -> Caller {
      Caller(
        verdict: .refused(SegueError(.accessDenied, "\(process)")),
        holder: DoorSeats.Holder(process: Int32(clamping: process), group: ""))
    }
    var callers = Callers()
    for number in 0..<Limits.callersRemembered { callers.remember(caller(number), of: try name(number)) }
    for number in 0..<Limits.callersRemembered {
      #expect(try callers[name(number)]?.holder == caller(number).holder)
    }
    callers.remember(caller(-1), of: try name(Limits.callersRemembered))
    #expect(try callers[name(Limits.callersRemembered)]?.holder == caller(-1).holder)
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
}
