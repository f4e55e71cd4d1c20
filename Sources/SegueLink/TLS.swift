import NIOCore
import NIOSSL
import SegueCore

/// TLS as the link uses it: 1.3 only, both sides show a certificate, no certificate authority, one ALPN value.
enum TLS {
  /// The protocol's name and major version; a side that does not say exactly this is refused.
  static let alpn = "segue/1"
  /// The same for two devices that pair, and the server name by which a device that dials asks for that. Only to such
  /// a one, and only while this device pairs, is a throw-away key shown.
  static let pairingALPN = "segue-pair/1"
  static let pairingName = "pair.segue.invalid"

  /// What an accepted connection is for, as its first bytes have said. Used on the connection's event loop only.
  final class Purpose: @unchecked Sendable {
    fileprivate(set) var isPairing = false
  }

  /// A handler for an accepted connection. `accepts` and `pairing` are asked on the connection's event loop; `pairing` is
  /// the throw-away key of a device that pairs.
  ///
  /// Each has a context of its own: a context's session tickets would let a device that was removed return without
  /// showing its certificate (`security.md`, fact 1).
  static func server(
    _ identity: Identity, _ purpose: Purpose, pairing: @escaping @Sendable () -> Identity?,
    accepts: @escaping @Sendable (DeviceID) -> Bool
  ) throws -> NIOSSLServerHandler {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(identity.certificate)], privateKey: .privateKey(identity.key))
    narrow(&configuration)
    configuration.applicationProtocols = [alpn, pairingALPN]
    configuration.sslContextCallback = { values, promise in
      var shown = NIOSSLContextConfigurationOverride()
      guard values.serverHostname == pairingName else { return promise.succeed(shown) }
      guard let pairing = pairing() else {
        return promise.fail(SegueError(.accessDenied, "This device does not pair."))
      }
      purpose.isPairing = true
      shown.certificateChain = [.certificate(pairing.certificate)]
      shown.privateKey = .privateKey(pairing.key)
      promise.succeed(shown)
    }
    return try NIOSSLServerHandler(
      context: NIOSSLContext(configuration: configuration),
      customVerificationCallback: verify { purpose.isPairing || accepts($0) })
  }

  /// A handler for a connection to a device that pairs. `identity`: this side's throw-away key.
  static func pairingClient(_ identity: Identity) throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = [.certificate(identity.certificate)]
    configuration.privateKey = .privateKey(identity.key)
    narrow(&configuration)
    configuration.applicationProtocols = [pairingALPN]
    return try NIOSSLClientHandler(
      context: NIOSSLContext(configuration: configuration), serverHostname: pairingName,
      customVerificationCallback: verify { _ in true })
  }

  /// A handler for a dialled connection.
  static func client(
    _ identity: Identity, accepts: @escaping @Sendable (DeviceID) -> Bool
  ) throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = [.certificate(identity.certificate)]
    configuration.privateKey = .privateKey(identity.key)
    narrow(&configuration)
    return try NIOSSLClientHandler(
      context: NIOSSLContext(configuration: configuration), serverHostname: nil,
      customVerificationCallback: verify(accepts))
  }

  private static func narrow(_ configuration: inout TLSConfiguration) {
    configuration.minimumTLSVersion = .tlsv13
    configuration.maximumTLSVersion = .tlsv13
    configuration.certificateVerification = .noHostnameVerification
    configuration.trustRoots = .certificates([])
    configuration.applicationProtocols = [alpn]
    // Recorded traffic stays secret even if X25519 falls one day; a peer without ML-KEM uses the second.
    configuration.curves = [.x25519_MLKEM768, .x25519]
    configuration.shutdownTimeout = .seconds(1)
  }

  private static func verify(
    _ accepts: @escaping @Sendable (DeviceID) -> Bool
  ) -> NIOSSLCustomVerificationCallback {
    { chain, promise in
      guard let id = Pin.device(of: chain), accepts(id) else { return promise.succeed(.failed) }
      promise.succeed(.certificateVerified)
    }
  }
}
