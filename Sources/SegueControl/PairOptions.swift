/// The options of the method Pair.
public struct PairOptions: ControlValue {
  /// Where the other device is: HOST:PORT.
  public var addresses: [String] = []
  /// Show a code.
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
