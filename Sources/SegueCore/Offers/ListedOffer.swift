/// An offer that an application may continue, in the form in which the application is told of it for its own menu.
public struct ListedOffer: Equatable, Sendable {
  /// Names the offer. The device is part of the name, since a device may lie about ids of activities (semantics C16).
  public struct ID: Hashable, Sendable {
    /// An alias of the device. Each application has another alias for the same device.
    public var device: String
    public var activity: Identifier

    public init(device: String, activity: Identifier) {
      self.device = device
      self.activity = activity
    }

    /// Both parts as one text, for comparing only.
    public var text: String { "\(device)/\(activity.hex)" }
  }

  /// Where its state would come from.
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
  /// The application whose activity it is, and that application's name on this device.
  public var appID: AppID
  public var appName: String
  public var deviceName: String
  public var place: Place
  /// Continuing it gives the last snapshot, since the application or the device has gone.
  public var isStored: Bool
  /// When the offer was first seen here; for a kept copy, when its state was saved.
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

  /// How far two moments may differ and count as equal: a kept copy has its age from another clock, in whole seconds.
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
