/// A group of applications of one key holder, by a manifest whose signature was checked.
public struct Team: Equatable, Sendable {
  /// A hash of the team's first key.
  public var id: String
  /// The manifest's serial number, which grows with each manifest of the team.
  public var serial: UInt64
  /// When the manifest expires, in seconds since 1970; from this second on it is not valid.
  public var expires: UInt64
  public var applications: Set<AppID>
  /// Empty: every type.
  public var types: Set<ActivityType>
  /// Whether the manifest is the administrator's file, and not one that the user may have put there.
  public var isTrusted: Bool

  public init(
    id: String, serial: UInt64, expires: UInt64, applications: Set<AppID>, types: Set<ActivityType> = [],
    isTrusted: Bool
  ) {
    self.id = id
    self.serial = serial
    self.expires = expires
    self.applications = applications
    self.types = types
    self.isTrusted = isTrusted
  }
}

/// Why a team's manifest proves nothing (attack 44).
public enum TeamProblem: Error, Equatable, Sendable {
  /// It cannot be read: the reason, without a full stop.
  case malformed(String)
  /// The file's name is not `<team>.manifest` with the team id that follows from its key.
  case misnamed(team: String)
  /// It was altered, or another key signed it.
  case signature
  /// A later key was not signed by the key before it.
  case succession
  /// A newer manifest of the team was seen on this device before.
  case outdated(serial: UInt64, seen: UInt64)
  /// The team's key was replaced by another one, and this manifest does not know of it.
  case replacedKey
  /// There are more teams than this device remembers.
  case tooMany

  /// The reason, as text that follows "its manifest ".
  public var reason: String {
    switch self {
    case .malformed(let what): "cannot be read: \(what)"
    case .misnamed(let team): "should be called \(team).manifest, after the team that its key makes"
    case .signature: "was altered, or signed by another key"
    case .succession: "names a new key that the old one did not sign"
    case .outdated(let serial, let seen): "has the serial \(serial), and \(seen) was seen before: it is revoked"
    case .replacedKey: "is signed by a key that another one has replaced"
    case .tooMany: "is one of too many teams"
    }
  }
}

/// This device's record of a team.
public enum TeamRecord: Equatable, Sendable {
  case verified(Team)
  case refused(TeamProblem)
}
