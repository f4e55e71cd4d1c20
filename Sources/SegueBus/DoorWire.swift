import SegueCore

// What crosses the private door, in the words of data/dbus-1/interfaces/org.segue.Door1.xml; one codec for both ends.

/// Names and versions at the door.
public enum DoorProtocol {
  /// The versions of the door's protocol that this build speaks (semantics X8).
  public static let lowestVersion: UInt32 = 1
  public static let highestVersion: UInt32 = 1
  /// The socket's name in the door's folder.
  public static let socketName = "socket"

  /// Connects to the socket in the folder that OpenDoor's descriptor leads to.
  public static func connect(through folder: FileDescriptor, on loop: EventLoop) throws(SegueError) -> Connection {
    // The path is good only while the descriptor is open, so it must live until the socket is reached.
    defer { withExtendedLifetime(folder) {} }
    return try Connection.open(address: "unix:path=/proc/self/fd/\(folder.raw)/\(socketName)", on: loop)
  }
}

/// An application's current activity, as the daemon is told of it.
public struct DoorActivity: Equatable, Sendable {
  public var id: Identifier
  public var revision: UInt64
  public var type: ActivityType
  public var title: String?
  public var webHost: String?
  public var isEligible: Bool

  public init(
    id: Identifier, revision: UInt64, type: ActivityType, title: String?, webHost: String?, isEligible: Bool
  ) {
    self.id = id
    self.revision = revision
    self.type = type
    self.title = title
    self.webHost = webHost
    self.isEligible = isEligible
  }

  /// Whether other devices would see no difference: a new revision alone is none.
  public func looksLike(_ other: DoorActivity?) -> Bool {
    guard var other else { return false }
    other.revision = revision
    return self == other
  }

  public var dictionary: BusDictionary {
    var entries: [(String, BusValue)] = [
      ("id", .string(id.hex)), ("revision", .uint64(revision)), ("type", .string(type.string)),
      ("eligible", .bool(isEligible)),
    ]
    if let title { entries.append(("title", .string(title))) }
    if let webHost { entries.append(("web-host", .string(webHost))) }
    return BusDictionary(entries)
  }

  /// Throws `invalidArgument` where an attribute is missing, malformed or too long.
  public init(_ dictionary: BusDictionary) throws(SegueError) {
    guard let id = dictionary["id"]?.asString.flatMap({ Identifier(hex: $0) }),
      let type = dictionary["type"]?.asString.flatMap({ ActivityType($0) })
    else { throw SegueError(.invalidArgument, "An activity needs an id and a type.") }
    self.init(
      id: id, revision: dictionary["revision"]?.asUInt64 ?? 0, type: type,
      title: try bounded(dictionary["title"], Limits.titleMaximum),
      webHost: try bounded(dictionary["web-host"], Limits.nameLength),
      isEligible: dictionary["eligible"]?.asBool ?? true)
  }
}

/// A snapshot on its way through the door.
public enum DoorSnapshot {
  public static func encode(_ snapshot: Snapshot) throws(SegueError) -> BusDictionary {
    var entries: [(String, BusValue)] = [
      ("id", .string(snapshot.id.hex)), ("revision", .uint64(snapshot.revision)),
      ("type", .string(snapshot.type.string)),
    ]
    if let title = snapshot.title { entries.append(("title", .string(title))) }
    if let url = snapshot.webpageURL { entries.append(("webpage-url", .string(url))) }
    if snapshot.userInfo.count > Limits.userInfoInline {
      entries.append(("user-info", .descriptor(try SealedMemory.make(snapshot.userInfo))))
    } else {
      entries.append(("user-info", .bytes(snapshot.userInfo)))
    }
    return BusDictionary(entries)
  }

  /// Throws where an attribute is missing, malformed or too long; userInfo itself is not decoded.
  public static func decode(_ dictionary: BusDictionary) throws(SegueError) -> Snapshot {
    guard let id = dictionary["id"]?.asString.flatMap({ Identifier(hex: $0) }),
      let type = dictionary["type"]?.asString.flatMap({ ActivityType($0) })
    else { throw SegueError(.protocolViolation, "A snapshot needs an id and a type.") }
    let userInfo: [UInt8]
    switch dictionary["user-info"] {
    case .bytes(let bytes)? where bytes.count <= Limits.userInfoMaximum: userInfo = bytes
    case .descriptor(let memory)?: userInfo = try SealedMemory.read(memory, limit: Limits.userInfoMaximum)
    default: throw SegueError(.protocolViolation, "A snapshot needs userInfo within its limit.")
    }
    return Snapshot(
      id: id, revision: dictionary["revision"]?.asUInt64 ?? 0, type: type,
      title: try bounded(dictionary["title"], Limits.titleMaximum),
      webpageURL: try bounded(dictionary["webpage-url"], Limits.valueLength), userInfo: userInfo)
  }
}

private func bounded(_ value: BusValue?, _ limit: Int) throws(SegueError) -> String? {
  guard let value else { return nil }
  guard let string = value.asString, string.utf8.count <= limit else {
    throw SegueError(.invalidArgument, "An attribute is no text, or longer than \(limit) bytes.")
  }
  return string
}
