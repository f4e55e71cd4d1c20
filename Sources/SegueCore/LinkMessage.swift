// What devices say to each other over the link: CBOR dictionaries with short text keys, as docs/link-protocol.md lists
// them. Whatever a peer sends is checked here before anybody uses it.

/// A message on the control channel.
public enum LinkMessage: Equatable, Sendable {
  /// Everything that the device has on offer, in place of what it said before.
  case offers(sequence: UInt64, [Offer])
  /// The receiver's activity was continued on the sending device (semantics V11). It is said again on a new link until
  /// it was acknowledged (semantics X9); the continuation's id tells what was said before.
  case continued(ContinuationJournal.Notice)
  /// The receiver's `continued` of that continuation has arrived.
  case acknowledged(continuation: Identifier)

  /// The size of a message is rounded up to this, so that it does not tell which application it is about.
  private static let bucket = 256

  public func encode() throws(SegueError) -> [UInt8] {
    var entries: [Value: Value]
    switch self {
    case .offers(let sequence, let offers):
      entries = [
        "kind": "offers", "sequence": .integer(Int64(truncatingIfNeeded: sequence & (.max >> 1))),
        "offers": .array(offers.map { $0.value }),
      ]
    case .continued(let notice):
      entries = notice.entries
      entries["kind"] = "continued"
    case .acknowledged(let continuation):
      entries = ["kind": "acknowledged", "continuation": .uuid(continuation)]
    }
    // Between 256 and 511 bytes, so that the length of the padding's own head does not change with it.
    entries["padding"] = .data([UInt8](repeating: 0, count: Self.bucket))
    let missing = (Self.bucket &- (try CBOR.encode(.dictionary(entries)).count) % Self.bucket) % Self.bucket
    entries["padding"] = .data([UInt8](repeating: 0, count: Self.bucket &+ missing))
    return try CBOR.encode(.dictionary(entries))
  }

  /// Throws `protocolViolation` for anything malformed; offers that this version does not understand are left out.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> LinkMessage {
    let entries = try dictionary(bytes)
    switch entries["kind"]?.string {
    case "offers":
      guard let sequence = entries["sequence"]?.integer, sequence >= 0, let offers = entries["offers"]?.array,
        offers.count <= Limits.offersPerDevice
      else { throw malformed }
      return .offers(sequence: UInt64(sequence), offers.compactMap { Offer($0) })
    case "continued":
      guard let notice = ContinuationJournal.Notice(entries) else { throw malformed }
      return .continued(notice)
    case "acknowledged":
      guard let continuation = entries["continuation"]?.uuid else { throw malformed }
      return .acknowledged(continuation: continuation)
    default:
      throw malformed
    }
  }

  fileprivate static func dictionary(_ bytes: [UInt8]) throws(SegueError) -> [Value: Value] {
    let value: Value
    do throws(SegueError) { value = try CBOR.decode(bytes) } catch { throw malformed }
    guard case .dictionary(let entries) = value else { throw malformed }
    return entries
  }

  fileprivate static var malformed: SegueError {
    SegueError(.protocolViolation, "The other device sent something that this version does not understand.")
  }
}

extension Offer {
  /// The offer as a message carries it.
  var value: Value {
    var entries: [Value: Value] = [
      "id": .uuid(id), "revision": .integer(Int64(truncatingIfNeeded: revision & (.max >> 1))),
      "type": .string(type.string), "app": .string(appID.string),
      "version": .integer(Int64(truncatingIfNeeded: version & (.max >> 1))),
    ]
    if let title { entries["title"] = .string(title) }
    if let webHost { entries["host"] = .string(webHost) }
    entries["tier"] = .integer(Int64(tier.rawValue))
    if let team { entries["team"] = .string(team) }
    if isChanged { entries["changed"] = true }
    if let continuedFrom {
      entries["from"] = .uuid(continuedFrom.id)
      entries["fromrevision"] = .integer(Int64(truncatingIfNeeded: continuedFrom.revision & (.max >> 1)))
    }
    if let timeLeft { entries["life"] = .integer(Int64(truncatingIfNeeded: timeLeft & (.max >> 1))) }
    if isSnapshot { entries["stored"] = true }
    if mayBeKept { entries["keep"] = true }
    return .dictionary(entries)
  }

