import SegueCore
import Testing

@testable import SegueTeam

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

  /// A manifest that others have made is as good as one of ours, but for the bound.
  @Test(arguments: [0, 1]) func keysOfAManifestThatIsRead(_ more: Int) throws {
    var keys = [TeamKey()]
    let first = TeamManifest(
      of: keys[0], expires: try #require(CivilDate("2030-01-31")), applications: [try #require(AppID("org.t.A"))])
    var file = try KeyFile(Array(try first.signed(by: keys[0]).utf8))
    var successors: [String] = []
    for _ in 1..<Limits.teamKeys + more {
      let next = TeamKey()
      let signature = try keys[keys.count - 1].sign(TeamManifest.succession(first.team, next.publicKey))
      successors.append("\(Base32.text(next.publicKey)):\(Base32.text(signature))")
      keys.append(next)
    }
    try file.set("Team", "Successors", to: successors)
    let signature = try keys[keys.count - 1].sign(TeamManifest.signedBytes(of: file))
    try file.set("Team", "Signature", to: Base32.text(signature))
    if more == 0 {
      #expect(try TeamManifest(verifying: Array(file.text.utf8)).keys == keys.map { $0.publicKey })
    } else {
      #expect(throws: TeamProblem.malformed("it has too many successors")) {
        _ = try TeamManifest(verifying: Array(file.text.utf8))
      }
    }
  }
}
