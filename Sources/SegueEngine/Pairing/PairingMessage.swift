import SegueCore

/// A message between two devices while they are paired (docs/pairing.md). Each message is checked here before it is
/// used.
public enum PairingMessage: Equatable, Sendable {
  /// From the device that dialled. The commitment binds the device to its nonce before it knows the other one's.
  case begin(commitment: [UInt8], name: String)
  /// From the other device.
  case nonce([UInt8], name: String)
  /// The nonce that was committed to. `proof`: of the secret in a copied code, if one is used.
  case reveal([UInt8], proof: [UInt8]?)
  /// The other device's user has typed the right digits, or the proof is right. `proof`: of the secret, by this side.
  case accept(PairingIdentity, proof: [UInt8]?)
  /// The device that dialled has confirmed, and remembers the other one.
  case confirm(PairingIdentity)
  /// The other device remembers too.
  case done
  /// The pairing is over. Only the code is sent; the receiver has its own sentence for it.
  case refused(SegueError.Code)

  static let nonceLength = 32
  static let hashLength = 32

  public func encode() throws(SegueError) -> [UInt8] {
    var entries: [Value: Value]
    switch self {
    case .begin(let commitment, let name):
      entries = ["kind": "begin", "commitment": .data(commitment), "name": .string(name)]
    case .nonce(let nonce, let name): entries = ["kind": "nonce", "nonce": .data(nonce), "name": .string(name)]
    case .reveal(let nonce, let proof):
      entries = ["kind": "reveal", "nonce": .data(nonce)]
      if let proof { entries["proof"] = .data(proof) }
    case .accept(let identity, let proof):
      entries = identity.entries
      entries["kind"] = "accept"
      if let proof { entries["proof"] = .data(proof) }
    case .confirm(let identity):
      entries = identity.entries
      entries["kind"] = "confirm"
    case .done: entries = ["kind": "done"]
    case .refused(let code): entries = ["kind": "refused", "code": .integer(Int64(code.rawValue))]
    }
    return try CBOR.encode(.dictionary(entries))
  }

  /// Throws `protocolViolation` for any malformed message.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> PairingMessage {
    guard bytes.count <= Limits.frameLengthBeforeWelcome else { throw malformed }
    guard case .dictionary(let entries)? = try? CBOR.decode(bytes) else { throw malformed }
    func hash(_ key: Value) throws(SegueError) -> [UInt8] {
      guard let bytes = entries[key]?.data, bytes.count == hashLength else { throw malformed }
      return bytes
    }
    func name() throws(SegueError) -> String {
      guard let name = entries["name"]?.string, name.utf8.count <= Limits.titleMaximum else { throw malformed }
      return DisplayText.clean(name, maximum: Limits.titleAdvised)
    }
    func proof() throws(SegueError) -> [UInt8]? { entries["proof"] == nil ? nil : try hash("proof") }
    switch entries["kind"]?.string {
    case "begin": return .begin(commitment: try hash("commitment"), name: try name())
    case "nonce": return .nonce(try hash("nonce"), name: try name())
    case "reveal": return .reveal(try hash("nonce"), proof: try proof())
    case "accept": return .accept(try PairingIdentity(entries), proof: try proof())
    case "confirm": return .confirm(try PairingIdentity(entries))
    case "done": return .done
    case "refused":
      guard let raw = entries["code"]?.integer.flatMap({ Int32(exactly: $0) }) else { throw malformed }
      return .refused(SegueError.Code.all.first { $0.rawValue == raw } ?? .handoffFailed)
    default: throw malformed
    }
  }

  static var malformed: SegueError {
    SegueError(.protocolViolation, "The other device sent something that is no message of a pairing.")
  }
}

/// The identity of a device, sent only when the digits or the secret have shown that nobody is in between.
public struct PairingIdentity: Equatable, Sendable {
  /// The device's permanent public key: SubjectPublicKeyInfo in DER.
  public var key: [UInt8]
  /// The key's signature of the agreement, so that no device can have another one's key pinned.
  public var signature: [UInt8]
  /// The addresses at which the device can be dialled.
  public var addresses: [LinkAddress]

  /// The length of a P-256 key as SubjectPublicKeyInfo, and the maximum length of a signature, in bytes.
  static let keyLength = 91
  static let signatureLength = 72

  public init(key: [UInt8], signature: [UInt8], addresses: [LinkAddress]) {
    self.key = key
    self.signature = signature
    self.addresses = addresses
  }

  var entries: [Value: Value] {
    [
      "key": .data(key), "signature": .data(signature),
      "addresses": .array(addresses.map { .string($0.description) }),
    ]
  }

  init(_ entries: [Value: Value]) throws(SegueError) {
    guard let key = entries["key"]?.data, key.count == Self.keyLength, let signature = entries["signature"]?.data,
      signature.count <= Self.signatureLength, let texts = entries["addresses"]?.array,
      texts.count <= Limits.deviceAddresses
    else { throw PairingMessage.malformed }
    var addresses: [LinkAddress] = []
    for text in texts {
      guard let address = text.string.flatMap({ LinkAddress($0) }), address.port > 0 else {
        throw PairingMessage.malformed
      }
      addresses.append(address)
    }
    self.init(key: key, signature: signature, addresses: addresses)
  }
}
