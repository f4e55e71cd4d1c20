import SegueCore

/// Why applications were not registered at the door, for `segue explain`.
struct Refusals {
  /// The newest last.
  private var refused: [(appID: AppID, error: SegueError)] = []

  var table: [AppID: SegueError] { Dictionary(refused.map { ($0.appID, $0.error) }) { _, last in last } }

  mutating func note(_ error: SegueError, of id: AppID) {
    forget(id)
    refused = refused.suffix(Limits.refusalsRemembered - 1) + [(id, error)]
  }

  /// It is asked about anew.
  mutating func forget(_ id: AppID) { refused.removeAll { $0.appID == id } }
}
