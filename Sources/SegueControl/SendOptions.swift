/// The options of the method Send. Without any, the newest activity is sent that the device is offered.
public struct SendOptions: ControlValue {
  /// The id of the activity of this device that is sent.
  public var offer: String?
  /// The text that is sent.
  public var text: String?

  public init() {}

  public init(offer: String? = nil, text: String? = nil) {
    self.offer = offer
    self.text = text
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("offer", &offer)
    fields("text", &text)
  }
}
