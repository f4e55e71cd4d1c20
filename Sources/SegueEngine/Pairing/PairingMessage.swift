import SegueCore

/// A message between two devices while they are paired (docs/pairing.md). Each message is checked here before it is
/// used.
public enum PairingMessage: WireMessage, Equatable, Sendable {
  /// From the device that dialled. The commitment binds it to its nonce before it knows the other one's.
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

  public init(_ fields: inout WireFields, _ own: PairingMessage?) throws(SegueError) {
    if fields.isKind("begin", own?.asBegin != nil) {
      self = .begin(
        commitment: try fields.hash("commitment", own?.asBegin?.commitment), name: try fields.name(own?.asBegin?.name))
    } else if fields.isKind("nonce", own?.asNonce != nil) {
      self = .nonce(try fields.hash("nonce", own?.asNonce?.nonce), name: try fields.name(own?.asNonce?.name))
    } else if fields.isKind("reveal", own?.asReveal != nil) {
      self = .reveal(try fields.hash("nonce", own?.asReveal?.nonce), proof: try fields.proof(own?.asReveal?.proof))
    } else if fields.isKind("accept", own?.asAccept != nil) {
      self = .accept(
        try PairingIdentity(&fields, own?.asAccept?.identity), proof: try fields.proof(own?.asAccept?.proof))
    } else if fields.isKind("confirm", own?.asConfirm != nil) {
      self = .confirm(try PairingIdentity(&fields, own?.asConfirm))
    } else if fields.isKind("done", own == .done) {
      self = .done
    } else if fields.isKind("refused", own?.asRefused != nil) {
      let code = try fields("code", own?.asRefused)
      self = .refused(SegueError.Code.all.contains(code) ? code : .handoffFailed)
    } else {
      throw fields.malformed
    }
  }

  private var asBegin: (commitment: [UInt8], name: String)? {
    if case .begin(let commitment, let name) = self { (commitment, name) } else { nil }
  }
  private var asNonce: (nonce: [UInt8], name: String)? {
    if case .nonce(let nonce, let name) = self { (nonce, name) } else { nil }
  }
  private var asReveal: (nonce: [UInt8], proof: [UInt8]?)? {
    if case .reveal(let nonce, let proof) = self { (nonce, proof) } else { nil }
  }
  private var asAccept: (identity: PairingIdentity, proof: [UInt8]?)? {
    if case .accept(let identity, let proof) = self { (identity, proof) } else { nil }
  }
  private var asConfirm: PairingIdentity? { if case .confirm(let identity) = self { identity } else { nil } }
  private var asRefused: SegueError.Code? { if case .refused(let code) = self { code } else { nil } }

  public func encode() throws(SegueError) -> [UInt8] { try CBOR.encode(field) }

  /// Throws `protocolViolation` for anything malformed.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> PairingMessage {
    guard bytes.count <= Limits.frameLengthBeforeWelcome else { throw malformed }
    var fields = try WireFields(reading: bytes, or: malformed)
    return try PairingMessage(&fields, nil)
  }

  static var malformed: SegueError {
    SegueError(.protocolViolation, "The other device sent something that is not a message of a pairing.")
  }
}

extension WireFields {
  fileprivate mutating func hash(_ key: Value, _ own: [UInt8]?) throws(SegueError) -> [UInt8] {
    try self(key, own) { $0.count == PairingMessage.hashLength }
  }

  fileprivate mutating func proof(_ own: [UInt8]?) throws(SegueError) -> [UInt8]? {
    own != nil || entries["proof"] != nil ? try hash("proof", own) : nil
  }

  fileprivate mutating func name(_ own: String?) throws(SegueError) -> String {
    DisplayText.clean(try self("name", own) { $0.utf8.count <= Limits.titleMaximum }, maximum: Limits.titleAdvised)
  }
}

/// Who a device is, told only when the digits or the secret have shown that nobody is in between.
public struct PairingIdentity: WireMessage, Equatable, Sendable {
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

  public init(_ fields: inout WireFields, _ own: PairingIdentity?) throws(SegueError) {
    self.init(
      key: try fields("key", own?.key) { $0.count == Self.keyLength },
      signature: try fields("signature", own?.signature) { $0.count <= Self.signatureLength },
      addresses: try fields.list(
        "addresses", own?.addresses, atMost: Limits.deviceAddresses, isWhole: true
      ) { $0.port > 0 })
  }
}
