import SegueCore

/// The installed applications, indexed by id and by the activity types that they declare.
public struct ApplicationIndex: Equatable, Sendable {
  private var applications: [AppID: InstalledApplication] = [:]
  /// The ids of the applications that declare a type, in alphabetical order, so that answers do not depend on the order
  /// of installation.
  private var claimants: [ActivityType: [AppID]] = [:]
  /// The same for the domains that they claim.
  private var domainClaimants: [AssociatedDomain: [AppID]] = [:]

  /// An index without applications.
  public init() {}

  /// How many applications there are.
  public var count: Int { applications.count }

  /// The ids of all applications, in alphabetical order.
  public var appIDs: [AppID] { applications.keys.sorted { $0.string < $1.string } }

  /// The application of that id.
  public func application(_ id: AppID) -> InstalledApplication? { applications[id] }

  /// The applications that declare a type (semantics V10: there may be several).
  public func applications(claiming type: ActivityType) -> [InstalledApplication] {
    (claimants[type] ?? []).compactMap { applications[$0] }
  }

  /// The applications that claim a host by its own name or by a domain above it, each with its claim; the nearest claim
  /// of each.
  public func applications(
    claiming host: DomainName, for service: AssociatedDomain.Service
  ) -> [(application: InstalledApplication, claim: AssociatedDomain)] {
    guard !domainClaimants.isEmpty else { return [] }
    var found: [(application: InstalledApplication, claim: AssociatedDomain)] = []
    var seen: Set<AppID> = []
    func add(_ claim: AssociatedDomain) {
      for id in domainClaimants[claim] ?? [] where seen.insert(id).inserted {
        if let application = applications[id] { found.append((application: application, claim: claim)) }
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
  public var claimedDomains: Set<DomainName> { Set(domainClaimants.keys.map { $0.domain }) }

  /// Sets or removes the application with this id. Returns whether that changed anything.
  @discardableResult
  public mutating func set(_ id: AppID, to application: InstalledApplication?) -> Bool {
    let old: InstalledApplication?
    if let application {
      old = applications.updateValue(application, forKey: id)
    } else {
      old = applications.removeValue(forKey: id)
    }
    guard old != application else { return false }
    for type in old?.activityTypes ?? [] {
      Self.remove(id, from: &claimants[type, default: []])
      if claimants[type]?.isEmpty == true { claimants[type] = nil }
    }
    for type in application?.activityTypes ?? [] {
      Self.insert(id, in: &claimants[type, default: []])
    }
    for domain in old?.domains ?? [] {
      Self.remove(id, from: &domainClaimants[domain, default: []])
      if domainClaimants[domain]?.isEmpty == true { domainClaimants[domain] = nil }
    }
    for domain in application?.domains ?? [] {
      Self.insert(id, in: &domainClaimants[domain, default: []])
    }
    return true
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
