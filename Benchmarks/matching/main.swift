// How long it takes to say who may continue an offer, with 10,000 applications installed; who claims a domain; and what a
// domain's patterns say of a link. Prints a line for each kind of
// match, "<kind> <nanoseconds>", a few thousand times over.

import Glibc
import SegueCore
import SegueEngine

private let count = 10_000
private let rounds = 5_000

private func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func application(_ number: Int, _ type: String, team: String? = nil) -> InstalledApplication? {
  guard let id = AppID("org.example.App\(number)"), let type = ActivityType(type) else { return nil }
  return InstalledApplication(
    appID: id, name: "App \(number)", desktopFile: "/usr/share/applications/\(id.string).desktop", tier: .system,
    activityTypes: [type], team: team, serviceFile: "/usr/share/dbus-1/services/\(id.string).Segue.service")
}

private func offer(_ number: Int, _ type: String, team: String? = nil) -> Offer? {
  guard let id = AppID("org.example.App\(number)"), let type = ActivityType(type) else { return nil }
  return Offer(id: .random(), revision: 1, type: type, appID: id, tier: .system, team: team)
}

private var index = ApplicationIndex()
private let team = "abcdefghijklmnopqrstuvwxyz234567"
for number in 0..<count {
  // Each has a type of its own; the last three share one, in a team.
  let isMember = number >= count - 3
  let type = isMember ? "org.example.shared" : "org.example.app\(number).page"
  if let application = application(number, type, team: isMember ? team : nil) {
    index.set(application.appID, to: application)
  }
}

private let rules = MatchRules(teams: [
  team: .verified(
    Team(
      id: team, serial: 1, expires: .max, applications: Set((0..<count).compactMap { AppID("org.example.App\($0)") }),
      isTrusted: true))
])

@MainActor private func measure(_ kind: String, candidates: Int, _ offers: [Offer]) {
  var found = 0
  for round in 0..<rounds {
    let offer = offers[round % offers.count]
    let start = now()
    let match = index.match(offer, rules, now: 0)
    let end = now()
    found += match.candidates.count
    print(kind, end - start)
  }
  precondition(found == rounds * candidates, "\(kind) found \(found)")
}

measure("same", candidates: 1, (0..<1_000).compactMap { offer($0 * 7, "org.example.app\($0 * 7).page") })
measure("team", candidates: 3, (0..<1_000).compactMap { offer($0, "org.example.shared", team: team) })
measure("nobody", candidates: 0, (0..<1_000).compactMap { offer($0, "org.example.none\($0)") })

/// The same for any other question.
@MainActor func measure(_ kind: String, found expected: Int, _ ask: (Int) -> Int) {
  var found = 0
  for round in 0..<rounds {
    let start = now()
    found += ask(round)
    print(kind, now() - start)
  }
  precondition(found == rounds * expected, "\(kind) found \(found)")
}

measureDomains()
