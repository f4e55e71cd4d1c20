import SegueCore
import SegueTeam
import Testing

/// Bounds of teams: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  @Test func keysOfATeam() throws {
    var keys = [TeamKey()]
    var manifest = TeamManifest(
      of: keys[0], serial: 1, expires: try #require(CivilDate("2030-01-31")),
      applications: [try #require(AppID("org.t.A"))], types: [])
    for _ in 1..<Limits.teamKeys {
      keys.append(TeamKey())
      try manifest.replaceKey(keys[keys.count - 2], by: keys[keys.count - 1])
    }
    #expect(manifest.keys.count == Limits.teamKeys)
    let error = #expect(throws: SegueError.self) {
      try manifest.replaceKey(keys[keys.count - 1], by: TeamKey())
    }
    #expect(error?.code == .limitExceeded)
  }
}
