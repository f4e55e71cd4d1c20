import Crypto
import SegueCore

/// The key pair of a team, as its owner keeps it in a file of their own.
public struct TeamKey {
  let key: Curve25519.Signing.PrivateKey

  /// A new one.
  public init() { key = Curve25519.Signing.PrivateKey() }

  /// The Ed25519 public key, 32 bytes.
  public var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

  /// The team that begins with this key.
  public var team: String { TeamManifest.team(of: publicKey) }

  private static let group = "Team Key"

  /// Reads the file of `text`. Throws `invalidArgument`.
  public init(_ bytes: [UInt8]) throws(SegueError) {
    let file = try KeyFile(bytes)
    guard let secret = try file.string(Self.group, "Private").flatMap({ Base32.bytes($0) }),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
    else { throw SegueError(.invalidArgument, "The file holds no team key.", advice: "Make one with: segue team new") }
    self.key = key
  }

  /// The file. Everybody who can read it can sign for the team.
  public var text: String {
    """
    # The private key of a Segue team. Keep it to yourself; keep a copy of it.
    [\(Self.group)]
    Private=\(Base32.text(Array(key.rawRepresentation)))
    Public=\(Base32.text(publicKey))

    """
  }

  func sign(_ bytes: [UInt8]) throws(SegueError) -> [UInt8] {
    do { return Array(try key.signature(for: bytes)) } catch {
      throw SegueError(.system, "The key cannot sign: \(error).")
    }
  }
}

/// Whether an Ed25519 key has signed these bytes.
func isSigned(_ bytes: [UInt8], by key: [UInt8], _ signature: [UInt8]) -> Bool {
  guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
  return key.isValidSignature(signature, for: bytes)
}
