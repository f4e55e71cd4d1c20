import SegueCore
import SegueEngine
import SegueLink

/// The keys of this device, as a pairing uses them.
struct PairingKeys: PairingCrypto, Sendable {
  let identity: Identity

  var key: [UInt8] { identity.publicKeyInfo }
  func hash(_ bytes: [UInt8]) -> [UInt8] { Identity.hash(bytes) }
  func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] { Identity.mac(bytes, key: key) }
  func random(_ count: Int) -> [UInt8] { Identity.random(count) }
  func signature(of bytes: [UInt8]) -> [UInt8]? { identity.signature(of: bytes) }
  func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID? {
    Identity.device(key: key, signature: signature, of: bytes)
  }
}
