/// The current activity of another device, or of another application on this one, as this device sees it. No more than
/// this leaves the origin before somebody chooses the activity: no userInfo, no URL.
public struct Offer: Equatable, Sendable {
  /// The activity's id.
  public var id: Identifier
  public var revision: UInt64
  public var type: ActivityType
  /// The application whose activity it is.
  public var appID: AppID
  /// Nil: the application's name is shown.
  public var title: String?
  /// The host of the webpage URL, not the URL.
  public var webHost: String?
  /// The application's version of the activity type (semantics X8); 0 where it states none.
  public var version: UInt64
  /// The authority that vouches for the application on its device.
  public var tier: InstalledApplication.Tier
  /// The team that the application claims to belong to. The claim proves nothing.
  public var team: String?
  /// The state changed after `revision` was saved, so that a fetch now would give a later one.
  public var isChanged: Bool
  /// The activity that it was made from, while it has not changed since (semantics V15).
  public var continuedFrom: ActivityReference?
  /// Milliseconds until it expires, nil: never. Clocks differ between devices (semantics C7).
  public var timeLeft: UInt64?
  /// Milliseconds since it became current; nil where the origin does not say.
  public var age: UInt64?
  /// Continuing it gives the last snapshot, since the application or the device has gone (semantics X7).
  public var isSnapshot: Bool
  /// The origin's user lets other devices keep the last snapshot (semantics X7).
  public var mayBeKept: Bool
  /// Nil: the activity is about no file, or it is not known where that is.
  public var file: OfferFile?

  public init(
    id: Identifier, revision: UInt64, type: ActivityType, appID: AppID, title: String? = nil, webHost: String? = nil,
    version: UInt64 = 0, tier: InstalledApplication.Tier = .user, team: String? = nil, isChanged: Bool = false,
    continuedFrom: ActivityReference? = nil, timeLeft: UInt64? = nil, isSnapshot: Bool = false,
    mayBeKept: Bool = false
  ) {
    self.id = id
    self.revision = revision
    self.type = type
    self.appID = appID
    self.title = title
    self.webHost = webHost
    self.version = version
    self.tier = tier
    self.team = team
    self.isChanged = isChanged
    self.continuedFrom = continuedFrom
    self.timeLeft = timeLeft
    self.isSnapshot = isSnapshot
    self.mayBeKept = mayBeKept
  }
}

/// An activity as it was at one revision.
public struct ActivityReference: Hashable, Sendable {
  public var id: Identifier
  public var revision: UInt64

  public init(id: Identifier, revision: UInt64) {
    self.id = id
    self.revision = revision
  }
}

/// An activity's state at one moment: what a fetch brings.
public struct Snapshot: Equatable, Sendable {
  public var id: Identifier
  public var revision: UInt64
  public var type: ActivityType
  public var title: String?
  public var webpageURL: String?
  /// Which window it goes to (semantics V9).
  public var targetContentIdentifier: String?
  /// The deterministic CBOR encoding of the userInfo dictionary.
  public var userInfo: [UInt8]
  /// The file URLs in userInfo that lie in folders that devices share (semantics R8).
  public var files: [ContainerFile]
  /// The file URLs in userInfo that are this device's, since its containers have the files. Stays within the daemon.
  public var filesHere: TextSet = []
  /// Whether userInfo's document is one on this device. Decided once, when the state is here (`judgeDocument`).
  public var document: Document
  /// It was saved before it was asked for, since its application or its device has gone (semantics X7).
  public var isStored: Bool
  /// For a stored snapshot: milliseconds since it was saved; nil if that is not known.
  public var age: UInt64?
  /// Microseconds that the application took to save it; nil if it was not asked, or if that is not known.
  public var saveTime: UInt64?
  /// The persistent identifier, by which stored copies are deleted (semantics C13), and the keywords by which they
  /// are found. Neither leaves the device.
  public var persistentIdentifier: String?
  public var keywords: [String]

  public init(
    id: Identifier, revision: UInt64, type: ActivityType, title: String? = nil, webpageURL: String? = nil,
    targetContentIdentifier: String? = nil, userInfo: [UInt8], files: [ContainerFile] = [],
    document: Document = .none, isStored: Bool = false, age: UInt64? = nil, saveTime: UInt64? = nil,
    persistentIdentifier: String? = nil, keywords: [String] = []
  ) {
    self.id = id
    self.revision = revision
    self.type = type
    self.title = title
    self.webpageURL = webpageURL
    self.targetContentIdentifier = targetContentIdentifier
    self.userInfo = userInfo
    self.files = files
    self.document = document
    self.isStored = isStored
    self.age = age
    self.saveTime = saveTime
    self.persistentIdentifier = persistentIdentifier
    self.keywords = keywords
  }

  /// Bytes that its content takes, in a message or in the store.
  public var size: Int {
    var size = userInfo.count
    for text in [title, webpageURL, targetContentIdentifier, persistentIdentifier] { size &+= text?.utf8.count ?? 0 }
    for keyword in keywords { size &+= keyword.utf8.count }
    for file in files { size &+= file.length }
    return size
  }
}

/// A file URL of userInfo, and the same item in a container (semantics R8).
public struct ContainerFile: Hashable, Sendable {
  /// The URL as it stands in userInfo: the origin's path.
  public var url: String
  /// The container's id, which all devices that share it know.
  public var container: String
  /// The path below the container's folder: no leading slash, no empty, "." or ".." element.
  public var path: String

  public init(url: String, container: String, path: String) {
    self.url = url
    self.container = container
    self.path = path
  }

  /// Whether the bytes of all are the same.
  public static func == (left: ContainerFile, right: ContainerFile) -> Bool {
    left.url.isSame(as: right.url) && left.container.isSame(as: right.container) && left.path.isSame(as: right.path)
  }

  /// Feeds the bytes of all.
  public func hash(into hasher: inout Hasher) {
    for text in [url, container, path] { text.hashBytes(into: &hasher) }
  }
}
