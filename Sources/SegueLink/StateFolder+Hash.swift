import Crypto
import SegueCore
import SegueState

extension StateFolder {
  /// Opens the directory as `init(_:sha256:)` does, with the hash function that this needs.
  public convenience init(_ path: String) throws(SegueError) {
    try self.init(path) { Array(SHA256.hash(data: $0)) }
  }
}
