import SegueCore
import SegueState
import SegueTeam

/// This device's knowledge of teams: which manifests are good, and the newest that it has ever seen of each team, so
/// that an old copy cannot bring back a revoked application.
struct Teams: Equatable {
  private(set) var memory: TeamMemory
  private(set) var records: [String: TeamRecord] = [:]
  /// The problems of manifests: a line each, sorted.
  private(set) var problems: [String] = []

  init(_ memory: TeamMemory = TeamMemory()) { self.memory = memory }

  /// Judges all installed manifests. Returns whether one of them is newer than any seen before.
  mutating func resolve(_ files: [TeamFile]) -> Bool {
    let before = memory
    // The administrator's manifests come first: if two are equally new, the more trusted one counts.
    let files = files.sorted { ($0.isTrusted ? 0 : 1, $0.order, $0.path) < ($1.isTrusted ? 0 : 1, $1.order, $1.path) }
    for file in files { if case .success(let manifest) = file.content { note(manifest) } }
    records = [:]
    problems = []
    for file in files {
      let record = record(of: file)
      if case .refused(let problem) = record { problems.append("\(file.path) is ignored: it \(problem.reason).") }
      if case .verified? = records[file.team] { continue }
      if case .refused = record, records[file.team] != nil { continue }
      records[file.team] = record
    }
    problems.sort()
    return memory != before
  }

  /// Remembers a manifest if it is newer. A key that replaced another makes it newer, whatever its serial: a thief of
  /// the old key could have signed any serial.
  private mutating func note(_ manifest: TeamManifest) {
    let keys = manifest.keys
    guard let key = keys.last else { return }
    guard let known = memory.seen[manifest.team] else {
      guard memory.seen.count < Limits.teams else { return }
      memory.seen[manifest.team] = TeamMemory.Seen(keys: keys.count, key: key, serial: manifest.serial)
      return
    }
    guard Self.follows(keys, known), keys.count > known.keys || manifest.serial > known.serial else { return }
    memory.seen[manifest.team] = TeamMemory.Seen(keys: keys.count, key: key, serial: manifest.serial)
  }

  private static func follows(_ keys: [[UInt8]], _ known: TeamMemory.Seen) -> Bool {
    keys.count >= known.keys && keys[known.keys - 1] == known.key
  }

  private func record(of file: TeamFile) -> TeamRecord {
    let manifest: TeamManifest
    switch file.content {
    case .failure(let problem): return .refused(problem)
    case .success(let read): manifest = read
    }
    guard let known = memory.seen[manifest.team] else { return .refused(.tooMany) }
    guard Self.follows(manifest.keys, known) else { return .refused(.replacedKey) }
    guard manifest.serial >= known.serial else {
      return .refused(.outdated(serial: manifest.serial, seen: known.serial))
    }
    return .verified(
      Team(
        id: manifest.team, serial: manifest.serial, expires: manifest.expires.end,
        applications: Set(manifest.applications), types: Set(manifest.types), isTrusted: file.isTrusted))
  }
}
