import Glibc

/// A directory in memory, for the targets that read files.
final class Scratch: Sendable {
  static let shared = Scratch()
  let path: String

  private init() {
    var template = Array("/dev/shm/segue-fuzz-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { fatalError("there is no folder for files") }
    path = String(cString: made)
    mkdir(path + "/segue", 0o700)
    mkdir(path + "/state", 0o700)
    atexit { Scratch.shared.remove() }
  }

  func write(_ name: String, _ bytes: [UInt8]) {
    let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
    if count != bytes.count { fatalError("\(name) cannot be written") }
  }

  func remove(_ name: String) { unlink(path + "/" + name) }

  /// Removes the directory with everything in it.
  private func remove() {
    for folder in ["/segue", "/state", "/door", "/data/applications", "/data", ""].map({ path + $0 }) {
      guard let list = opendir(folder) else { continue }
      while let entry = readdir(list) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink(folder + "/" + name)
      }
      closedir(list)
      rmdir(folder)
    }
  }
}
