import SegueCore

/// The user's decisions about offers and applications, in segue.conf.
public struct Policy: Equatable, Sendable {
  public init() {}

  /// What segue.conf says about sharing.
  public var sharing = SharingChoices()
  /// Applications and manifests in the home folder count for teams (docs/teams.md).
  public var allowsUserTeams = false
  /// Other devices may keep the last snapshot of what is on offer here (semantics X7).
  public var sharesSnapshots = false
  /// The last snapshots of what other devices have on offer are kept here.
  public var keepsSnapshots = false

  /// Group [Policy]: SharingChoices. Group [Developer]: Teams. Group [Snapshots]: Share, Keep.
  public mutating func read(_ file: KeyFile) throws(SegueError) {
    sharing = try SharingChoices(file)
    allowsUserTeams = try file.bool("Developer", "Teams") ?? false
    sharesSnapshots = try file.bool("Snapshots", "Share") ?? false
    keepsSnapshots = try file.bool("Snapshots", "Keep") ?? false
  }
}
