/// A copy of an activity in the store: everything but its state, which is read from disk when somebody wants it.
public struct StoredCopy: Equatable, Sendable {
  /// The purpose of the copy.
  public enum Kind: String, Sendable {
    /// To be found again in a search (semantics C5).
    case search
    /// To be continued when its application or its device has gone (semantics X7).
    case snapshot
    /// To be given back to its own application when that runs again (semantics C17).
    case restoration
  }

  /// Names a copy; no two copies have the same key.
  public struct Key: Hashable, Comparable, Sendable {
    /// Nil for this device.
    public var device: DeviceID?
    public var activity: Identifier
    public var kind: Kind

    public init(device: DeviceID?, activity: Identifier, kind: Kind) {
      self.device = device
      self.activity = activity
      self.kind = kind
    }

    /// A fixed order, which means nothing else.
    public static func < (one: Key, other: Key) -> Bool {
      if one.activity != other.activity { return one.activity < other.activity }
      if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
      guard let device = one.device, let otherDevice = other.device else {
        return one.device == nil && other.device != nil
      }
      return device < otherDevice
    }
  }

  public var kind: Kind
  /// The device whose activity it is; nil for this device.
  public var device: DeviceID?
  /// The part of the copy that is shown, in the form of an offer.
  public var offer: Offer
  /// The identifier by which its application deletes it (semantics C13).
  public var persistentIdentifier: String?
  /// The words by which a search finds it, besides its title (semantics X6).
  public var keywords: [String] = []
  /// The window that the activity of a copy for restoration belongs to, and what its application said of it.
  public var targetContentIdentifier: String?
  public var traits = StateTraits()
  /// When its state was saved: seconds since 1970, by this device's clock.
  public var storedAt: UInt64 = 0
  public var expiresAt: UInt64 = 0
  /// Its size in bytes.
  public var size = 0

  public var key: Key { Key(device: device, activity: offer.id, kind: kind) }

  public init(_ kind: Kind, of offer: Offer, from device: DeviceID? = nil, persistentIdentifier: String? = nil) {
    self.kind = kind
    self.device = device
    self.offer = offer
    // Continuing a copy gives the stored state, which does not change any more.
    self.offer.isSnapshot = true
    self.offer.isChanged = false
    // Where its file is then, its state says.
    self.offer.file = nil
    self.persistentIdentifier = persistentIdentifier
  }

  /// The copy as a store has it from now on: with the revision and the identifier of the snapshot, its size, and its
  /// times. `now` is in seconds since 1970, `life` in seconds.
  public func stored(with snapshot: Snapshot, at now: UInt64, life: UInt64) -> StoredCopy {
    var copy = self
    copy.offer.revision = snapshot.revision
    copy.persistentIdentifier = snapshot.persistentIdentifier
    copy.keywords = snapshot.keywords
    copy.targetContentIdentifier = kind == .restoration ? snapshot.targetContentIdentifier : nil
    copy.size = snapshot.size &+ Self.overhead
    // A copy that another device had stored keeps the age that it had there.
    copy.storedAt = now &- min(now, (snapshot.age ?? 0) / 1000)
    copy.expiresAt = now &+ Self.life(of: offer.timeLeft, atMost: life)
    (copy.offer.timeLeft, copy.offer.age) = (nil, nil)
    return copy
  }

  /// Whether both are states of the same window: one takes the other's place.
  public func isSameWindow(as other: StoredCopy) -> Bool {
    kind == .restoration && other.kind == .restoration && device == other.device && offer.appID == other.offer.appID
      && offer.type == other.offer.type && targetContentIdentifier == other.targetContentIdentifier
      && persistentIdentifier == other.persistentIdentifier
  }

  /// How many seconds a copy lives whose activity expires in so many milliseconds, nil: never.
  public static func life(of timeLeft: UInt64?, atMost most: UInt64) -> UInt64 {
    min(most, timeLeft.map { $0 / 1000 } ?? most)
  }

  /// Bytes that a copy takes besides its content.
  private static let overhead = 512

  /// Seconds left.
  public func life(at now: UInt64) -> UInt64 { expiresAt > now ? expiresAt - now : 0 }

  /// Seconds since its state was saved.
  public func age(at now: UInt64) -> UInt64 { now > storedAt ? now - storedAt : 0 }
}
