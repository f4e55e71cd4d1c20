import SegueCore

/// A paired device: ListDevices.
public struct DeviceRow: ControlValue {
  public var id = ""
  public var name = ""
  /// The addresses at which this device dials it, in this order.
  public var addresses: [String] = []
  /// The subset of `addresses` that only the device itself has announced.
  public var learned: [String] = []
  /// The address that has worked last.
  public var reached: String?
  /// When it dialled this device last, and when it was linked last: in seconds since 1970.
  public var reachedUs: UInt64?
  public var seen: UInt64?
  /// The start of its id, in words.
  public var words = ""
  /// One sentence on why this device does not reach it, and what to do about that.
  public var hint: String?
  public var isOnline = false
  /// Whether this device announces nothing to it (semantics X5).
  public var isWithheld = false
  /// The id of the device that introduced it, and that device's name here, which is absent once the device was removed.
  public var introducer: String?
  public var introducerName: String?

  /// The fate of offers and texts that are sent from it: "ask", "open" or "refuse".
  public var receiving = "ask"
  /// The kinds of things that it takes now, if they are sent there: "activity", "text".
  public var takes: [String] = []

  public init() {}

  public init(id: DeviceID, name: String, addresses: [String] = [], isOnline: Bool) {
    self.id = id.description
    self.name = name
    self.addresses = addresses
    self.isOnline = isOnline
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("name", &name)
    fields("addresses", &addresses)
    fields("learned", &learned)
    fields("reached", &reached)
    fields("reached-us", &reachedUs)
    fields("seen", &seen)
    fields("words", &words)
    fields("hint", &hint)
    fields("online", &isOnline)
    fields("withheld", &isWithheld)
    fields("introducer", &introducer)
    fields("introducer-name", &introducerName)
    fields("receive", &receiving)
    fields("takes", &takes)
  }
}
