/// A file or a stream on its way: ListTransfers.
public struct TransferRow: ControlValue {
  public var id = ""
  /// "file" or "stream".
  public var kind = ""
  /// Whether an application of this device has asked for it.
  public var isIncoming = false
  /// Empty for a stream between two applications of this device.
  public var deviceID = ""
  public var deviceName = ""
  /// The application of this device.
  public var appID = ""
  public var appName = ""
  /// The file's name. It is content, and is left out where others may listen.
  public var name: String?
  /// "waiting", "asked", "open" or "interrupted".
  public var state = ""
  /// The bytes that have passed, and the file's size, once they are known.
  public var done: UInt64?
  public var size: UInt64?

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("kind", &kind)
    fields("incoming", &isIncoming)
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("app-id", &appID)
    fields("app-name", &appName)
    fields("name", &name)
    fields("state", &state)
    fields("done", &done)
    fields("size", &size)
  }

  public mutating func conceal() { name = nil }
}

/// A continuation on its way: ListContinuations.
public struct ContinuationRow: ControlValue {
  public var continuation = ""
  /// The id of the offer, and of the device whose it is.
  public var activity = ""
  public var deviceID = ""
  public var deviceName = ""
  /// The application that continues it; empty for a browser.
  public var appName = ""

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("continuation", &continuation, isNeeded: true)
    fields("activity", &activity)
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("app-name", &appName)
  }
}
