import SegueCore

/// The user's decisions about offers and applications, in segue.conf.
public struct Policy: Equatable, Sendable {
  public init() {}

  /// Applications whose activities are never announced to other devices (semantics V17).
  public var withheld: Set<AppID> = []
  /// Applications and manifests in the home folder count for teams (docs/teams.md).
  public var allowsUserTeams = false
  /// Other devices may keep the last snapshot of what is on offer here (semantics X7).
  public var sharesSnapshots = false
  /// The last snapshots of what other devices have on offer are kept here.
  public var keepsSnapshots = false

  /// Group [Policy]: Withhold (a list of application ids). Group [Developer]: Teams. Group [Snapshots]: Share, Keep.
  public mutating func read(_ file: KeyFile) throws(SegueError) {
    for item in try file.list("Policy", "Withhold") ?? [] {
      guard let id = AppID(item) else {
        throw file.failure(
          "Policy", "Withhold",
          "names \(DisplayText.quoted(item, maximum: Limits.shownName)), which is no application id")
      }
      withheld.insert(id)
    }
    allowsUserTeams = try file.bool("Developer", "Teams") ?? false
    sharesSnapshots = try file.bool("Snapshots", "Share") ?? false
    keepsSnapshots = try file.bool("Snapshots", "Keep") ?? false
  }
}
