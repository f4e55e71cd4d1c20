import SegueCore

/// The newest manifest of each team that this device has ever seen, in the file `teams` of the state directory. So an
/// old manifest cannot bring back a key that was revoked.
public struct TeamMemory: Equatable, Sendable {
  /// The newest manifest that was seen of a team.
  public struct Seen: Equatable, Sendable {
    /// How many keys the team had had by then.
    public var keys: Int
    /// The last of these keys.
    public var key: [UInt8]
    /// The manifest's serial number.
    public var serial: UInt64

    /// A manifest that was seen.
    public init(keys: Int, key: [UInt8], serial: UInt64) {
      self.keys = keys
      self.key = key
      self.serial = serial
    }
  }

  /// The newest manifests by the teams' ids.
  public var seen: [String: Seen] = [:]

  private static let file = "teams"

  /// The memory of a device that has seen no manifest.
  public init() {}

  /// Reads the saved memory. Throws `invalidArgument` if it cannot be understood: starting with an empty memory would
  /// let a revoked manifest come back unnoticed.
  public init(readingFrom folder: StateFolder) throws(SegueError) {
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

  /// Throws what `StateFolder.write` throws.
  public func save(to folder: StateFolder) throws(SegueError) {
    var file = KeyFile()
    for (team, seen) in seen.sorted(by: { $0.key < $1.key }) {
      try file.set(team, "Keys", to: Int64(seen.keys))
      try file.set(team, "Key", to: Base32.text(seen.key))
      try file.set(team, "Serial", to: Int64(clamping: seen.serial))
    }
    try folder.write(Self.file, Array(file.text.utf8))
  }
}
