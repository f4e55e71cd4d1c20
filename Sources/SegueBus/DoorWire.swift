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

extension DoorActivity: BusRecord {
  public init(_ fields: inout BusFields, _ own: DoorActivity?) throws(SegueError) {
    let id = fields("id", own?.id)
    let revision = fields("revision", own?.revision, or: 0)
    let type = fields("type", own?.type)
    guard let id, let type else { throw SegueError(.invalidArgument, "An activity needs an id and a type.") }
    self.init(
      id: id, revision: revision, type: type, title: nil, webHost: nil,
      isEligible: fields("eligible", own?.isEligible, or: true),
      isEligibleForSearch: fields("search", own?.isEligibleForSearch, or: false),
      allowsSnapshot: fields("allows-snapshot", own?.allowsSnapshot, or: false),
      isEligibleForRestoration: fields("restoration", own?.isEligibleForRestoration, or: false),
      isChanged: fields("changed", own?.isChanged, or: false))
    title = try fields.text("title", own?.title, Limits.titleMaximum)
    webHost = try fields.text("web-host", own?.webHost, Limits.nameLength)
    if let from = fields("continued-from", own?.continuedFrom?.id) {
      let revision = fields("continued-revision", own?.continuedFrom?.revision, or: 0)
      continuedFrom = ActivityReference(id: from, revision: revision)
    }
    timeLeft = fields("time-left", own?.timeLeft)
    reason = try fields.text("reason", own?.reason, Limits.titleMaximum)
    if let path = try fields.text("file", own?.file?.path, Limits.pathLength) {
      guard let file = FileURL(path: path) else {
        throw SegueError(.invalidArgument, "An activity's file has an absolute path.")
      }
      self.file = file
    }
    allowsFiles = fields.flag("allows-files", own?.allowsFiles)
  }
}

extension DoorSaveRequest.Purpose: BusField {}

extension DoorSaveRequest: BusOptions {
  /// An absent option stands for a live request of an application that states no version.
  public init(_ fields: inout BusFields, _ own: DoorSaveRequest?) {
    self.init(
      purpose: fields("purpose", own?.purpose, or: .continuation), version: fields("version", own?.version, or: 0),
      isLocal: fields("local", own?.isLocal, or: false))
  }
}

extension DoorBegin: BusRecord {
  public init(_ fields: inout BusFields, _ own: DoorBegin?) throws(SegueError) {
    let type = fields("activity-type", own?.type)
    let title = fields("title", own?.title, or: "")
    let deviceName = fields("device-name", own?.deviceName, or: "")
    let continuation = fields("continuation", own?.continuation)
    guard let type, let continuation else {
      throw SegueError(.protocolViolation, "The daemon did not say what is coming.")
    }
    self.init(
      continuation: continuation, type: type, title: title, deviceName: deviceName,
      timeLeft: fields("time-left", own?.timeLeft, or: 0), isStored: fields("stored", own?.isStored, or: false),
      storedAge: fields("stored-age", own?.storedAge))
  }
}

/// A snapshot on its way through the door.
public enum DoorSnapshot {
  public static func encode(_ snapshot: Snapshot) throws(SegueError) -> BusDictionary {
    var fields = BusFields()
    _ = try carry(snapshot, &fields)
    return fields.dictionary
  }

  /// Throws where an attribute is missing, malformed or too long; userInfo itself is not decoded.
  public static func decode(_ dictionary: BusDictionary) throws(SegueError) -> Snapshot {
    var fields = BusFields(reading: dictionary)
    return try carry(nil, &fields)
  }

  private static func carry(_ own: Snapshot?, _ fields: inout BusFields) throws(SegueError) -> Snapshot {
    let id = fields("id", own?.id)
    let revision = fields("revision", own?.revision, or: 0)
    let type = fields("type", own?.type)
    guard let id, let type else { throw SegueError(.protocolViolation, "A snapshot needs an id and a type.") }
    var snapshot = Snapshot(id: id, revision: revision, type: type, userInfo: [])
    snapshot.title = try fields.text("title", own?.title, Limits.titleMaximum)
    snapshot.webpageURL = try fields.text("webpage-url", own?.webpageURL, Limits.urlMaximum)
    if fields.isReading, let url = snapshot.webpageURL { try WebURL.check(url, "A webpage URL") }
    snapshot.targetContentIdentifier = try fields.text(
      "target", own?.targetContentIdentifier, Limits.identifierLength)
    snapshot.persistentIdentifier = try fields.text("persistent-id", own?.persistentIdentifier, Limits.identifierLength)
    snapshot.keywords = try keywords(own?.keywords, &fields)
    snapshot.isStored = fields.flag("stored", own?.isStored)
    snapshot.age = fields("stored-age", own?.age)
    if fields.flag("document", own.map { $0.document == .here }) { snapshot.document = .here }
    snapshot.userInfo = try userInfo(own?.userInfo, &fields)
    return snapshot
  }

  private static func keywords(_ own: [String]?, _ fields: inout BusFields) throws(SegueError) -> [String] {
    let keywords = fields("keywords", own?.isEmpty == false ? own : nil) ?? []
    let isFit = keywords.count <= Limits.keywords && keywords.allSatisfy { $0.utf8.count <= Limits.keyLength }
    guard !fields.isReading || isFit else {
      throw SegueError(.invalidArgument, "There are too many keywords, or they are too long.")
    }
    return keywords
  }

  private static func userInfo(_ own: [UInt8]?, _ fields: inout BusFields) throws(SegueError) -> [UInt8] {
    var value = own.map { BusValue.bytes($0) }
    if let own, own.count > Limits.userInfoInline { value = .descriptor(try SealedMemory.make(own)) }
    value = fields.value("user-info", value)
    if let own { return own }
    switch value {
    case .bytes(let bytes)? where bytes.count <= Limits.userInfoMaximum: return bytes
    case .descriptor(let memory)?: return try SealedMemory.read(memory, limit: Limits.userInfoMaximum)
    default: throw SegueError(.protocolViolation, "A snapshot needs userInfo within its limit.")
    }
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

extension BroughtFile: BusRecord {
  /// Throws `protocolViolation` for anything but what was agreed.
  public init(_ fields: inout BusFields, _ own: BroughtFile?) throws(SegueError) {
    let path = fields("path", own?.path)
    let size = fields("size", own?.size, or: 0)
    let digest = fields.value("digest", own?.digest.map { .bytes($0) })
    let isDigest = digest.map { $0.asBytes?.count == FileHead.digestLength } ?? true
    guard let path, !fields.isReading || isDigest && FileURL(path: path) != nil else {
      throw SegueError(.protocolViolation, "What the daemon sent is not a file.")
    }
    self.init(path: path, size: size, digest: digest?.asBytes)
  }
}
