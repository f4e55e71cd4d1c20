/// A text that the user of another device has sent here: ListTexts.
public struct TextRow: ControlValue {
  public var id = ""
  public var text: String?
  public var deviceID = ""
  public var deviceName = ""
  /// Milliseconds since it came.
  public var age: UInt64 = 0

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("id", &id, isNeeded: true)
    fields("text", &text)
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("age", &age)
  }

  public mutating func conceal() { text = nil }
}
