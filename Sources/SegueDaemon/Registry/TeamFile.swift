import SegueCore
import SegueTeam

/// A team's manifest as it lies in a data directory.
struct TeamFile: Equatable {
  let path: String
  /// The data directory's place among all.
  let order: Int
  /// Whether it is the administrator's.
  let isTrusted: Bool
  let content: Result<TeamManifest, TeamProblem>

  static let suffix = TeamManifest.suffix

  init(_ bytes: [UInt8], path: String, order: Int, isTrusted: Bool) {
    self.path = path
    self.order = order
    self.isTrusted = isTrusted
    var content = Result { () throws(TeamProblem) in try TeamManifest(verifying: bytes) }
    if case .success(let manifest) = content, !path.ends(with: "/" + manifest.fileName) {
      content = .failure(.misnamed(team: manifest.team))
    }
    self.content = content
  }

  /// The team that the file is called after.
  var team: String {
    (path.pathParts?.name ?? path).rest(before: Self.suffix) ?? ""
  }
}
