import SegueCore

/// This device and the paired ones: what they are called, which of them there is a link to, and of which nothing is
/// known yet since the start.
struct Devices {
  let own: DeviceID
  private let ownName: String
  /// In the user's order.
  private(set) var paired: [DeviceID] = []
  private var given: [DeviceID: String] = [:]
  /// What those call themselves that there is a link to.
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

  // MARK: What is known

  func isPaired(_ device: DeviceID) -> Bool { given[device] != nil }

  func isOnline(_ device: DeviceID) -> Bool { online[device] != nil }

  /// Those that may be told something. One that was removed a moment ago may still have a link.
  var onlineInOrder: [DeviceID] { online.keys.filter { isPaired($0) }.sorted() }

  /// What the user calls a device, else what it calls itself; nil: this one.
  func name(of device: DeviceID?) -> String {
    guard let device, device != own else { return ownName }
    if let given = given[device], !given.isEmpty { return given }
    return online[device] ?? device.short
  }

  // MARK: What happens

  /// Gives back the devices that are not paired any more.
  mutating func replace(_ devices: [Event.PairedName]) -> [DeviceID] {
    let former = paired
    paired = devices.map { $0.device }
    given = [:]
    for device in devices { given[device.device] = device.name }
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

  /// It has said what it has on offer.
  mutating func heard(_ device: DeviceID) { dials?.heard(device) }

  // MARK: The first dials

  /// When the first dials count as over.
  var dialsEnd: Instant { dials?.until ?? start }

  func areDialled(at now: Instant) -> Bool { dials?.isOver(now: now) ?? true }

  /// Whether something that is not known may have been on offer before the start.
  func mayHaveOffered(at now: Instant) -> Bool { dials?.mayHaveOffered(now: now) ?? false }

  /// Those that have not said yet what they have on offer.
  var unheard: [DeviceID] { dials?.unheard.sorted() ?? [] }
}
