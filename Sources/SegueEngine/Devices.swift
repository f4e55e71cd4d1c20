import SegueCore

/// This device and the paired ones: their names, which of them are linked, and which have not yet said since the start
/// what they have on offer.
struct Devices {
  let own: DeviceID
  private let ownName: String
  /// The paired devices, in the user's order.
  private(set) var paired: [DeviceID] = []
  private var given: [DeviceID: String] = [:]
  private var receiving: [DeviceID: ReceivingRule] = [:]
  /// The linked devices, each with the name by which it calls itself.
  private var online: [DeviceID: String] = [:]
  private var dials: FirstDials?
  private let times: Times
  private let start: Instant

  init(_ settings: EngineSettings, start: Instant) {
    own = settings.device
    ownName = settings.deviceName
    times = settings.times
    self.start = start
  }

  // MARK: Known devices

  func isPaired(_ device: DeviceID) -> Bool { given[device] != nil }

  /// The fate of what is sent from the device.
  func receiving(from device: DeviceID) -> ReceivingRule { receiving[device] ?? .refuse }

  func isOnline(_ device: DeviceID) -> Bool { online[device] != nil }

  /// The linked devices that may be sent messages. A device that was unpaired a moment ago may still have a link, and
  /// is left out.
  var onlineInOrder: [DeviceID] { online.keys.filter { isPaired($0) }.sorted() }

  /// The name that the user gave a device, otherwise the device's own name for itself. Nil stands for this device.
  func plainName(of device: DeviceID?) -> String {
    guard let device, device != own else { return ownName }
    if let given = given[device], !given.isEmpty { return given }
    return online[device] ?? device.short
  }

  /// The plain name, followed by the start of the device's id if another device has the same name. Commands accept this
  /// form.
  func name(of device: DeviceID?) -> String { plainName(of: device) + (mark(of: device) ?? "") }

  /// The name inside a sentence, quoted, since the device itself may have chosen it.
  func quotedName(of device: DeviceID?) -> String {
    DisplayText.quoted(plainName(of: device), maximum: Limits.titleAdvised) + (mark(of: device) ?? "")
  }

  /// The paired devices' names, in their order.
  var names: [String] { paired.map { name(of: $0) } }

  /// A mark that tells a device from others of the same name; nil if there are none.
  private func mark(of device: DeviceID?) -> String? {
    guard let device, device != own else { return nil }
    let name = plainName(of: device)
    let isShared = name == ownName || paired.contains { $0 != device && plainName(of: $0) == name }
    return isShared ? " (\(device.short))" : nil
  }

  // MARK: Events

  /// Replaces the list of paired devices. Returns the devices that are no longer paired.
  mutating func replace(_ devices: [Event.PairedName]) -> [DeviceID] {
    let former = paired
    paired = devices.map { $0.device }
    given = [:]
    receiving = [:]
    for device in devices { (given[device.device], receiving[device.device]) = (device.name, device.receiving) }
    if dials == nil {
      dials = FirstDials(paired, now: start, time: times.firstDials, outageTime: times.fetch)
    }
    let gone = former.filter { given[$0] == nil }
    for device in gone { heard(device) }
    return gone
  }

  mutating func up(_ device: DeviceID, _ name: String) {
    online[device] = DisplayText.clean(name, maximum: Limits.titleAdvised)
  }

  mutating func down(_ device: DeviceID) { online[device] = nil }

  mutating func unreached(_ device: DeviceID) { dials?.unreached(device) }

  /// The device has said what it has on offer.
  mutating func heard(_ device: DeviceID) { dials?.heard(device) }

  // MARK: The first dials

  /// The moment after which the engine no longer waits for the first dials.
  var dialsEnd: Instant { dials?.until ?? start }

  func areDialled(at now: Instant) -> Bool { dials?.isOver(now: now) ?? true }

  /// Whether an offer may exist from before the start that this daemon has not heard of yet.
  func mayHaveOffered(at now: Instant) -> Bool { dials?.mayHaveOffered(now: now) ?? false }

  /// The devices that have not said yet what they have on offer.
  var unheard: [DeviceID] { dials?.unheard.sorted() ?? [] }
}
