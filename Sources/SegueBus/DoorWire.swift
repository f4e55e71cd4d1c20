import SegueCore

// The values that cross the private door, in the words of data/dbus-1/interfaces/org.segue.Door1.xml; one codec for
// both ends.

/// Names and versions at the door.
public enum DoorProtocol {
  /// The versions of the door's protocol that this build speaks (semantics X8).
  public static let lowestVersion: UInt32 = 1
  public static let highestVersion: UInt32 = 1
  /// The socket's name in the door's directory.
  public static let socketName = "socket"

  /// Connects to the socket that OpenDoor's descriptor stands for.
  public static func connect(to socket: FileDescriptor, on loop: EventLoop) throws(SegueError) -> Connection {
    // The path is valid only while the descriptor is open, so the descriptor must live until the socket is connected.
    defer { withExtendedLifetime(socket) {} }
    return try Connection.open(address: "unix:path=/proc/self/fd/\(socket.raw)", on: loop)
  }
}

extension DoorActivity {
  public var dictionary: BusDictionary {
    var entries: [(String, BusValue)] = [
      ("id", .string(id.hex)), ("revision", .uint64(revision)), ("type", .string(type.string)),
      ("eligible", .bool(isEligible)), ("search", .bool(isEligibleForSearch)),
      ("allows-snapshot", .bool(allowsSnapshot)), ("changed", .bool(isChanged)),
    ]
    if let title { entries.append(("title", .string(title))) }
    if let webHost { entries.append(("web-host", .string(webHost))) }
    if let continuedFrom {
      entries.append(("continued-from", .string(continuedFrom.id.hex)))
      entries.append(("continued-revision", .uint64(continuedFrom.revision)))
    }
    if let timeLeft { entries.append(("time-left", .uint64(timeLeft))) }
    if let reason { entries.append(("reason", .string(reason))) }
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
      isEligible: dictionary["eligible"]?.asBool ?? true,
      isEligibleForSearch: dictionary["search"]?.asBool ?? false,
      allowsSnapshot: dictionary["allows-snapshot"]?.asBool ?? false,
      isChanged: dictionary["changed"]?.asBool ?? false,
      continuedFrom: dictionary["continued-from"]?.asString.flatMap { Identifier(hex: $0) }.map {
        ActivityReference(id: $0, revision: dictionary["continued-revision"]?.asUInt64 ?? 0)
      },
      timeLeft: dictionary["time-left"]?.asUInt64, reason: try bounded(dictionary["reason"], Limits.titleMaximum))
  }
}

extension DoorSaveRequest {
  public var dictionary: BusDictionary {
    ["purpose": .string(purpose.rawValue), "version": .uint64(version), "local": .bool(isLocal)]
  }

  /// Attributes that are absent mean a live request of an application that states no version.
  public init(_ dictionary: BusDictionary) {
    self.init(
      purpose: dictionary["purpose"]?.asString.flatMap { Purpose(rawValue: $0) } ?? .continuation,
      version: dictionary["version"]?.asUInt64 ?? 0, isLocal: dictionary["local"]?.asBool ?? false)
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
    if let target = snapshot.targetContentIdentifier { entries.append(("target", .string(target))) }
    if let id = snapshot.persistentIdentifier { entries.append(("persistent-id", .string(id))) }
    if !snapshot.keywords.isEmpty { entries.append(("keywords", .strings(snapshot.keywords))) }
    if snapshot.isStored { entries.append(("stored", .bool(true))) }
    if let age = snapshot.age { entries.append(("stored-age", .uint64(age))) }
    if snapshot.document == .here { entries.append(("document", .bool(true))) }
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
    let webpage = try bounded(dictionary["webpage-url"], Limits.urlMaximum)
    if let webpage { try WebURL.check(webpage, "A webpage URL") }
    return Snapshot(
      id: id, revision: dictionary["revision"]?.asUInt64 ?? 0, type: type,
      title: try bounded(dictionary["title"], Limits.titleMaximum), webpageURL: webpage,
      targetContentIdentifier: try bounded(dictionary["target"], Limits.identifierLength), userInfo: userInfo,
      document: dictionary["document"]?.asBool ?? false ? .here : .none,
      isStored: dictionary["stored"]?.asBool ?? false, age: dictionary["stored-age"]?.asUInt64,
      persistentIdentifier: try bounded(dictionary["persistent-id"], Limits.identifierLength),
      keywords: try keywords(dictionary["keywords"]))
  }

  private static func keywords(_ value: BusValue?) throws(SegueError) -> [String] {
    let keywords = value?.asStrings ?? []
    guard keywords.count <= Limits.keywords, keywords.allSatisfy({ $0.utf8.count <= Limits.keyLength }) else {
      throw SegueError(.invalidArgument, "There are too many keywords, or they are too long.")
    }
    return keywords
  }
}

/// Which stored copies an application asks to delete.
public enum DoorDeletion {
  /// The copies' persistent identifiers; nil: all copies of the application. Throws `invalidArgument`, `limitExceeded`.
  public static func decode(_ arguments: [BusValue]) throws(SegueError) -> TextSet? {
    guard let identifiers = arguments.first?.asStrings, let all = arguments.last?.asBool else {
      throw SegueError(.invalidArgument, "Which copies are to be deleted is not said.")
    }
    if all { return nil }
    guard identifiers.count <= Limits.deletedIdentifiers,
      identifiers.allSatisfy({ $0.utf8.count <= Limits.identifierLength })
    else { throw SegueError(.limitExceeded, "There are too many identifiers, or they are too long.") }
    return TextSet(of: identifiers)
  }
}

extension BroughtFile {
  public var dictionary: BusDictionary {
    var entries: [(String, BusValue)] = [("path", .string(path)), ("size", .uint64(size))]
    if let digest { entries.append(("digest", .bytes(digest))) }
    return BusDictionary(entries)
  }

  /// Throws `protocolViolation` for a dictionary that does not follow the protocol.
  public init(_ dictionary: BusDictionary) throws(SegueError) {
    guard let path = dictionary["path"]?.asString, FileURL(path: path) != nil else {
      throw SegueError(.protocolViolation, "What the daemon sent is no file.")
    }
    var digest: [UInt8]?
    if let value = dictionary["digest"] {
      guard case .bytes(let bytes) = value, bytes.count == FileHead.digestLength else {
        throw SegueError(.protocolViolation, "What the daemon sent is no file.")
      }
      digest = bytes
    }
    self.init(path: path, size: dictionary["size"]?.asUInt64 ?? 0, digest: digest)
  }
}

func bounded(_ value: BusValue?, _ limit: Int) throws(SegueError) -> String? {
  guard let value else { return nil }
  guard let string = value.asString, string.utf8.count <= limit else {
    throw SegueError(.invalidArgument, "An attribute is no text, or longer than \(limit) bytes.")
  }
  return string
}