  /// Nil where a field is missing or malformed. Text for display is cleaned.
  init?(_ value: Value) {
    guard case .dictionary(let entries) = value, let id = entries["id"]?.uuid,
      let revision = entries["revision"]?.integer, revision >= 0,
      let type = entries["type"]?.string.flatMap({ ActivityType($0) }),
      let appID = entries["app"]?.string.flatMap({ AppID($0) }), let version = entries["version"]?.integer, version >= 0
    else { return nil }
    self.init(
      id: id, revision: UInt64(revision), type: type, appID: appID,
      title: entries["title"]?.string.map { DisplayText.clean($0) },
      webHost: entries["host"]?.string.map { DisplayText.clean($0, maximum: Limits.nameLength) },
      version: UInt64(version))
    // The weakest where it is not said, or of a kind that a later version knows.
    tier = entries["tier"]?.integer.flatMap { UInt8(exactly: $0) }.flatMap { .init(rawValue: $0) } ?? .user
    team = entries["team"]?.string.map { DisplayText.clean($0, maximum: Limits.nameLength) }
    isChanged = entries["changed"]?.bool ?? false
    if let from = entries["from"]?.uuid, let revision = entries["fromrevision"]?.integer, revision >= 0 {
      continuedFrom = ActivityReference(id: from, revision: UInt64(revision))
    }
    timeLeft = entries["life"]?.integer.flatMap { UInt64(exactly: $0) }
    isSnapshot = entries["stored"]?.bool ?? false
    mayBeKept = entries["keep"]?.bool ?? false
  }
}

/// A fetch's first message, on a channel of its own.
public struct FetchRequest: Equatable, Sendable {
  public var continuation: Identifier
  public var activity: Identifier
  /// The application that will continue it.
  public var appID: AppID
  /// That application's version of the activity type (semantics X8); 0 where it states none.
  public var version: UInt64
  /// Only to keep what was last saved: nobody has chosen it, and the application is not asked (semantics X7).
  public var isForKeeping: Bool

  public init(
    continuation: Identifier, activity: Identifier, appID: AppID, version: UInt64 = 0, isForKeeping: Bool = false
  ) {
    self.continuation = continuation
    self.activity = activity
    self.appID = appID
    self.version = version
    self.isForKeeping = isForKeeping
  }

  public func encode() throws(SegueError) -> [UInt8] {
    var entries: [Value: Value] = [
      "kind": "fetch", "continuation": .uuid(continuation), "activity": .uuid(activity), "app": .string(appID.string),
      "version": .integer(Int64(truncatingIfNeeded: version & (.max >> 1))),
    ]
    if isForKeeping { entries["keep"] = true }
    return try CBOR.encode(.dictionary(entries))
  }

  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> FetchRequest {
    let entries = try LinkMessage.dictionary(bytes)
    guard entries["kind"]?.string == "fetch", let continuation = entries["continuation"]?.uuid,
      let activity = entries["activity"]?.uuid, let appID = entries["app"]?.string.flatMap({ AppID($0) })
    else { throw LinkMessage.malformed }
    return FetchRequest(
      continuation: continuation, activity: activity, appID: appID,
      version: entries["version"]?.integer.flatMap { UInt64(exactly: $0) } ?? 0,
      isForKeeping: entries["keep"]?.bool ?? false)
  }
}

/// A fetch's answer: a head of its own and userInfo behind it, since userInfo may be larger than a value of a message.
public enum FetchAnswer: Equatable, Sendable {
  case snapshot(Snapshot)
  case failure(SegueError)

  /// Bytes of the longest answer that is accepted.
  public static let maximum = Limits.userInfoMaximum + Limits.frameLength

