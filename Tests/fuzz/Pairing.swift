// The messages of two devices that pair, and the code that a user copies: the first byte says which.

import SegueCore

@testable import SegueEngine

func fuzzPairing(_ bytes: [UInt8]) {
  let input = Array(bytes.dropFirst())
  if (bytes.first ?? 0) % 2 == 0 { fuzzPairingMessage(input) } else { fuzzPairingCode(input) }
}

private func fuzzPairingMessage(_ bytes: [UInt8]) {
  do throws(SegueError) {
    let message = try PairingMessage.decode(bytes)
    let encoded = try message.encode()
    check(try PairingMessage.decode(encoded) == message, "it is another when it is said again:\n\(message)")
    switch message {
    case .begin(_, let name), .nonce(_, let name): checkShown(name)
    case .accept(let identity, _), .confirm(let identity):
      check(identity.addresses.count <= Limits.deviceAddresses, "there are \(identity.addresses.count) addresses")
      check(identity.signature.count <= PairingIdentity.signatureLength, "the signature is too long")
    case .reveal, .done, .refused: break
    }
  } catch {
    check(error.code == .protocolViolation, "refused as \(error.code.name)")
    checkShown(error)
  }
}

private func fuzzPairingCode(_ bytes: [UInt8]) {
  do throws(SegueError) {
    let code = try PairingCode(String(decoding: bytes, as: UTF8.self))
    let text = code.text
    check(text.utf8.count <= Limits.pairingCodeLength, "its text has \(text.utf8.count) bytes")
    check(text.utf8.allSatisfy { 0x30...0x3A ~= $0 || 0x41...0x5A ~= $0 }, "its text is \(text)")
    check(try PairingCode(text.lowercased()) == code, "it is another when it is copied again: \(text)")
    checkShown(code.device.description)
    for address in code.addresses { checkShown(address.description) }
  } catch {
    check(error.code == .invalidArgument, "refused as \(error.code.name)")
    checkShown(error)
  }
}
