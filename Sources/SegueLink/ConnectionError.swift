import Glibc
import NIOCore
import NIOSSL
import SegueCore

/// Why a connection failed, in a sentence for a person: the libraries' own messages name functions and source files.
enum ConnectionError {
  static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as SegueError: error.message
    case NIOSSLError.handshakeFailed:
      "no link was made; the key that was shown is not that of a paired device, or TLS 1.3 is not spoken"
    case NIOSSLError.uncleanShutdown:
      "the other side went away"
    case let error as BoringSSLError where "\(error)".contains("CERTIFICATE"):
      "the other device does not accept this device's key; add this device there too"
    case is BoringSSLError:
      "the other side does not speak TLS 1.3 as Segue does"
    case let error as IOError:
      error.localizedReason
    case is ChannelError:
      "the connection was not made"
    default:
      "\(error)"
    }
  }
}

extension IOError {
  /// The system's own message, without the function that failed.
  fileprivate var localizedReason: String { String(cString: strerror(errnoCode)) }
}
