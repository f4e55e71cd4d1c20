/// The installed applications, indexed by id and by the activity types that they declare.
public struct ApplicationIndex: Equatable, Sendable {
  private var applications: [AppID: InstalledApplication] = [:]
  /// The ids of the applications that declare a type, in alphabetical order, so that answers do not depend on the order
  /// of installation.
  private var claimants: [ActivityType: [AppID]] = [:]

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
      claimants[type]?.removeAll { $0 == id }
      if claimants[type]?.isEmpty == true { claimants[type] = nil }
    }
    for type in application?.activityTypes ?? [] {
      Self.insert(id, in: &claimants[type, default: []])
    }
    return true
  }

  private static func insert(_ id: AppID, in ids: inout [AppID]) {
    guard !ids.contains(id) else { return }
    ids.insert(id, at: ids.firstIndex { $0.string > id.string } ?? ids.endIndex)
  }
}
