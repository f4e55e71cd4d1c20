import Crypto
import SegueCore
import SegueState

extension StateFolder {
  /// Opens the folder as `init(_:sha256:)` does, which needs somebody who can hash.
  public convenience init(_ path: String) throws(SegueError) {
    try self.init(path) { Array(SHA256.hash(data: $0)) }
  }
}
