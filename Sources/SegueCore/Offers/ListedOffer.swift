/// An offer that an application may continue, as the application itself hears of it: what its own menu can say.
public struct ListedOffer: Equatable, Sendable {
  /// Which offer it is: a device may lie about the ids of activities, so the device is part of it (semantics C16).
  public struct ID: Hashable, Sendable {
    /// Stands for the device, for this application only: another application has another text for the same device.
    public var device: String
    public var activity: Identifier

    public init(device: String, activity: Identifier) {
      self.device = device
      self.activity = activity
    }

    /// Both as one text, which only says whether two offers are the same.
    public var text: String { "\(device)/\(activity.hex)" }
  }

  /// Where its state is to be had.
  public enum Place: Equatable, Sendable {
    /// Another device, which is linked now; its application may have gone (semantics X7).
    case device
    /// Another application of this device (semantics V19).
    case here
    /// This device keeps a copy of it, since the other one is out of reach (semantics X7).
    case kept
  }

  public var id: ID
  public var type: ActivityType
  public var title: String?
  public var webHost: String?
  /// The application that the activity is of, and what it is called on this device.
  public var appID: AppID
  public var appName: String
  public var deviceName: String
  public var place: Place
  /// What can be had is the last snapshot: the application has gone, or the device.
  public var isStored: Bool
  /// When it was first seen here, of what is kept when it was stored.
  public var since: Instant

  public init(
    id: ID, type: ActivityType, title: String?, webHost: String?, appID: AppID, appName: String, deviceName: String,
    place: Place, isStored: Bool, since: Instant
  ) {
    self.id = id
    self.type = type
    self.title = title
    self.webHost = webHost
    self.appID = appID
    self.appName = appName
    self.deviceName = deviceName
    self.place = place
    self.isStored = isStored
    self.since = since
  }

  /// What is kept has its age from another clock, in seconds: how far two moments may differ and be the same.
  private static let tolerance: UInt64 = 2_000

  /// Whether an application would see no difference.
  public func looksLike(_ other: ListedOffer) -> Bool {
    var same = other
    if max(since, other.since).time(since: min(since, other.since)) < Self.tolerance { same.since = since }
    return self == same
  }
}

extension Array where Element == ListedOffer {
  /// Whether an application would see no difference.
  public func looksLike(_ other: [ListedOffer]) -> Bool {
    elementsEqual(other) { $0.looksLike($1) }
  }
}

extension OfferMatch {
  /// Whether an application hears of the offer, and may choose it: only who may continue it (semantics V10, V12). A
  /// process that is less sure to be the application than the one that is installed is not told either.
  public func isListed(for application: AppID, tier: InstalledApplication.Tier) -> Bool {
    candidates.contains { $0.appID == application && tier >= $0.tier }
  }
}
