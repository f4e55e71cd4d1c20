/// The current activity of another device, or of another application on this one, as this device sees it.
/// It is all that leaves the origin before somebody chooses it: no userInfo, no URL.
public struct Offer: Equatable, Sendable {
  /// The activity's id.
  public var id: Identifier
  public var revision: UInt64
  public var type: ActivityType
  /// The application that the activity is of.
  public var appID: AppID
  /// Nil: the application's name is shown.
  public var title: String?
  /// The host of the webpage URL, not the URL.
  public var webHost: String?
  /// The application's version of the activity type.
  public var version: UInt64

  public init(
    id: Identifier, revision: UInt64, type: ActivityType, appID: AppID, title: String? = nil, webHost: String? = nil,
    version: UInt64 = 0
  ) {
    self.id = id
    self.revision = revision
    self.type = type
    self.appID = appID
    self.title = title
    self.webHost = webHost
    self.version = version
  }
}

/// An activity's state at one moment: what a fetch brings.
public struct Snapshot: Equatable, Sendable {
  public var id: Identifier
  public var revision: UInt64
  public var type: ActivityType
  public var title: String?
  public var webpageURL: String?
  /// The deterministic CBOR encoding of the userInfo dictionary.
  public var userInfo: [UInt8]

  public init(
    id: Identifier, revision: UInt64, type: ActivityType, title: String? = nil, webpageURL: String? = nil,
    userInfo: [UInt8]
  ) {
    self.id = id
    self.revision = revision
    self.type = type
    self.title = title
    self.webpageURL = webpageURL
    self.userInfo = userInfo
  }
}
