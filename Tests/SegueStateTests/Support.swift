import Crypto
import SegueCore
import SegueState

extension StateFolder {
  /// Opens the directory as the daemon does.
  convenience init(_ path: String) throws(SegueError) {
    try self.init(path) { Array(SHA256.hash(data: $0)) }
  }
}

extension DeviceID {
  /// A device that no test has seen before.
  static func some() -> DeviceID {
    DeviceID(hash: (0..<32).map { _ in .random(in: 0...255) }, check: [1, 2, 3, 4])
  }
}

/// The code of the error that `body` throws; nil if it throws none.
func code(_ body: () throws -> some Any) -> SegueError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? SegueError)?.code
  }
}
