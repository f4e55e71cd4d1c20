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

extension ContinuedNotice: WireMessage {
  /// As a file and a message to another device have it.
  public init(_ fields: inout WireFields, _ own: Self?) throws(SegueError) {
    self.init(
      continuation: try fields("continuation", own?.continuation), activity: try fields("activity", own?.activity),
      appID: try fields("app", own?.appID), inBrowser: fields("browser", own?.inBrowser, or: false))
  }
}
