import Glibc
import SegueCore

/// A process outside of all sandboxes, described while it was known to live.
public struct HostProcess: Equatable, Sendable {
  /// The identity of a file, whatever its path.
  public struct FileID: Equatable, Sendable {
    /// The device that the file is on.
    public var device: UInt64
    /// The file's number there.
    public var inode: UInt64

    /// A file by its two numbers.
    public init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }

    init(_ status: stat) { self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }

    /// The file at a path, its links followed.
    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  /// The process's number.
  public var pid: Int32
  /// The path of its executable, nil where the kernel does not tell.
  public var executable: String?
  /// The executable itself; nil if it was deleted, as by an update.
  public var file: FileID?
  /// Its command line, as the process itself says.
  public var arguments: [String]

  /// A process with those properties.
  public init(pid: Int32, executable: String? = nil, file: FileID? = nil, arguments: [String] = []) {
    self.pid = pid
    self.executable = executable
    self.file = file
    self.arguments = arguments
  }

  /// Reads what the kernel says of a process in its folder of /proc.
  init(pid: Int32, _ folder: ProcessFolder) {
    let link = folder.target(of: "exe")
    let deleted = " (deleted)"
    let former = link?.rest(before: deleted)
    self.init(
      pid: pid, executable: former ?? link,
      file: former != nil || link == nil ? nil : folder.file(behind: "exe"),
      arguments: Self.arguments(folder.bytes("cmdline") ?? []))
  }

  /// The words between the NULs. A word that is not UTF-8 becomes an empty one, which keeps its place and equals no
  /// path.
  private static func arguments(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(validating: $0, as: UTF8.self) ?? "" }
  }
}
