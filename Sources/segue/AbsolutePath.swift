import Glibc
import SegueCore

/// Paths for a process that works in another directory than this one.
enum AbsolutePath {
  /// A path as it is meant here.
  static func of(_ path: String) -> String {
    guard !path.begins(with: "/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }
}
