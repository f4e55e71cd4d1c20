import SegueCore
import SegueEngine

/// The applications of a scenario: every device has all of them, they are of one team, and each may continue the
/// activities of all others.
struct VirtualCatalog {
  let appIDs: [AppID]
  let type: ActivityType
  let index: ApplicationIndex
  let rules: MatchRules
  private static let team = "teamteamteamteamteamteamteamteam"

  init(_ names: [String]) {
    guard let type = ActivityType("org.segue.simulated") else { preconditionFailure("the type is well formed") }
    let appIDs = names.indices.compactMap { AppID("org.segue.simulated.A\($0)") }
    var index = ApplicationIndex()
    for (number, id) in appIDs.enumerated() {
      index.set(
        id,
        to: InstalledApplication(
          appID: id, name: names[number], desktopFile: "/\(number).desktop", tier: .system, activityTypes: [type],
          team: Self.team))
    }
    let team = Team(
      id: Self.team, serial: 1, expires: .max, applications: Set(appIDs), isTrusted: true)
    self.type = type
    self.appIDs = appIDs
    self.index = index
    rules = MatchRules(teams: [Self.team: .verified(team)])
  }
}
