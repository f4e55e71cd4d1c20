import SegueCore

/// The kinds of service that are announced in a network: a device that can be dialled, or one that is being paired.
public enum ServiceKind: Hashable, Sendable, CaseIterable {
  case device
  case pairing

  /// The service type (RFC 6763).
  public var type: String {
    switch self {
    case .device: "_segue._tcp"
    case .pairing: "_segue-pair._tcp"
    }
  }
}

/// One service of this device, as every machine in the network may see it. It reveals nothing about the device except
/// that there is one: the name is random, and changes together with the nonce.
public struct Announcement: Equatable, Sendable {
  public var kind: ServiceKind
  /// The instance's name, and that of the host: a DNS label.
  public var name: String
  /// The nonce from which a dialling device makes its proof; empty if no proof is needed.
  public var nonce: [UInt8]
  /// The interfaces on which the service is announced, each with the addresses of that interface only.
  public var interfaces: [NetworkInterface]

  /// The host's name.
  public var host: String { name + ".local" }

  /// The strings of the TXT record.
  public var text: [[UInt8]] { ServiceText(nonce: nonce).strings }
}

/// The content of a service's TXT record (RFC 6763, section 6): `v`, the version of this record; `n`, the nonce in
/// base32.
struct ServiceText: Equatable {
  static let version = "1"
  static let nonceLength = 16

  /// Sixteen bytes, or none.
  var nonce: [UInt8]

  init(nonce: [UInt8]) { self.nonce = nonce }

  /// Nil for another version, a repeated key, or a nonce of another length. Unknown keys are ignored.
  init?(_ strings: [[UInt8]]) {
    var values: TextMap<String> = [:]
    for string in strings.prefix(Limits.serviceTextStrings) {
      guard let text = String(validating: string, as: UTF8.self) else { return nil }
      let parts = text.parts(at: "=", maxSplits: 1, omittingEmpty: false)
      guard let key = parts.first, parts.count == 2 else { continue }
      let name = key.lowercased()
      guard values[name] == nil else { return nil }
      values[name] = parts[1]
    }
    guard values["v"] == Self.version else { return nil }
    guard let text = values["n"] else {
      nonce = []
      return
    }
    guard let bytes = Base32.bytes(text), bytes.count == Self.nonceLength else { return nil }
    nonce = bytes
  }

  var strings: [[UInt8]] {
    let pairs = ["v=\(Self.version)"] + (nonce.isEmpty ? [] : ["n=\(Base32.text(nonce))"])
    return pairs.map { Array($0.utf8) }
  }
}
