/// Which activities of other devices are fetched to be kept here (semantics X7). Pure: time is given in.
public struct KeepPlan {
  public struct Item: Hashable {
    public var device: DeviceID
    public var activity: Identifier

    public init(device: DeviceID, activity: Identifier) {
      self.device = device
      self.activity = activity
    }
  }

  public enum Effect: Equatable {
    /// Fetch it, only from what its origin keeps.
    case fetch(Item)
    /// It is not on offer any more, or may not be kept any more.
    case forget(Item)
    /// Call `timer` then.
    case wake(Instant)
  }

  private struct State {
    /// What the origin has last offered.
    public var offered: UInt64
    /// What is kept here.
    public var kept: UInt64?
    public var fetchedAt: Instant?
    public var isUnderWay = false

    public var isDue: Bool { kept.map { $0 < offered } ?? true }
  }

  private var items: [Item: State] = [:]
  /// The shortest time between two fetches of one activity, in milliseconds.
  private let interval: UInt64

  public init(interval: UInt64 = Limits.keepInterval) { self.interval = interval }

  /// A copy is here from an earlier run.
  public mutating func found(_ item: Item, revision: UInt64) {
    items[item] = State(offered: revision, kept: revision)
  }

  /// What a device has on offer now that may be kept, and that an application here could continue.
  public mutating func offered(_ offers: [Offer], by device: DeviceID, now: Instant) -> [Effect] {
    var effects: [Effect] = []
    for item in items.keys where item.device == device {
      guard !offers.contains(where: { $0.id == item.activity }) else { continue }
      items[item] = nil
      effects.append(.forget(item))
    }
    for offer in offers {
      items[Item(device: device, activity: offer.id), default: State(offered: 0)].offered = offer.revision
    }
    return effects + due(device, now: now)
  }

  /// Nil: it could not be had. It is tried again when the offer changes.
  public mutating func fetched(_ item: Item, revision: UInt64?, now: Instant) -> [Effect] {
    guard var state = items[item] else { return [] }
    state.isUnderWay = false
    state.fetchedAt = now
    // An origin that has only an earlier one gives that each time: it is not asked again before it offers more.
    state.kept = max(revision ?? state.offered, state.offered)
    items[item] = state
    return due(item.device, now: now)
  }

  /// The link to the device has ended: what is under way will not come.
  public mutating func lost(_ device: DeviceID) {
    for item in items.keys where item.device == device {
      items[item]?.isUnderWay = false
      items[item]?.fetchedAt = nil
    }
  }

  /// The device is not paired any more, or its copies have gone otherwise.
  public mutating func removed(_ fits: (Item) -> Bool) { items = items.filter { !fits($0.key) } }

  public mutating func timer(_ device: DeviceID, now: Instant) -> [Effect] { due(device, now: now) }

  private mutating func due(_ device: DeviceID, now: Instant) -> [Effect] {
    var effects: [Effect] = []
    var next: Instant?
    for (item, state) in items where item.device == device && state.isDue && !state.isUnderWay {
      let time = state.fetchedAt.map { $0 + interval } ?? now
      if time > now {
        next = min(next ?? time, time)
      } else {
        items[item]?.isUnderWay = true
        effects.append(.fetch(item))
      }
    }
    if let next { effects.append(.wake(next)) }
    return effects
  }
}
