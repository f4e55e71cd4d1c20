import SegueCore

/// What the user has decided about offers and applications, in segue.conf.
public struct Policy: Equatable, Sendable {
  /// Applications whose activities no other device hears of (semantics V17).
  var withheld: Set<AppID> = []
  /// Applications and manifests in the home folder count for teams (docs/teams.md).
  var allowsUserTeams = false

  /// Group [Policy]: Withhold (a list of application ids). Group [Developer]: Teams.
  mutating func read(_ file: KeyFile) throws(SegueError) {
    for item in try file.list("Policy", "Withhold") ?? [] {
      guard let id = AppID(item) else {
        throw SegueError(.invalidArgument, "Withhold: \(DisplayText.clean(item, maximum: 128)) is no application id.")
      }
      withheld.insert(id)
    }
    allowsUserTeams = try file.bool("Developer", "Teams") ?? false
  }
}
