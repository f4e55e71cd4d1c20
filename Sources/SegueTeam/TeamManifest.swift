import Crypto
import SegueCore

/// A team's manifest: which applications its key holder groups together, and until when (docs/teams.md).
public struct TeamManifest: Equatable, Sendable {
  /// A key that replaced another, and that other key's signature for it.
  struct Successor: Equatable, Sendable {
    var key: [UInt8]
    var signature: [UInt8]
  }

  /// The team's first key, from which its id follows.
  let firstKey: [UInt8]
  private(set) var successors: [Successor] = []
  public var serial: UInt64
  /// The last day on which it is good, in universal time.
  public var expires: CivilDate
  public var applications: [AppID]
  /// Empty: every type.
  public var types: [ActivityType]

  /// The manifest of a team that begins with a key.
  public init(
    of key: TeamKey, serial: UInt64 = 1, expires: CivilDate, applications: [AppID], types: [ActivityType] = []
  ) {
    firstKey = key.publicKey
    self.serial = serial
    self.expires = expires
    self.applications = applications
    self.types = types
  }

  /// The team's keys, one after the other; the last one signs.
  public var keys: [[UInt8]] { [firstKey] + successors.map { $0.key } }

  /// The team's id.
  public var team: String { Self.team(of: firstKey) }

  /// The file's name.
  public var fileName: String { team + Self.suffix }

  public static let suffix = ".manifest"

  /// The team that begins with a key: 160 bits of its SHA-256, in 32 characters of base32.
  public static func team(of key: [UInt8]) -> String { Base32.text(Array(SHA256.hash(data: key).prefix(20))) }

  /// Puts another key in the place of the current one, which signs for it. Throws `invalidArgument`.
  public mutating func replaceKey(_ current: TeamKey, by next: TeamKey) throws(SegueError) {
    guard keys.last == current.publicKey else { throw Self.foreignKey }
    guard !keys.contains(next.publicKey) else {
      throw SegueError(.invalidArgument, "This key is, or was, the team's already.", advice: "Make a new key.")
    }
    guard keys.count < Limits.teamKeys else {
      throw SegueError(.limitExceeded, "The team has had \(Limits.teamKeys) keys.", advice: "Make a new team.")
    }
    let signature = try current.sign(Self.succession(team, next.publicKey))
    successors.append(Successor(key: next.publicKey, signature: signature))
  }

  // MARK: The file

  private static let group = "Team"
  private static let signatureKey = "Signature"

  /// The file, signed by the team's current key. Throws `invalidArgument` for another key.
  public func signed(by key: TeamKey) throws(SegueError) -> String {
    guard keys.last == key.publicKey else { throw Self.foreignKey }
    guard let number = Int64(exactly: serial) else {
      throw SegueError(.limitExceeded, "The team has no serial number left.", advice: "Make a new team.")
    }
    var file = KeyFile()
    try file.set(Self.group, "Key", to: Base32.text(firstKey))
    if !successors.isEmpty {
      let list = successors.map { "\(Base32.text($0.key)):\(Base32.text($0.signature))" }
      try file.set(Self.group, "Successors", to: list)
    }
    try file.set(Self.group, "Serial", to: number)
    try file.set(Self.group, "Expires", to: expires.description)
    try file.set(Self.group, "Applications", to: applications.map { $0.string })
    if !types.isEmpty { try file.set(Self.group, "Types", to: types.map { $0.string }) }
    try file.set(Self.group, Self.signatureKey, to: Base32.text(try key.sign(Self.signedBytes(of: file))))
    return file.text
  }

  private static let foreignKey = SegueError(
    .invalidArgument, "The key is not the one that signs for this team.",
    advice: "Sign with the team's current key; to put another one in its place: --successor")

  /// The signed bytes: a line that says what is signed, then each entry of [Team] but the signature as `Key=value`,
  /// sorted by the bytes of their keys, each line ended by a newline. So the signature covers keys that a later version
  /// may add.
  static func signedBytes(of file: KeyFile) -> [UInt8] {
    let lines = file.raw(group).filter { $0.key != signatureKey }.map { "\($0.key)=\($0.value)\n" }
    let sorted = lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return Array(("segue team manifest\n" + sorted.joined()).utf8)
  }

  /// The bytes that a key signs for its successor.
  static func succession(_ team: String, _ next: [UInt8]) -> [UInt8] {
    Array("segue team succession\n\(team)\n\(Base32.text(next))\n".utf8)
  }

  /// Reads a manifest and checks its signatures. The caller checks its name, its expiry, and whether it is the newest.
  public init(verifying bytes: [UInt8]) throws(TeamProblem) {
    let file: KeyFile
    let signature: [UInt8]
    do throws(SegueError) {
      file = try KeyFile(bytes)
      firstKey = try Self.key(try file.string(Self.group, "Key"))
      for item in try file.list(Self.group, "Successors") ?? [] { successors.append(try Self.successor(item)) }
      guard successors.count < Limits.teamKeys else { throw Self.malformed("it has too many successors") }
      guard let serial = try file.integer(Self.group, "Serial"), serial > 0 else {
        throw Self.malformed("Serial is not a positive number")
      }
      self.serial = UInt64(serial)
      guard let expires = try file.string(Self.group, "Expires").flatMap({ CivilDate($0) }) else {
        throw Self.malformed("Expires is not a day such as 2027-01-31")
      }
      self.expires = expires
      applications = []
      for item in try file.list(Self.group, "Applications") ?? [] {
        guard let id = AppID(item) else { throw Self.malformed("Applications has what is not an application id") }
        applications.append(id)
      }
      types = []
      for item in try file.list(Self.group, "Types") ?? [] {
        guard let type = ActivityType(item) else { throw Self.malformed("Types has what is not an activity type") }
        types.append(type)
      }
      guard let text = try file.string(Self.group, Self.signatureKey), let bytes = Base32.bytes(text) else {
        throw Self.malformed("it has no Signature")
      }
      signature = bytes
    } catch {
      throw .malformed(error.message)
    }
    var current = firstKey
    for successor in successors {
      guard isSigned(Self.succession(team, successor.key), by: current, successor.signature) else { throw .succession }
      current = successor.key
    }
    guard isSigned(Self.signedBytes(of: file), by: current, signature) else { throw .signature }
  }

  private static func malformed(_ what: String) -> SegueError { SegueError(.invalidArgument, what) }

  private static func key(_ text: String?) throws(SegueError) -> [UInt8] {
    guard let key = text.flatMap({ Base32.bytes($0) }), key.count == 32 else {
      throw malformed("Key is not a public key")
    }
    return key
  }

  private static func successor(_ item: String) throws(SegueError) -> Successor {
    let parts = item.parts(at: ":", omittingEmpty: false)
    guard parts.count == 2, let signature = Base32.bytes(String(parts[1])) else {
      throw malformed("Successors is not a list of <key>:<signature>")
    }
    return Successor(key: try key(String(parts[0])), signature: signature)
  }
}
