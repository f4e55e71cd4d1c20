/// A host and a port, as a user writes them: `192.0.2.1:4711`, `[2001:db8::1]:4711`, `host.example:4711`.
public struct LinkAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IP address without brackets, or a host name.
  public let host: String
  /// 0 stands for any port, when listening.
  public let port: UInt16

  /// The port on which a device listens by default. IANA has not assigned it, and the kernel does not pick it for
  /// connections (it begins at 32768). scripts/install reads this line, for the firewalls' profiles.
  public static let defaultPort: UInt16 = 19736

  /// A host and a port; the host is not checked.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Nil unless `text` is a host and a port. A host is 1 to 253 letters, digits, `.`, `-`, `_`, and between brackets
  /// `:` and `%` too.
  public init?(_ text: String) {
    guard text.utf8.count <= 262, let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    var host = text.utf8[..<colon]
    let digits = text.utf8[text.utf8.index(after: colon)...]
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let port = UInt16(String(Substring(digits)))
    else { return nil }
    let bracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]") && host.count > 2
    if bracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, host.count <= 253, host.allSatisfy({ Self.accepts($0, bracketed: bracketed) }) else {
      return nil
    }
    self.host = String(Substring(host))
    self.port = port
  }

  /// The host as an IP address; nil for a name, or an address with a scope.
  public var ip: IPAddress? { IPAddress(host) }

  /// The text that `init` reads.
  public var description: String {
    host.utf8.allSatisfy { Self.accepts($0, bracketed: false) } ? "\(host):\(port)" : "[\(host)]:\(port)"
  }

  private static func accepts(_ byte: UInt8, bracketed: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    case UInt8(ascii: ":"), UInt8(ascii: "%"): bracketed
    default: false
    }
  }
}
