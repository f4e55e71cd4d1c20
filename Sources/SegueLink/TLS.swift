import NIOCore
import NIOSSL
import SegueCore

/// TLS as the link uses it: 1.3 only, both sides show a certificate, no certificate authority, one ALPN value.
enum TLS {
  /// The protocol's name and major version; a side that offers any other is refused.
  static let alpn = "segue/1"
  /// What a record has besides its content: a header of five bytes, the content's type, and a tag (RFC 8446, section 5).
  static let recordOverhead = 5 + 1 + 16
  /// The same for two devices that pair, and the server name by which a dialling device asks for that. The pairing key
  /// is shown only to a device that asks so, and only while this device pairs.
  static let pairingALPN = "segue-pair/1"
  static let pairingName = "pair.segue.invalid"

  /// The purpose of an accepted connection, by its first bytes. Used on the connection's event loop only.
  final class Purpose: @unchecked Sendable {
    enum Kind: Equatable {
      case pairing
      /// A link with the device that it has proved to be.
      case link(DeviceID)
      /// No purpose yet, though the peer may be a paired device that gets a nonce, and comes again.
      case probe
      case none
    }

    fileprivate(set) var kind = Kind.none

    /// Withdraws `probe`: a peer that takes an ephemeral key for a device's, or keeps the connection, is no
    /// probe.
    func wasNoProbe() { if kind == .probe { kind = .none } }
  }

  /// A handler for an accepted connection. `shown` is called on the connection's event loop with the server name, and
  /// returns the connection's purpose and the key that it is shown; then `accepts` is called.
  ///
  /// Each has a context of its own: a context's session tickets would let a device that was removed return without
  /// showing its certificate (`security.md`, fact 1).
  static func server(
    _ purpose: Purpose, shown: @escaping @Sendable (String?) throws -> (Purpose.Kind, Identity),
    accepts: @escaping @Sendable (DeviceID) -> Bool
  ) throws -> NIOSSLServerHandler {
    // This is a client's configuration, which has no key: no key may be shown before the server name is known.
    var configuration = TLSConfiguration.makeClientConfiguration()
    narrow(&configuration)
    configuration.applicationProtocols = [alpn, pairingALPN]
    configuration.sslContextCallback = { values, promise in
      promise.completeWith(
        Result {
          let (kind, identity) = try shown(values.serverHostname)
          purpose.kind = kind
          var override = NIOSSLContextConfigurationOverride()
          override.certificateChain = [.certificate(identity.certificate)]
          override.privateKey = .privateKey(identity.key)
          return override
        })
    }
    return try NIOSSLServerHandler(
      context: NIOSSLContext(configuration: configuration),
      customVerificationCallback: { chain, promise in
        purpose.wasNoProbe()
        verify { purpose.kind == .pairing || accepts($0) }(chain, promise)
      })
  }

  /// A handler for a connection to a device that pairs. `identity`: this side's ephemeral key.
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

  /// A handler for a dialled connection. `name`: the server name with this side's proof, if it can make one. `learned`
  /// is given the nonce of an ephemeral certificate, which is refused like any other that `accepts` does not know: this
  /// side's own certificate has not left then.
  static func client(
    _ identity: Identity, name: String?, learned: @escaping @Sendable ([UInt8]) -> Void,
    accepts: @escaping @Sendable (DeviceID) -> Bool
  ) throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = [.certificate(identity.certificate)]
    configuration.privateKey = .privateKey(identity.key)
    narrow(&configuration)
    return try NIOSSLClientHandler(
      context: NIOSSLContext(configuration: configuration), serverHostname: name,
      customVerificationCallback: { chain, promise in
        if let nonce = chain.first.flatMap(EphemeralCertificate.nonce(in:)) { learned(nonce) }
        verify(accepts)(chain, promise)
      })
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
