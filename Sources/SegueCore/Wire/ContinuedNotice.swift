/// An activity of one device was continued on another.
public struct ContinuedNotice: Hashable, Sendable {
  public var continuation: Identifier
  public var activity: Identifier
  /// The application whose activity it is.
  public var appID: AppID
  public var inBrowser: Bool

  public init(continuation: Identifier, activity: Identifier, appID: AppID, inBrowser: Bool) {
    self.continuation = continuation
    self.activity = activity
    self.appID = appID
    self.inBrowser = inBrowser
  }
}

extension ContinuedNotice {
  /// As the record of continuations and a message to another device have it.
  public var entries: [Value: Value] {
    [
      "continuation": .uuid(continuation), "activity": .uuid(activity), "app": .string(appID.string),
      "browser": .bool(inBrowser),
    ]
  }

  public init?(_ entries: [Value: Value]) {
    guard let continuation = entries["continuation"]?.uuid, let activity = entries["activity"]?.uuid,
      let appID = entries["app"]?.string.flatMap({ AppID($0) })
    else { return nil }
    self.init(
      continuation: continuation, activity: activity, appID: appID, inBrowser: entries["browser"]?.bool ?? false)
  }
}
