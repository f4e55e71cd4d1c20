import SegueCore

/// The installed applications, indexed by id and by the activity types that they declare.
public struct ApplicationIndex: Equatable, Sendable {
  /// An application, of which there may be thousands: to copy the value is to count each of its parts.
  public final class Entry: Equatable, Sendable {
    public let application: InstalledApplication

    public init(_ application: InstalledApplication) { self.application = application }

    public static func == (one: Entry, other: Entry) -> Bool {
      one === other || one.application == other.application
    }
  }

  private var applications: [AppID: Entry] = [:]
  /// The ids of the applications that declare a type, in alphabetical order, so that answers do not depend on the order
  /// of installation.
  private var claimants: [ActivityType: [AppID]] = [:]
  /// The same for the domains that they claim.
  private var domainClaimants: [AssociatedDomain: [AppID]] = [:]
  /// Applications of a cache, which are not among those above. Nil: none.
  private var cached: CachedApplications?

  /// An index without applications.
  public init() {}

  /// An index of a cache's applications. Each is replaced, or goes, when it is set.
  public init(_ cached: CachedApplications) { self.cached = cached }

  /// How many applications there are.
  public var count: Int { applications.count + (cached?.count ?? 0) }

  /// The ids of all applications, in alphabetical order.
  public var appIDs: [AppID] {
    let others = cached.map { cached in cached.numbers.compactMap { cached.id($0) } } ?? []
    return (applications.keys + others).sorted { $0.string < $1.string }
  }

  /// The application of that id.
  public func application(_ id: AppID) -> InstalledApplication? {
    if let entry = applications[id] { return entry.application }
    guard let cached, let number = cached.number(of: id) else { return nil }
    return cached.application(number)
  }

  /// Whether some applications are still taken from a cache.
  public var hasCached: Bool { cached != nil }

  /// The cache's number of an application that is still taken from it.
  public func cachedNumber(of id: AppID) -> Int? { cached?.number(of: id) }

  /// The cache's numbers of all that are still taken from it.
  public var cachedNumbers: [Int] { cached?.numbers ?? [] }

  /// The applications that declare a type (semantics V10: there may be several).
  public func applications(claiming type: ActivityType) -> [InstalledApplication] {
    let found = (claimants[type] ?? []).compactMap { applications[$0]?.application }
    guard let cached else { return found }
    let others = cached.numbers(claiming: type).compactMap { cached.application($0) }
    guard !found.isEmpty, !others.isEmpty else { return found + others }
    return (found + others).sorted { $0.appID.string < $1.appID.string }
  }

  /// The applications that claim a host by its own name or by a domain above it, each with its claim; the nearest claim
  /// of each.
  public func applications(
    claiming host: DomainName, for service: AssociatedDomain.Service
  ) -> [(application: InstalledApplication, claim: AssociatedDomain)] {
    guard !domainClaimants.isEmpty || cached != nil else { return [] }
    var found: [(application: InstalledApplication, claim: AssociatedDomain)] = []
    var seen: Set<AppID> = []
    func add(_ claim: AssociatedDomain) {
      for id in claimants(of: claim) where seen.insert(id).inserted {
        if let application = application(id) { found.append((application: application, claim: claim)) }
      }
    }
    add(AssociatedDomain(service, host))
    var parent = host.parent
    while let domain = parent {
      add(AssociatedDomain(service, domain, isWildcard: true))
      parent = domain.parent
    }
    return found
  }

  /// The domains that applications claim: no other one's association file is ever fetched (attack 48).
  public var claimedDomains: Set<DomainName> {
    Set(domainClaimants.keys.map { $0.domain } + (cached?.claims.map { $0.domain } ?? []))
  }

  /// The ids of the applications that claim a domain, in alphabetical order.
  private func claimants(of claim: AssociatedDomain) -> [AppID] {
    let found = domainClaimants[claim] ?? []
    guard let cached else { return found }
    let others = cached.numbers(claiming: claim).compactMap { cached.id($0) }
    return others.isEmpty ? found : (found + others).sorted { $0.string < $1.string }
  }

  /// Sets or removes the application with this id. Returns whether that changed anything.
  @discardableResult
  public mutating func set(_ id: AppID, to application: InstalledApplication?) -> Bool {
    set(id, entry: application.map { Entry($0) })
  }

  /// The same, with an object that is kept.
  @discardableResult
  public mutating func set(_ id: AppID, entry: Entry?) -> Bool {
    if let number = cached?.number(of: id) {
      // From now on it is no longer the cache's.
      let former = cached?.application(number)
      cached?.drop(number)
      if cached?.count == 0 { cached = nil }
      guard let entry else { return true }
      applications[id] = entry
      addClaims(of: entry.application)
      return former != entry.application
    }
    let old = entry.map { applications.updateValue($0, forKey: id) } ?? applications.removeValue(forKey: id)
    guard old != entry else { return false }
    for type in old?.application.activityTypes ?? [] {
      Self.remove(id, from: &claimants[type, default: []])
      if claimants[type]?.isEmpty == true { claimants[type] = nil }
    }
    for domain in old?.application.domains ?? [] {
      Self.remove(id, from: &domainClaimants[domain, default: []])
      if domainClaimants[domain]?.isEmpty == true { domainClaimants[domain] = nil }
    }
    if let entry { addClaims(of: entry.application) }
    return true
  }

  private mutating func addClaims(of application: InstalledApplication) {
    let id = application.appID
    for type in application.activityTypes { Self.insert(id, in: &claimants[type, default: []]) }
    for domain in application.domains { Self.insert(id, in: &domainClaimants[domain, default: []]) }
  }

  private static func insert(_ id: AppID, in ids: inout [AppID]) {
    let place = place(of: id, in: ids)
    if place == ids.endIndex || ids[place] != id { ids.insert(id, at: place) }
  }

  private static func remove(_ id: AppID, from ids: inout [AppID]) {
    let place = place(of: id, in: ids)
    if place < ids.endIndex, ids[place] == id { ids.remove(at: place) }
  }

  /// Where an id stands, or would stand: found by halves, since all applications may declare one type.
  private static func place(of id: AppID, in ids: [AppID]) -> Int {
    var (low, high) = (ids.startIndex, ids.endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if ids[middle].string < id.string { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
