/// The options of the method Continue.
public struct ContinueOptions: ControlValue {
  /// The activation token, by which the desktop lets the application's window come to the front.
  public var activationToken: String?
  /// The id of the application that is to continue it.
  public var app: String?
  /// The id of the device whose offer it is.
  public var device: String?

  public init() {}

  public init(activationToken: String?, app: String?, device: String? = nil) {
    self.activationToken = activationToken
    self.app = app
    self.device = device
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("activation-token", &activationToken)
    fields("app", &app)
    fields("device", &device)
  }
}
