/// The version of all that is built from this tree; `include/segue/version.h` says the same to C.
public enum Version {
  public static let text: StaticString = "0.1.0"
}

extension Version {
  /// The same as a string.
  public static var string: String { text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) } }
}
