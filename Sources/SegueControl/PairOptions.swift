/// The options of the method Pair.
public struct PairOptions: ControlValue {
  /// The addresses of the other device: HOST:PORT.
  public var addresses: [String] = []
  /// Whether this device shows a code.
  public var showsCode = false
  /// The code that was copied from the other device.
  public var code: String?

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("addresses", &addresses)
    fields("show-code", &showsCode)
    fields("code", &code)
  }
}
