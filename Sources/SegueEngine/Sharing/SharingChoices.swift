import SegueCore

/// The user's choices about what other devices get, and about when nothing goes to them or comes from them (semantics
/// X5). segue.conf holds such choices, and sharing.conf the ones that were made by commands; both count.
public struct SharingChoices: Equatable, Sendable {
  public init() {}

  /// When nothing is shared.
  public enum Pause: Equatable, Sendable {
    case untilResumed
    /// Until this time, in seconds since 1970.
    case until(UInt64)
  }

  public var pause: Pause?
  /// The networks in which nothing is shared.
  public var networks: Set<NetworkID> = []
  /// The applications whose activities are never announced to other devices (semantics V17).
  public var applications: Set<AppID> = []
  /// The paired devices to which nothing is announced.
  public var devices: Set<DeviceID> = []

  private static let group = "Policy"
  private static let keys = (
    paused: "Paused", until: "PausedUntil", networks: "NotOnNetworks", applications: "Withhold",
    devices: "WithholdFrom"
  )
  /// The keys of group [Policy].
  public static let known = [keys.paused, keys.until, keys.networks, keys.applications, keys.devices]

  // MARK: Files

  /// Reads group [Policy]: Paused (a Boolean), PausedUntil (seconds since 1970), NotOnNetworks, Withhold (application
  /// ids) and WithholdFrom (device ids). Throws for a choice that cannot be understood.
  public init(_ file: KeyFile) throws(SegueError) {
    if let until = try file.integer(Self.group, Self.keys.until) {
      guard until >= 0 else { throw file.failure(Self.group, Self.keys.until, "is before 1970") }
      pause = .until(UInt64(until))
    }
    if try file.bool(Self.group, Self.keys.paused) == true { pause = .untilResumed }
    networks = try Self.list(file, Self.keys.networks, "network's id") { NetworkID($0) }
    applications = try Self.list(file, Self.keys.applications, "application id") { AppID($0) }
    devices = try Self.list(file, Self.keys.devices, "device's id") { DeviceID(recorded: $0) }
  }

  private static func list<Item: Hashable>(
    _ file: KeyFile, _ key: String, _ kind: String, _ item: (String) -> Item?
  ) throws(SegueError) -> Set<Item> {
    var items: Set<Item> = []
    for text in try file.list(group, key) ?? [] {
      guard let item = item(text) else {
        throw file.failure(
          group, key, "names \(DisplayText.quoted(text, maximum: Limits.shownName)), which is no \(kind)")
      }
      items.insert(item)
    }
    return items
  }

  /// Writes the choices into group [Policy].
  public func write(to file: inout KeyFile) throws(SegueError) {
    switch pause {
    case .untilResumed: try file.set(Self.group, Self.keys.paused, to: true)
    case .until(let time): try file.set(Self.group, Self.keys.until, to: Int64(clamping: time))
    case nil: break
    }
    let lists = [
      (Self.keys.networks, networks.map { $0.text }), (Self.keys.applications, applications.map { $0.string }),
      (Self.keys.devices, devices.map { $0.description }),
    ]
    for (key, items) in lists where !items.isEmpty { try file.set(Self.group, key, to: items.sorted()) }
  }

  // MARK: Together

  /// These choices and others: a thing that either withholds is withheld, and the longer pause counts.
  public func joined(with other: SharingChoices) -> SharingChoices {
    var all = self
    all.networks.formUnion(other.networks)
    all.applications.formUnion(other.applications)
    all.devices.formUnion(other.devices)
    switch (pause, other.pause) {
    case (.untilResumed, _), (_, .untilResumed): all.pause = .untilResumed
    case (.until(let one), .until(let two)): all.pause = .until(max(one, two))
    case (nil, let pause), (let pause, nil): all.pause = pause
    }
    return all
  }

  /// Whether there are more than one file may hold.
  public var areTooMany: Bool {
    networks.count > Limits.pausedNetworks || applications.count > Limits.withheldApplications
      || devices.count > Limits.withheldDevices
  }
}
