import SegueCore

/// An application as an association file names it: `<team>.<app id>`.
public struct ApplicationIdentifier: Hashable, Sendable {
  public let team: String
  public let appID: AppID

  public init(team: String, appID: AppID) {
    self.team = team
    self.appID = appID
  }

  /// Nil unless it is a team, a dot, and an application id.
  public init?(_ string: String) {
    guard let dot = string.utf8.firstIndex(of: UInt8(ascii: ".")), dot > string.startIndex,
      let appID = AppID(String(string[string.utf8.index(after: dot)...]))
    else { return nil }
    let team = string[..<dot]
    guard team.utf8.count <= Limits.keyLength, team.utf8.allSatisfy(Self.isTeamByte) else { return nil }
    self.init(team: String(team), appID: appID)
  }

  private static func isTeamByte(_ byte: UInt8) -> Bool {
    URLPattern.isLower(byte) || URLPattern.isUpper(byte) || URLPattern.isDigit(byte)
  }

  public var string: String { team + "." + appID.string }
}
