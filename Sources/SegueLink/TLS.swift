import NIOCore
import NIOSSL
import SegueCore

/// TLS as the link uses it: 1.3 only, both sides show a certificate, no certificate authority, one ALPN value.
enum TLS {
  /// The protocol's name and major version; a side that does not say exactly this is refused.
  static let alpn = "segue/1"

  /// A handler for an accepted connection. `accepts` is asked on the connection's event loop.
  ///
  /// Each has a context of its own: a context's session tickets would let a device that was removed return without
  /// showing its certificate (`security.md`, fact 1).
  static func server(
    _ identity: Identity, accepts: @escaping @Sendable (DeviceID) -> Bool
  ) throws -> NIOSSLServerHandler {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(identity.certificate)], privateKey: .privateKey(identity.key))
    narrow(&configuration)
    return try NIOSSLServerHandler(
      context: NIOSSLContext(configuration: configuration), customVerificationCallback: verify(accepts))
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
