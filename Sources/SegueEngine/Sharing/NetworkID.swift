/// A network, known by the hardware address of its router: six bytes, as "02:42:ac:11:00:01". Names and addresses of
/// networks repeat from one café to the next; a router's hardware address does not by chance.
public struct NetworkID: Hashable, Sendable {
  /// In lower case.
  public let text: String

  /// Nil for anything but six bytes in hexadecimal with colons between, or a router that has no address.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part in
      part.count == 2 ? UInt8(String(decoding: part, as: UTF8.self), radix: 16) : nil
    }
    guard parts.count == 6, bytes.count == 6, bytes.contains(where: { $0 != 0 }) else { return nil }
    self.text = text.lowercased()
  }
}

/// The network in which this device is.
public enum PresentNetwork: Equatable, Sendable {
  /// There is no router.
  case none
  /// There is a router, and it has not answered yet.
  case unrecognized
  case recognized(NetworkID)
}