  public func encode() throws(SegueError) -> [UInt8] {
    var head: [Value: Value]
    var userInfo: [UInt8] = []
    switch self {
    case .snapshot(let snapshot):
      head = [
        "kind": "snapshot", "activity": .uuid(snapshot.id), "type": .string(snapshot.type.string),
        "revision": .integer(Int64(truncatingIfNeeded: snapshot.revision & (.max >> 1))),
      ]
      if let title = snapshot.title { head["title"] = .string(title) }
      if let url = snapshot.webpageURL { head["url"] = .string(url) }
      if let target = snapshot.targetContentIdentifier { head["target"] = .string(target) }
      if snapshot.isStored { head["stored"] = true }
      if let age = snapshot.age { head["age"] = .integer(Int64(clamping: age)) }
      if let time = snapshot.saveTime { head["saved"] = .integer(Int64(truncatingIfNeeded: time & (.max >> 1))) }
      if !snapshot.files.isEmpty { head["files"] = .array(snapshot.files.map { $0.value }) }
      userInfo = snapshot.userInfo
    case .failure(let error):
      head = [
        "kind": "failure", "code": .integer(Int64(error.code.rawValue)), "message": .string(error.message),
        "advice": .string(error.advice),
      ]
    }
    let bytes = try CBOR.encode(.dictionary(head))
    let length = UInt32(truncatingIfNeeded: bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 &- 8 &* UInt32($0))) } + bytes + userInfo
  }

  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> FetchAnswer {
    guard bytes.count >= 4, bytes.count <= maximum else { throw LinkMessage.malformed }
    let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count &- 4 else { throw LinkMessage.malformed }
    let head = try LinkMessage.dictionary(Array(bytes[4..<(4 &+ length)]))
    switch head["kind"]?.string {
    case "snapshot":
      guard let id = head["activity"]?.uuid, let type = head["type"]?.string.flatMap({ ActivityType($0) }),
        let revision = head["revision"]?.integer, revision >= 0
      else { throw LinkMessage.malformed }
      let userInfo = Array(bytes[(4 &+ length)...])
      // The complete, checked payload (semantics V2): what is not a dictionary never reaches an application.
      _ = try LinkMessage.dictionary(userInfo)
      return .snapshot(
        Snapshot(
          id: id, revision: UInt64(revision), type: type, title: head["title"]?.string.map { DisplayText.clean($0) },
          webpageURL: head["url"]?.string, targetContentIdentifier: try target(head["target"]), userInfo: userInfo,
          files: try files(head["files"]), isStored: head["stored"]?.bool ?? false,
          age: head["age"]?.integer.flatMap { UInt64(exactly: $0) },
          saveTime: head["saved"]?.integer.flatMap { UInt64(exactly: $0) }))
    case "failure":
      guard let code = head["code"]?.integer.flatMap({ Int32(exactly: $0) }) else { throw LinkMessage.malformed }
      let text = { (key: Value) in DisplayText.clean(head[key]?.string ?? "", maximum: Limits.titleMaximum) }
      return .failure(SegueError(SegueError.Code(rawValue: code), text("message"), advice: text("advice")))
    default:
      throw LinkMessage.malformed
    }
  }

  private static func target(_ value: Value?) throws(SegueError) -> String? {
    guard let target = value?.string else { return nil }
    guard target.utf8.count <= Limits.titleMaximum else { throw LinkMessage.malformed }
    return target
  }

  private static func files(_ value: Value?) throws(SegueError) -> [ContainerFile] {
    guard let list = value?.array else { return [] }
    guard list.count <= Limits.filesPerSnapshot else { throw LinkMessage.malformed }
    var files: [ContainerFile] = []
    for element in list {
      guard let file = ContainerFile(element) else { throw LinkMessage.malformed }
      files.append(file)
    }
    return files
  }
}

extension ContainerFile {
  fileprivate var value: Value { ["url": .url(url), "container": .string(container), "path": .string(path)] }

  /// Nil where a field is missing. What the path may be is judged where it is opened.
  fileprivate init?(_ value: Value) {
    guard case .dictionary(let entries) = value, let url = entries["url"]?.url,
      let container = entries["container"]?.string, let path = entries["path"]?.string
    else { return nil }
    self.init(url: url, container: container, path: path)
  }
}
