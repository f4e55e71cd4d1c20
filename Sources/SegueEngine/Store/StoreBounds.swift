import SegueCore

/// How much the store may hold.
public struct StoreBounds: Sendable {
  public var perApplication: Int
  /// The states that an application has stored for its own return are counted by themselves.
  public var statesPerApplication: Int
  public var count: Int
  public var bytes: Int

  public init(
    perApplication: Int = Limits.storedCopiesPerApplication,
    statesPerApplication: Int = Limits.storedStatesPerApplication, count: Int = Limits.storedCopies,
    bytes: Int = Limits.storedBytes
  ) {
    self.perApplication = perApplication
    self.statesPerApplication = statesPerApplication
    self.count = count
    self.bytes = bytes
  }

  /// The copies to remove so that the rest is within the bounds. Copies of other devices go first, so that no other
  /// device can push out this device's own; among them, and among the rest, the oldest go first.
  public func surplus(_ copies: [StoredCopy]) -> [StoredCopy.Key] {
    let newestFirst = copies.sorted {
      if ($0.device == nil) != ($1.device == nil) { return $0.device == nil }
      if $0.storedAt != $1.storedAt { return $0.storedAt > $1.storedAt }
      return $0.offer.id.hex < $1.offer.id.hex
    }
    struct Owner: Hashable {
      let device: DeviceID?
      let appID: AppID
      let isState: Bool
    }
    var owned: [Owner: Int] = [:]
    var (kept, size) = (0, 0)
    var surplus: [StoredCopy.Key] = []
    for copy in newestFirst {
      let owner = Owner(device: copy.device, appID: copy.offer.appID, isState: copy.kind == .restoration)
      let most = owner.isState ? statesPerApplication : perApplication
      guard owned[owner, default: 0] < most, kept < count, copy.size <= bytes - size else {
        surplus.append(copy.key)
        continue
      }
      owned[owner, default: 0] += 1
      kept += 1
      size += copy.size
    }
    return surplus
  }
}
