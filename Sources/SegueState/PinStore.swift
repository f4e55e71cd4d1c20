import SegueCore

/// The paired devices, in the file `devices` of the state folder. Not thread-safe; changes block on the disk, and
/// are made only once they are on it.
public final class PinStore {
  static let file = "devices"
  /// Addresses of one device, and removed devices that are remembered.
  static let addressesMaximum = 8
  static let removedMaximum = 256

  /// The paired devices, in the order of pairing.
  public private(set) var devices: [PairedDevice]
  /// Devices that were removed, the latest last: a pairing of theirs that turns up in a backup is not one.
  public private(set) var removed: [DeviceID]
  private let folder: StateFolder

  /// Reads the file; one that is missing holds no device. Throws what `StateFolder.read` throws, and
  /// `invalidArgument` for a file that cannot be understood: it is then left as it is.
  public init(folder: StateFolder) throws(SegueError) {
    self.folder = folder
    (devices, removed) = ([], [])
    guard let bytes = try folder.read(Self.file) else { return }
    guard let text = String(validating: bytes, as: UTF8.self), let content = Self.parse(text) else {
      throw SegueError(
        .invalidArgument, "\(folder.path)/\(Self.file) is malformed.",
        advice: "Restore it from a backup, or move it away and pair the devices anew.")
    }
    (devices, removed) = content
  }

  /// Adds a device, or replaces what is known of it. Throws `limitExceeded` above `Limits.devices`, and what
  /// `StateFolder.write` throws; nothing has changed then.
  public func add(_ device: PairedDevice) throws(SegueError) {
    var devices = devices
    if let index = devices.firstIndex(where: { $0.id == device.id }) {
      devices[index] = device
    } else {
      devices.append(device)
    }
    guard devices.count <= Limits.devices else {
      throw SegueError(.limitExceeded, "\(Limits.devices) devices are paired already.", advice: "Remove one first.")
    }
    guard device.addresses.count <= Self.addressesMaximum, device.name.utf8.count <= Limits.titleMaximum else {
      throw SegueError(.limitExceeded, "A device has a shorter name and at most \(Self.addressesMaximum) addresses.")
    }
    try save(devices, removed.filter { $0 != device.id })
  }

  /// Removes a device. Throws `notFound`, and what `StateFolder.write` throws; nothing has changed then.
  public func remove(_ id: DeviceID) throws(SegueError) {
    guard devices.contains(where: { $0.id == id }) else {
      throw SegueError(.notFound, "No device \(id.short) is paired.", advice: "`segue devices` lists them.")
    }
    try save(devices.filter { $0.id != id }, removed.filter { $0 != id }.suffix(Self.removedMaximum - 1) + [id])
  }

  private func save(_ devices: [PairedDevice], _ removed: [DeviceID]) throws(SegueError) {
    var text = ""
    for device in devices {
      text += "[device \(device.id)]\nname=\(Self.line(device.name))\nadded=\(device.added)\n"
      for address in device.addresses { text += "address=\(address)\n" }
    }
    for id in removed { text += "[removed \(id)]\n" }
    // What could not be read back must not be written.
    guard let content = Self.parse(text) else {
      throw SegueError(.invalidArgument, "An address of the device is malformed.")
    }
    try folder.write(Self.file, Array(text.utf8))
    (self.devices, self.removed) = content
  }

  private static func line(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
  }

  /// Nil unless every line is understood, no device comes twice, and none is both paired and removed.
  private static func parse(_ text: String) -> ([PairedDevice], [DeviceID])? {
    var devices: [PairedDevice] = []
    var removed: [DeviceID] = []
    var known: Set<DeviceID> = []
    var inDevice = false
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("["), line.hasSuffix("]") {
        let words = line.dropFirst().dropLast().split(separator: " ", maxSplits: 1)
        guard words.count == 2, let id = DeviceID(recorded: String(words[1])), known.insert(id).inserted else {
          return nil
        }
        inDevice = words[0] == "device"
        if inDevice {
          devices.append(PairedDevice(id: id, name: "", addresses: [], added: 0))
        } else {
          guard words[0] == "removed" else { return nil }
          removed.append(id)
        }
        continue
      }
      // By bytes: a name that begins with a combining mark would make one character of it and the sign before.
      let parts = line.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        .map { Substring($0) }
      guard parts.count == 2, inDevice, !devices.isEmpty else { return nil }
      switch parts[0] {
      case "name": devices[devices.count - 1].name = String(parts[1])
      case "added":
        guard let added = UInt64(parts[1]) else { return nil }
        devices[devices.count - 1].added = added
      case "address":
        guard let address = LinkAddress(String(parts[1])) else { return nil }
        devices[devices.count - 1].addresses.append(address)
      default: return nil
      }
    }
    guard devices.count <= Limits.devices else { return nil }
    return (devices, removed)
  }
}
