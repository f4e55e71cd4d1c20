import SegueCore

/// The paired devices, in the file `devices` of the state directory. A change blocks until it is on disk, and takes
/// effect only then.
public struct PinStore: Sendable {
  static let file = "devices"

  /// The paired devices, in the order of pairing.
  public private(set) var devices: [PairedDevice]
  /// The devices that were removed, the latest last. If a backup restores a pairing with one of them, the pairing does
  /// not count.
  public private(set) var removed: [DeviceID]
  /// Whether there was no file when this object was made.
  public let wasMissing: Bool
  private let folder: StateFolder

  /// Reads the file; a missing file stands for no device. Throws what `StateFolder.read` throws, and `invalidArgument`
  /// for a file that cannot be understood, which is left as it is.
  public init(folder: StateFolder) throws(SegueError) {
    self.folder = folder
    (devices, removed) = ([], [])
    let content = try folder.read(Self.file)
    wasMissing = content == nil
    guard let bytes = content else { return }
    do throws(SegueError) { (devices, removed) = try Self.parse(bytes) } catch {
      throw SegueError(
        .invalidArgument, "\(folder.path)/\(Self.file) is malformed: \(error.message).",
        advice: "Restore it from a backup, or move it away and pair the devices anew.")
    }
  }

  /// Writes a file without any device, so that a file that is missing later is known to have been lost. Throws what
  /// `StateFolder.write` throws.
  public mutating func begin() throws(SegueError) { try save(devices, removed) }

  /// Whether the file in a directory names any device, paired or removed. Throws what `init` throws.
  static func namesAny(in folder: StateFolder) throws(SegueError) -> Bool {
    let pins = try PinStore(folder: folder)
    return !pins.devices.isEmpty || !pins.removed.isEmpty
  }

  /// Adds a device, or replaces its entry. Throws `limitExceeded` above `Limits.devices`, and what `StateFolder.write`
  /// throws; nothing has changed then.
  public mutating func add(_ device: PairedDevice) throws(SegueError) {
    var devices = devices
    if let index = devices.firstIndex(where: { $0.id == device.id }) {
      devices[index] = device
    } else {
      devices.append(device)
    }
    guard devices.count <= Limits.devices else {
      throw SegueError(.limitExceeded, "\(Limits.devices) devices are paired already.", advice: "Remove one first.")
    }
    guard device.addresses.count <= Limits.deviceAddresses, device.learned.count <= Limits.deviceAddresses,
      device.name.utf8.count <= Limits.titleMaximum
    else {
      throw SegueError(.limitExceeded, "A device has a shorter name and at most \(Limits.deviceAddresses) addresses.")
    }
    try save(devices, removed.filter { $0 != device.id })
  }

  /// Stores a paired device's own name, its addresses (those that it sent, and the one that worked), when it dialled
  /// this device, and when it was linked. Arguments that are nil change nothing. Throws what `StateFolder.write`
  /// throws; nothing has changed then. Returns whether the addresses to dial have changed.
  public mutating func learn(
    _ id: DeviceID, _ told: [LinkAddress], name: String? = nil, reached: LinkAddress?, reachedUs: UInt64? = nil,
    seen: UInt64? = nil
  ) throws(SegueError) -> Bool {
    var devices = devices
    guard let index = devices.firstIndex(where: { $0.id == id }) else { return false }
    let former = devices[index].dialled
    devices[index].learn(told)
    if let name { devices[index].hear(name) }
    if let reached { devices[index].reached = reached }
    if let reachedUs { devices[index].reachedUs = reachedUs }
    if let seen { devices[index].seen = seen }
    guard devices != self.devices else { return false }
    try save(devices, removed)
    return self.devices[index].dialled != former
  }

  /// Gives a device another name; an empty name stands for the device's own one. Throws `notFound`, `limitExceeded`,
  /// and what `StateFolder.write` throws; nothing has changed then.
  public mutating func rename(_ id: DeviceID, _ name: String) throws(SegueError) {
    guard var device = devices.first(where: { $0.id == id }) else { throw Self.unknown(id) }
    device.name = name.isEmpty ? device.ownName ?? "" : name
    try add(device)
  }

  /// Sets the fate of what is sent from a device. Throws as `rename` does.
  public mutating func receive(_ id: DeviceID, _ rule: ReceivingRule) throws(SegueError) {
    guard var device = devices.first(where: { $0.id == id }) else { throw Self.unknown(id) }
    device.receiving = rule
    try add(device)
  }

  private static func unknown(_ id: DeviceID) -> SegueError {
    SegueError(.notFound, "No device \(id.short) is paired.", advice: "`segue devices` lists them.")
  }

