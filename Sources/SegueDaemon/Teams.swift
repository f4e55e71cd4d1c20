import SegueCore
import SegueLink
import SegueTeam

/// What this device knows of teams: which manifests are good, and the newest that it has ever seen of each team, so that
/// an old copy cannot bring back what was revoked. Pure but for `read` and `save`.
struct Teams: Equatable {
  /// The newest manifest that was seen of a team.
  struct Seen: Equatable {
    /// How many keys the team had had, and the last of them.
    var keys: Int
    var key: [UInt8]
    var serial: UInt64
  }

  private(set) var seen: [String: Seen] = [:]
  private(set) var records: [String: TeamRecord] = [:]
  /// What is wrong with manifests: a line each, sorted.
  private(set) var problems: [String] = []

  /// Judges all manifests that are installed. Whether a newer one than ever before was among them.
  mutating func resolve(_ files: [TeamFile]) -> Bool {
    let before = seen
    // The administrator's first: of two that are equally new, the one that is believed more counts.
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
    return seen != before
  }

  /// Remembers a manifest if it is newer. A key that took another's place makes it newer, whatever its serial: whoever
  /// stole the old key could have signed any.
  private mutating func note(_ manifest: TeamManifest) {
    let keys = manifest.keys
    guard let key = keys.last else { return }
    guard let known = seen[manifest.team] else {
      guard seen.count < Limits.teams else { return }
      seen[manifest.team] = Seen(keys: keys.count, key: key, serial: manifest.serial)
      return
    }
    guard Self.follows(keys, known), keys.count > known.keys || manifest.serial > known.serial else { return }
    seen[manifest.team] = Seen(keys: keys.count, key: key, serial: manifest.serial)
  }

  private static func follows(_ keys: [[UInt8]], _ known: Seen) -> Bool {
    keys.count >= known.keys && keys[known.keys - 1] == known.key
  }

  private func record(of file: TeamFile) -> TeamRecord {
    let manifest: TeamManifest
    switch file.content {
    case .failure(let problem): return .refused(problem)
    case .success(let read): manifest = read
    }
    guard let known = seen[manifest.team] else { return .refused(.tooMany) }
    guard Self.follows(manifest.keys, known) else { return .refused(.replacedKey) }
    guard manifest.serial >= known.serial else {
      return .refused(.outdated(serial: manifest.serial, seen: known.serial))
    }
    return .verified(
      Team(
        id: manifest.team, serial: manifest.serial, expires: manifest.expires.end,
        applications: Set(manifest.applications), types: Set(manifest.types), isTrusted: file.isTrusted))
  }

  // MARK: The state folder

  private static let file = "teams"

  init() {}

  /// What was saved. Throws `invalidArgument` for what cannot be understood: a memory that is lost would let a revoked
  /// manifest come back without a word.
  init(readingFrom folder: StateFolder) throws(SegueError) {
    guard let bytes = try folder.read(Self.file) else { return }
    do throws(SegueError) {
      let file = try KeyFile(bytes)
      for team in file.groups {
        guard let keys = try file.integer(team, "Keys"), (1...Int64(Limits.teamKeys)).contains(keys),
          let serial = try file.integer(team, "Serial"), serial > 0,
          let key = try file.string(team, "Key").flatMap({ Base32.bytes($0) })
        else { throw SegueError(.invalidArgument, "[\(team)] is not understood") }
        seen[team] = Seen(keys: Int(keys), key: key, serial: UInt64(serial))
      }
    } catch {
      throw SegueError(
        .invalidArgument, "\(folder.path)/\(Self.file) is malformed: \(error.message).",
        advice: "Restore it from a backup, or move it away; manifests that were revoked may then count again.")
    }
  }

  func save(to folder: StateFolder) throws(SegueError) {
    var file = KeyFile()
    for (team, seen) in seen.sorted(by: { $0.key < $1.key }) {
      try file.set(team, "Keys", to: Int64(seen.keys))
      try file.set(team, "Key", to: Base32.text(seen.key))
      try file.set(team, "Serial", to: Int64(clamping: seen.serial))
    }
    try folder.write(Self.file, Array(file.text.utf8))
  }
}

extension Daemon {
  /// Manifests came, went or changed.
  func readTeams() {
    let old = teams.problems
    let isNewer = teams.resolve(Array(registry.teamFiles.values))
    rules.teams = teams.records
    for problem in teams.problems where !old.contains(problem) { log.notice(problem, cause: "team") }
    guard isNewer, let folder = identity.folder else { return }
    do throws(SegueError) { try teams.save(to: folder) } catch {
      log.warning(
        "\(error.message) Until it can be saved, a restart forgets which manifests are revoked.", cause: "team")
    }
  }
}
