// The messages on a fetch's channel: its request, and the one answer.

/// A fetch's first message, on a channel of its own.
public struct FetchRequest: ChannelOpening, Equatable, Sendable {
  public var continuation: Identifier
  public var activity: Identifier
  /// The application that will continue it.
  public var appID: AppID
  /// That application's version of the activity type (semantics X8); 0 where it states none.
  public var version: UInt64
  /// The device only keeps the last saved state: no user has chosen it, and the application is not asked (semantics
  /// X7).
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

  public init(_ fields: inout WireFields, _ own: FetchRequest?) throws(SegueError) {
    try fields.kind("fetch")
    self.init(
      continuation: try fields("continuation", own?.continuation), activity: try fields("activity", own?.activity),
      appID: try fields("app", own?.appID), version: fields("version", own?.version, or: 0),
      isForKeeping: fields.flag("keep", own?.isForKeeping))
  }
}

/// A fetch's answer: a head of its own and userInfo behind it, since userInfo may be larger than a value of a message.
public enum FetchAnswer: WireMessage, Equatable, Sendable {
  case snapshot(Snapshot)
  case failure(SegueError)

  /// Bytes of the longest answer that is accepted.
  public static let maximum = Limits.userInfoMaximum + Limits.frameLength

  public init(_ fields: inout WireFields, _ own: FetchAnswer?) throws(SegueError) {
    if let error = try fields.failure(own?.asFailure, SegueError.init(toldByOther:words:)) {
      self = .failure(error)
    } else {
      self = .snapshot(try Snapshot(&fields, own?.asSnapshot))
    }
  }

  private var asFailure: SegueError? { if case .failure(let error) = self { error } else { nil } }
  private var asSnapshot: Snapshot? { if case .snapshot(let snapshot) = self { snapshot } else { nil } }

  public func encode() throws(SegueError) -> [UInt8] { try WireFields(of: self).head() + (asSnapshot?.userInfo ?? []) }

  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> FetchAnswer {
    guard bytes.count <= maximum else { throw tooLarge }
    guard let head = try WireFields.head(of: bytes) else { throw LinkMessage.malformed }
    var fields = head.fields
    let answer = try FetchAnswer(&fields, nil)
    guard var snapshot = answer.asSnapshot else { return answer }
    snapshot.userInfo = Array(bytes[head.length...])
    return .snapshot(try snapshot.received())
  }

  /// The error for an arriving state that is over the limit, whatever size its device announced.
  public static var tooLarge: SegueError {
    SegueError(.handoffUserInfoTooLarge, "The other device sent a state of more than \(Limits.userInfoMaximum) bytes.")
  }

}

extension Snapshot: WireMessage {
  /// All but userInfo, which stands behind it.
  public init(_ fields: inout WireFields, _ own: Snapshot?) throws(SegueError) {
    try fields.kind("snapshot")
    self.init(
      id: try fields("activity", own?.id), revision: try fields("revision", own?.revision),
      type: try fields("type", own?.type), title: fields.optional("title", own?.title),
      webpageURL: fields.optional("url", own?.webpageURL),
      targetContentIdentifier: fields.optional("target", own?.targetContentIdentifier), userInfo: own?.userInfo ?? [],
      files: try fields.list(
        "files", own?.files.isEmpty == false ? own?.files : nil, atMost: Limits.filesPerSnapshot, or: [],
        isWhole: true),
      isStored: fields.flag("stored", own?.isStored), age: fields.optional("age", own?.age),
      saveTime: fields.optional("saved", own?.saveTime))
  }

  /// As it is taken from another application, of this device or another one: with text that is fit to be shown, and
  /// without what is its application's own. Throws for what no application could have sent.
  public func received() throws(SegueError) -> Snapshot {
    guard userInfo.count <= Limits.userInfoMaximum else { throw FetchAnswer.tooLarge }
    // The complete, checked payload (semantics V2): what is not a dictionary never reaches an application.
    guard (try? CBOR.check(userInfo)) == .dictionary else { throw LinkMessage.malformed }
    if let url = webpageURL {
      // As an application may set it (semantics C8).
      guard WebURL(url) != nil else { throw LinkMessage.malformed }
    }
    guard targetContentIdentifier?.utf8.count ?? 0 <= Limits.identifierLength else { throw LinkMessage.malformed }
    // As an honest device sends them.
    guard ContainerFile.fitting(files).count == files.count else { throw LinkMessage.malformed }
    return Snapshot(
      id: id, revision: revision, type: type, title: title.map { DisplayText.clean($0) }, webpageURL: webpageURL,
      targetContentIdentifier: targetContentIdentifier.map {
        DisplayText.clean($0, maximum: Limits.identifierLength)
      }, userInfo: userInfo, files: files, isStored: isStored, age: age, saveTime: saveTime)
  }
}
