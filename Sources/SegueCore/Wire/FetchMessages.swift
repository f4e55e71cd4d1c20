// What a fetch's channel carries: its request, and the one answer.

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
      "version": .integer(Int64(clamping: version)),
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
        "revision": .integer(Int64(clamping: snapshot.revision)),
      ]
      if let title = snapshot.title { head["title"] = .string(title) }
      if let url = snapshot.webpageURL { head["url"] = .string(url) }
      if let target = snapshot.targetContentIdentifier { head["target"] = .string(target) }
      if snapshot.isStored { head["stored"] = true }
      if let age = snapshot.age { head["age"] = .integer(Int64(clamping: age)) }
      if let time = snapshot.saveTime { head["saved"] = .integer(Int64(clamping: time)) }
      if !snapshot.files.isEmpty { head["files"] = .array(snapshot.files.map { $0.value(url: .url($0.url)) }) }
      userInfo = snapshot.userInfo
    case .failure(let error):
      head = [
        "kind": "failure", "code": .integer(Int64(error.code.rawValue)), "message": .string(error.message),
      ]
    }
    let bytes = try CBOR.encode(.dictionary(head))
    let length = UInt32(truncatingIfNeeded: bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 &- 8 &* UInt32($0))) } + bytes + userInfo
  }

  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> FetchAnswer {
    guard bytes.count <= maximum else { throw tooLarge }
    guard bytes.count >= 4 else { throw LinkMessage.malformed }
    let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count &- 4 else { throw LinkMessage.malformed }
    let head = try LinkMessage.dictionary(Array(bytes[4..<(4 &+ length)]))
    switch head["kind"]?.string {
    case "snapshot":
      guard let id = head["activity"]?.uuid, let type = head["type"]?.string.flatMap({ ActivityType($0) }),
        let revision = head["revision"]?.integer, revision >= 0
      else { throw LinkMessage.malformed }
      let userInfo = Array(bytes[(4 &+ length)...])
      guard userInfo.count <= Limits.userInfoMaximum else { throw tooLarge }
      // The complete, checked payload (semantics V2): what is not a dictionary never reaches an application.
      guard (try? CBOR.check(userInfo)) == .dictionary else { throw LinkMessage.malformed }
      return .snapshot(
        Snapshot(
          id: id, revision: UInt64(revision), type: type, title: head["title"]?.string.map { DisplayText.clean($0) },
          webpageURL: try webpage(head["url"]), targetContentIdentifier: try target(head["target"]), userInfo: userInfo,
          files: try files(head["files"]), isStored: head["stored"]?.bool ?? false,
          age: head["age"]?.integer.flatMap { UInt64(exactly: $0) },
          saveTime: head["saved"]?.integer.flatMap { UInt64(exactly: $0) }))
    case "failure":
      guard let code = head["code"]?.integer.flatMap({ Int32(exactly: $0) }) else { throw LinkMessage.malformed }
      return .failure(
        SegueError(toldByOther: SegueError.Code(rawValue: code), words: head["message"]?.string ?? ""))
    default:
      throw LinkMessage.malformed
    }
  }

  /// What arrives is over the limit, whatever its device says of it.
  public static var tooLarge: SegueError {
    SegueError(.handoffUserInfoTooLarge, "The other device sent a state of more than \(Limits.userInfoMaximum) bytes.")
  }

  /// As an application may set it (semantics C8).
  private static func webpage(_ value: Value?) throws(SegueError) -> String? {
    guard let url = value?.string else { return nil }
    guard WebURL(url) != nil else { throw LinkMessage.malformed }
    return url
  }

  private static func target(_ value: Value?) throws(SegueError) -> String? {
    guard let target = value?.string else { return nil }
    guard target.utf8.count <= Limits.identifierLength else { throw LinkMessage.malformed }
    return DisplayText.clean(target, maximum: Limits.identifierLength)
  }

  private static func files(_ value: Value?) throws(SegueError) -> [ContainerFile] {
    guard let list = value?.array else { return [] }
    guard list.count <= Limits.filesPerSnapshot else { throw LinkMessage.malformed }
    var files: [ContainerFile] = []
    for element in list {
      guard let file = ContainerFile(element, url: { $0.url }) else { throw LinkMessage.malformed }
      files.append(file)
    }
    // As an honest device sends them.
    guard ContainerFile.fitting(files).count == files.count else { throw LinkMessage.malformed }
    return files
  }
}