  /// Removes a device. Throws `notFound`, and what `StateFolder.write` throws; nothing has changed then.
  public mutating func remove(_ id: DeviceID) throws(SegueError) {
    guard devices.contains(where: { $0.id == id }) else { throw Self.unknown(id) }
    try save(devices.filter { $0.id != id }, removed.filter { $0 != id }.suffix(Limits.removedDevices - 1) + [id])
  }

  private mutating func save(_ devices: [PairedDevice], _ removed: [DeviceID]) throws(SegueError) {
    var file = KeyFile()
    for device in devices {
      let group = "\(Self.paired) \(device.id)"
      try file.set(group, "name", to: Self.line(device.name))
      if let name = device.ownName { try file.set(group, "own-name", to: Self.line(name)) }
      try file.set(group, "added", to: Int64(clamping: device.added))
      for address in device.addresses { try file.add(group, "address", address.description) }
      for address in device.learned { try file.add(group, "learned", address.description) }
      if let reached = device.reached { try file.set(group, "reached", to: reached.description) }
      if let introducer = device.introducedBy { try file.set(group, "introduced-by", to: introducer.description) }
      // An earlier version does not know this key.
      if device.receiving != .ask { try file.set(group, "receive", to: device.receiving.rawValue) }
      if let time = device.reachedUs { try file.set(group, "reached-us", to: Int64(clamping: time)) }
      if let time = device.seen { try file.set(group, "seen", to: Int64(clamping: time)) }
    }
    for id in removed { file.add(group: "\(Self.unpaired) \(id)") }
    let bytes = Array(file.text.utf8)
    // Only content that can be read back is written.
    let content = try Self.parse(bytes)
    try folder.write(Self.file, bytes)
    (self.devices, self.removed) = content
  }

  private static func line(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
  }

  // MARK: The file

  private static let paired = "device"
  private static let unpaired = "removed"
  private static let keys: Set<String> = [
    "name", "own-name", "added", "address", "learned", "reached", "reached-us", "seen", "introduced-by", "receive",
  ]

  /// Reads a group for each device. Throws `invalidArgument` if a line cannot be understood, or a device comes twice.
  private static func parse(_ bytes: [UInt8]) throws(SegueError) -> ([PairedDevice], [DeviceID]) {
    let file = try KeyFile(bytes, mode: .repeating)
    var devices: [PairedDevice] = []
    var removed: [DeviceID] = []
    var known: Set<DeviceID> = []
    for group in file.groups {
      func malformed(_ what: String) -> SegueError { SegueError(.invalidArgument, "[\(group)] \(what)") }
      let words = group.parts(at: " ", maxSplits: 1)
      guard words.count == 2, let id = DeviceID(recorded: String(words[1])) else { throw malformed("names no device") }
      guard known.insert(id).inserted else { throw malformed("is there twice") }
      let keys = file.keys(group)
      switch String(words[0]) {
      case paired:
        guard keys.allSatisfy(Self.keys.contains) else { throw malformed("has an unknown key") }
        guard keys.count(where: { $0 == "name" }) <= 1,
          let added = UInt64(exactly: try file.integer(group, "added") ?? 0)
        else { throw malformed("has two names, or was added at no time") }
        func addresses(_ key: String) throws(SegueError) -> [LinkAddress] {
          try file.strings(group, key).map { text throws(SegueError) in
            guard let address = LinkAddress(text) else { throw malformed("has what is not an address") }
            return address
          }
        }
        // Earlier versions did not escape names, so a backslash may stand for itself.
        let name = (try? file.string(group, "name")) ?? file.raw(group).first { $0.key == "name" }?.value ?? ""
        var device = PairedDevice(id: id, name: name, addresses: try addresses("address"), added: added)
        device.ownName = try file.string(group, "own-name")
        device.learned = try addresses("learned")
        device.reached = try addresses("reached").last
        func time(_ key: String) throws(SegueError) -> UInt64? {
          guard let seconds = try file.integer(group, key) else { return nil }
          guard let time = UInt64(exactly: seconds) else { throw malformed("has what is not a time") }
          return time
        }
        if let text = try file.string(group, "introduced-by") {
          guard let introducer = DeviceID(recorded: text) else { throw malformed("was introduced by no device") }
          device.introducedBy = introducer
        }
        if let text = try file.string(group, "receive") {
          guard let rule = ReceivingRule(rawValue: text) else { throw malformed("has an unknown rule") }
          device.receiving = rule
        }
        (device.reachedUs, device.seen) = (try time("reached-us"), try time("seen"))
        devices.append(device)
      case unpaired:
        guard keys.isEmpty else { throw malformed("has a key") }
        removed.append(id)
      default: throw malformed("is not a device")
      }
    }
    guard devices.count <= Limits.devices else {
      throw SegueError(.invalidArgument, "it has more than \(Limits.devices) devices")
    }
    return (devices, removed)
  }
}
