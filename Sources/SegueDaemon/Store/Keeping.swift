import SegueBus
import SegueCore
import SegueLink
import SegueState

// Copies of other devices' activities (semantics X7): fetched while the device is there, continued when it is not.

extension Daemon {
  // MARK: What is kept

  /// What earlier runs have kept; nothing of a device that is not paired any more, nor if the user does not want any.
  func restoreKept(_ copies: [StoredCopy]) {
    let paired = Set(pins.devices.map { $0.id })
    let isWanted = settings.policy.keepsSnapshots
    let kept = copies.filter { copy in copy.device.map { isWanted && paired.contains($0) } ?? false }
    for copy in kept {
      guard let device = copy.device else { continue }
      keptCopies[copy.key] = copy
      keeping.found(KeepPlan.Item(device: device, activity: copy.offer.id), revision: copy.offer.revision)
    }
    if copies.contains(where: { $0.device != nil && keptCopies[$0.key] == nil }) {
      dropKept { keptCopies[$0.key] == nil }
    }
  }

  /// What can be continued although its device is not there, the latest first.
  var keptOffers: [StoredCopy] {
    keptOfAbsent.filter { hiding($0.offer, from: .kept($0.key)) == nil }
      .sorted { $0.storedAt != $1.storedAt ? $0.storedAt > $1.storedAt : $0.offer.id.hex < $1.offer.id.hex }
  }

  /// Also what is hidden: by its id it can be continued all the same.
  private var keptOfAbsent: [StoredCopy] {
    keptCopies.values.filter { copy in copy.device.map { link.online[$0] == nil } ?? false }
  }

  /// The store has expired some.
  func keptAreStill(_ copies: [StoredCopy]) {
    let there = Set(copies.map { $0.key })
    let gone = Set(keptCopies.keys).subtracting(there)
    guard !gone.isEmpty else { return }
    keptForgotten(gone)
  }

  /// The device is not paired any more: nothing of it stays here.
  func forgetKept(of device: DeviceID) {
    keeping.removed { $0.device == device }
    guard store.exists else { return }
    dropKept { $0.device == device }
  }

  private func dropKept(_ fits: (StoredCopy) -> Bool) {
    // Also where it cannot be removed now it is not offered; it is removed at the next start, or expires.
    let removed = useStore { store throws(SegueError) in
      try store.remove(store.copies().filter { $0.device != nil && fits($0) }.map { $0.key })
    }
    keptForgotten(Set(removed ?? []).union(keptCopies.values.filter(fits).map { $0.key }))
  }

  func keptForgotten(_ keys: Set<StoredCopy.Key>) {
    guard keys.contains(where: { keptCopies[$0] != nil }) else { return }
    for key in keys { keptCopies[key] = nil }
    offersChanged()
  }

  // MARK: Fetching

  /// A device has said what it has on offer.
  func keep(_ offers: [Offer], of device: DeviceID) {
    guard settings.policy.keepsSnapshots || !keptCopies.isEmpty else { return }
    let wanted = offers.filter { offer in
      settings.policy.keepsSnapshots && offer.mayBeKept && !match(offer).candidates.isEmpty
    }
    perform(keeping.offered(wanted, by: device, now: Instant.now), device)
  }

  private func perform(_ effects: [KeepPlan.Effect], _ device: DeviceID) {
    for effect in effects {
      switch effect {
      case .fetch(let item): fetchForKeeping(item)
      case .forget(let item): dropKept { $0.device == item.device && $0.offer.id == item.activity }
      case .wake(let time):
        keepTimers[device]?.cancel()
        keepTimers[device] = loop.timer(at: time) { [self] in
          perform(keeping.timer(device, now: Instant.now), device)
        }
      }
    }
  }

  private func fetchForKeeping(_ item: KeepPlan.Item) {
    do throws(SegueError) {
      guard link.online[item.device] != nil, let entry = remote.entry(item.activity),
        let application = match(entry.offer).candidates.first
      else { throw Self.notOffered }
      let request = FetchRequest(
        continuation: .random(), activity: item.activity, appID: application.appID, isForKeeping: true)
      _ = send(request, to: item.device, OutgoingFetch(continuation: request.continuation, keeping: item))
    } catch {
      perform(keeping.fetched(item, revision: nil, now: Instant.now), item.device)
    }
  }

