import Glibc
import SegueCore

/// Small files that a command reads and writes whole.
enum TextFile {
  /// Nil where there is none.
  static func read(_ path: String) throws(SegueError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read", path)
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Limits.fileLength + 1)
    var count = 0
    while count < bytes.count {
      let some = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if some < 0, errno == EINTR { continue }
      guard some >= 0 else { throw failure("read", path) }
      if some == 0 { return Array(bytes[..<count]) }
      count += some
    }
    throw SegueError(
      .limitExceeded, "\(DisplayText.clean(path, maximum: 512)) is larger than \(Limits.fileLength) bytes.")
  }

  /// Writes a file that must not be there yet.
  static func create(_ path: String, _ text: String, mode: mode_t) throws(SegueError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { throw failure("write", path) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = failure("write", path)
        close(file)
        unlink(path)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0, close(file) == 0 else { throw failure("write", path) }
  }

  /// Writes a file, or another in its place, at once.
  static func replace(_ path: String, _ text: String, mode: mode_t) throws(SegueError) {
    let draft = path + ".new"
    unlink(draft)
    try create(draft, text, mode: mode)
    guard rename(draft, path) == 0 else {
      let error = failure("write", path)
      unlink(draft)
      throw error
    }
  }

  /// The names of what is in a folder; none where it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
      let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      if let name = String(validatingCString: name) { names.append(name) }
    }
    return names.sorted()
  }

  /// For who works in another folder.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  private static func failure(_ verb: String, _ path: String) -> SegueError {
    let reason = String(cString: strerror(errno))
    return SegueError(.system, "Could not \(verb) \(DisplayText.clean(path, maximum: 512)): \(reason).")
  }
}
