import SegueBus
import SegueCore

/// A stored copy of an activity: ListStored.
public struct StoredRow: ControlValue {
  public var id = ""
  public var revision: UInt64 = 0
  public var type = ""
  public var appID = ""
  /// The application's name; empty if it is not installed.
  public var appName = ""
  public var kind = StoredCopy.Kind.snapshot
  /// The device whose activity it is; empty for this device.
  public var deviceID = ""
  public var deviceName = ""
  public var isHere = false
  /// Milliseconds since it was saved, and until it is removed.
  public var age: UInt64 = 0
  public var timeLeft: UInt64 = 0
  /// Its size in bytes.
  public var size: UInt64 = 0
  public var title: String?

  public init() {}

  /// `now` in seconds since 1970.
  public init(_ copy: StoredCopy, appName: String, deviceName: String, now: UInt64) {
    id = copy.offer.id.hex
    revision = copy.offer.revision
    type = copy.offer.type.string
    appID = copy.offer.appID.string
    self.appName = appName
    kind = copy.kind
    deviceID = copy.device?.description ?? ""
    self.deviceName = deviceName
    isHere = copy.device == nil
    age = copy.age(at: now) &* 1000
    timeLeft = copy.life(at: now) &* 1000
    size = UInt64(clamping: copy.size)
    title = copy.offer.title
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("revision", &revision)
    fields("type", &type)
    fields("app-id", &appID)
    fields("app-name", &appName)
    fields("kind", &kind)
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("here", &isHere)
    fields("age", &age)
    fields("time-left", &timeLeft)
    fields("size", &size)
    fields("title", &title)
  }

  public mutating func conceal() { title = nil }
}

extension StoredCopy.Kind: BusField {}
