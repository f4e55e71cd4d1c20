import SegueCore
import SegueEngine

/// A device's store: a file that outlives daemons, on a disk that may be full. Requests are done later, in their order.
final class VirtualStore {
  struct Row {
    var copy: StoredCopy
    let snapshot: Snapshot
  }

  private struct Asked {
    let id: StoreID
    let request: StoreRequest
    let daemon: VirtualDaemon
  }

  private(set) var rows: [StoredCopy.Key: Row] = [:]
  var isFull = false
  /// Whether a write has failed: copies that should have been removed may still be there.
  private(set) var hasFailed = false
  /// The copies that were to be removed, and could not be.
  private var unremoved: Set<StoredCopy.Key> = []
  private unowned let world: Simulation
  private var random: SeededGenerator
  private var waiting: [Asked] = []
  private var lastTime: Instant = 0
  /// The copies that have expired, until `expire` is asked.
  private var expired: [StoredCopy.Key] = []
  /// How many seconds a copy lives whose activity does not expire before.
  static let life: UInt64 = 3_600
  /// The bounds are small, so that copies displace each other.
  private let bounds = StoreBounds(perApplication: 3, count: 8)
  private static let full = SegueError(.system, "The disk is full.")

  init(_ world: Simulation, _ random: SeededGenerator) {
    self.world = world
    self.random = random
  }

  // MARK: Requests

  func ask(_ id: StoreID, _ request: StoreRequest, _ daemon: VirtualDaemon) {
    waiting.append(Asked(id: id, request: request, daemon: daemon))
    next(daemon.device) { [self] in
      guard let asked = waiting.first else { return }
      waiting.removeFirst()
      daemon.handle(.stored(asked.id, perform(asked.request, at: daemon.device.moment.seconds)))
    }
  }

  /// Reports the copies in the store to a daemon that starts.
  func load(_ daemon: VirtualDaemon) {
    next(daemon.device) { [self] in
      let now = daemon.device.moment.seconds
      expire(at: now)
      daemon.handle(.loaded(inOrder))
    }
  }

  private func next(_ device: VirtualDevice, _ body: @escaping () -> Void) {
    lastTime = max(lastTime, world.now + world.latency(&random) / 4)
    let daemon = device.daemon
    world.after(world.now.time(until: lastTime), on: device, "\(device.name): the store is done") {
      if daemon?.isRunning == true { body() }
    }
  }

  /// The daemon was killed: the first of its requests may be done.
  func daemonEnded() {
    while let asked = waiting.first, random.oneIn(2) {
      waiting.removeFirst()
      _ = perform(asked.request, at: asked.daemon.device.moment.seconds)
    }
    waiting = []
    expired = []
  }

  /// The copies, the latest first.
  var inOrder: [StoredCopy] {
    rows.values.map { $0.copy }.sorted {
      $0.storedAt == $1.storedAt ? $0.key < $1.key : $0.storedAt > $1.storedAt
    }
  }

  /// Whether an activity's last snapshot is here.
  func has(_ activity: Identifier, from device: DeviceID?, at now: UInt64) -> Bool {
    let row = rows[StoredCopy.Key(device: device, activity: activity, kind: .snapshot)]
    return row.map { $0.copy.life(at: now) > 0 } ?? false
  }

  /// Whether a copy of an activity is here only since the disk was full when it was to be removed.
  func couldNotRemove(_ activity: Identifier) -> Bool {
    unremoved.contains { $0.activity == activity && rows[$0] != nil }
  }

  // MARK: Effects

  private func perform(_ request: StoreRequest, at now: UInt64) -> Result<StoreAnswer, SegueError> {
    // A request that only removes may find room where a copy cannot be added.
    if isFull {
      switch request {
      case .put:
        hasFailed = true
        return .failure(Self.full)
      case .remove, .setLife, .expire:
        if random.oneIn(3) {
          hasFailed = true
          if case .remove(let keys) = request { unremoved.formUnion(keys) }
          return .failure(Self.full)
        }
      case .snapshot: break
      }
    }
    expired += expire(at: now)
    switch request {
    case .put(let copy, let snapshot): return .success(put(copy, snapshot, at: now))
    case .snapshot(let key):
      guard let row = rows[key] else { return .success(.snapshot(nil)) }
      var snapshot = row.snapshot
      snapshot.isStored = true
      snapshot.age = row.copy.age(at: now) &* 1000
      return .success(.snapshot(snapshot))
    case .remove(let keys):
      for key in keys { rows[key] = nil }
      return .success(.removed(keys))
    case .setLife(let timeLeft, let keys):
      var changed: [StoredCopy] = []
      for key in keys {
        guard var copy = rows[key]?.copy else { continue }
        let latest = copy.storedAt + Self.life
        copy.expiresAt = timeLeft == nil ? latest : min(latest, now + StoredCopy.life(of: timeLeft, atMost: Self.life))
        copy.traits.expires = timeLeft != nil && copy.expiresAt < latest
        rows[key]?.copy = copy
        changed.append(copy)
      }
      return .success(.lives(changed))
    case .expire:
      defer { expired = [] }
      return .success(.expired(expired))
    }
  }

  private func put(_ wanted: StoredCopy, _ snapshot: Snapshot, at now: UInt64) -> StoreAnswer {
    let copy = wanted.stored(with: snapshot, at: now, life: Self.life)
    var gone: [StoredCopy.Key] = []
    if copy.kind == .search, let identifier = copy.persistentIdentifier {
      for other in inOrder
      where other.kind == .search && other.device == copy.device && other.offer.appID == copy.offer.appID
        && other.persistentIdentifier == identifier && other.key != copy.key
      {
        gone.append(other.key)
      }
    }
    gone += inOrder.filter { $0.isSameWindow(as: copy) && $0.key != copy.key }.map { $0.key }
    rows[copy.key] = Row(copy: copy, snapshot: snapshot)
    unremoved.remove(copy.key)
    expired.removeAll { $0 == copy.key }
    for key in gone { rows[key] = nil }
    for key in bounds.surplus(inOrder) {
      rows[key] = nil
      gone.append(key)
    }
    return .put(copy, gone: gone)
  }

  /// Copies that have expired are never seen, however the clock was set meanwhile.
  @discardableResult private func expire(at now: UInt64) -> [StoredCopy.Key] {
    for (key, row) in rows where row.copy.storedAt > now {
      let life = row.copy.expiresAt > row.copy.storedAt ? row.copy.expiresAt - row.copy.storedAt : 0
      rows[key]?.copy.expiresAt = min(row.copy.expiresAt, now + life)
      rows[key]?.copy.storedAt = now
    }
    let gone = rows.values.filter { $0.copy.expiresAt <= now }.map { $0.copy.key }.sorted()
    for key in gone { rows[key] = nil }
    return gone
  }
}