  /// The answer to a fetch for keeping.
  func kept(_ item: KeepPlan.Item, _ answer: FetchAnswer) {
    switch answer {
    case .failure(let error) where error.code == .connectionUnavailable:
      // With the next link it is asked for again.
      return keeping.lost(item.device)
    case .failure(let error):
      log.debug("\(name(of: item.device)) lets nothing be kept: \(error.message)")
      perform(keeping.fetched(item, revision: nil, now: Instant.now), item.device)
    case .snapshot(let snapshot):
      var revision: UInt64?
      defer { perform(keeping.fetched(item, revision: revision, now: Instant.now), item.device) }
      // It may have been withdrawn, or its device unpaired, while it was on its way.
      guard let entry = remote.entry(item.activity), entry.device == item.device, snapshot.id == item.activity,
        snapshot.type == entry.offer.type, pins.devices.contains(where: { $0.id == item.device })
      else { return }
      let now = Instant.now
      var offer = entry.offer
      offer.title = snapshot.title ?? offer.title
      offer.timeLeft = entry.expires.map { now.time(until: $0) }
      let copy = StoredCopy(.snapshot, of: offer, from: item.device)
      guard let put = useStore({ store throws(SegueError) in try store.put(copy, snapshot) }) else { return }
      revision = snapshot.revision
      keptCopies[put.copy.key] = put.copy
      forgotten(put.gone)
      expireCopies()
    }
  }

  // MARK: Continuing

  /// What can be chosen by this id, of this device if one is named, and where its state is.
  func found(_ id: Identifier, of device: DeviceID? = nil) -> (offer: Offer, source: OfferSource)? {
    if let entry = remote.entry(id, of: device) { return (entry.offer, .device(entry.device)) }
    let isMeant = { (copy: StoredCopy) in copy.offer.id == id && (device == nil || copy.device == device) }
    if let copy = keptOfAbsent.first(where: isMeant) { return (copy.offer, .kept(copy.key)) }
    if let entry = remote.recent(id, of: device, now: Instant.now) {
      return (entry.offer, .device(entry.device))
    }
    guard device == nil || device == identity.id else { return nil }
    let here = local.entries[id].flatMap { $0.activity.isEligible ? signed($0.offer) : nil }
    if let here, !match(here, isHere: true).candidates.isEmpty { return (here, .here) }
    let key = StoredCopy.Key(device: nil, activity: id, kind: .search)
    guard store.exists, let copies = useStore({ store throws(SegueError) in try store.copies() }),
      let copy = copies.first(where: { $0.key == key })
    else { return here.map { ($0, .here) } }
    return (copy.offer, .kept(key))
  }

  /// A copy of this device's own goes to the application that it is of; anything else to who may continue it.
  func application(
    for offer: Offer, from source: OfferSource, _ wanted: AppID?
  ) throws(SegueError)
    -> InstalledApplication
  {
    guard case .kept(let key) = source, key.device == nil else {
      return try chosenApplication(for: match(offer, isHere: source == .here), wanted)
    }
    guard wanted == nil || wanted == offer.appID, let application = registry.application(offer.appID) else {
      throw SegueError(
        .noApplication, "Only \(offer.appID.string) itself can continue its stored activity.",
        advice: "Install it again.")
    }
    return application
  }

  /// The state of a continuation that comes from the store.
  func fetch(_ continuation: RunningContinuation, from key: StoredCopy.Key) {
    do throws(SegueError) {
      guard let snapshot = try askStore({ store throws(SegueError) in try store.snapshot(key) }) else {
        throw SegueError(.handoffFailed, "What was kept of the activity is no longer there.")
      }
      continuation.fetched(snapshot)
      handle(.fetched(snapshot), continuation)
    } catch {
      handle(.fetchFailed(error), continuation)
    }
  }

  /// Milliseconds since its state was saved; nil for what is not from the store of this device.
  func age(of source: OfferSource) -> UInt64? {
    guard case .kept(let key) = source, let copy = keptCopies[key] else { return nil }
    return copy.age(at: secondsSince1970()) &* 1000
  }
}
