import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The file in the user's cache directory in which the daemon keeps what it has read of declarations.
struct DeclarationCacheFile {
  let path: String
  /// The build of the program, the folders, the languages and the user for which the content was made. A cache for others
  /// counts as none.
  let key: [UInt8]

  /// `folder`: the cache directory.
  init(in folder: String, _ settings: RegistrySettings) {
    path = folder + "/applications"
    var words = ["\(settings.user)", "\(settings.trustedOwner)", settings.trustBoundary]
    words += settings.directories.map { ($0.isSystem ? "s" : "u") + $0.path }
    words += settings.locales.map { "l" + $0 }
    var program = stat()
    if stat("/proc/self/exe", &program) == 0 {
      words.append("\(program.st_dev) \(program.st_ino) \(program.st_size) \(FileIdentity(program).changed)")
    }
    key = Array(words.joined(separator: "\0").utf8)
  }

  /// Reads the cache. Nil where there is none, or any doubt about it: it is another user's, or others may write to it or
  /// to its folder, or it is of a time to come, or malformed. Then all files are read, as without it.
  func read(at now: Int64) -> DeclarationCache? {
    guard let folder = path.pathParts?.folder,
      let directory = FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      let place = directory.status, Self.isOurs(place),
      let file = FileDescriptor(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
      let status = file.status, FileKind(status) == .file, Self.isOurs(status), status.st_nlink == 1,
      status.st_size > 0, status.st_size <= Limits.declarationCacheLength, FileIdentity(status).modified <= now
    else { return nil }
    let length = Int(status.st_size)
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      count = file.fill(UnsafeMutableRawBufferPointer(buffer)) ?? 0
      isWhole = count == length
    }
    return isWhole ? DeclarationCache(bytes, key: key) : nil
  }

  private static func isOurs(_ status: stat) -> Bool {
    status.st_uid == getuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  /// Replaces what is there. Blocks.
  func write(_ content: RegistryStart.Content) throws(SegueError) {
    guard let bytes = content.bytes(key: key) else { return }
    try File.makeParents(of: path)
    try File.replace(path, bytes)
  }
}

/// The time, as files have it.
public func fileTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return FileIdentity.nanoseconds(time)
}
