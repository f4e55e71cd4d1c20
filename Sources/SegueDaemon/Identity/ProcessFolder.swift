import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// The directory of a process in the kernel's /proc. It is looked up once; what is read afterwards is of the same process, or
/// of none where that has ended.
struct ProcessFolder {
  private let folder: FileDescriptor?

  init(of process: Int32, proc: String = "/proc") {
    folder = FileDescriptor(Glibc.open("\(proc)/\(process)", Self.pathOnly | O_DIRECTORY | O_CLOEXEC))
  }

  /// The root folder that the process has. Nil, with errno, if it cannot be seen.
  func root() -> FileDescriptor? { folder?.open("root", O_DIRECTORY | Self.pathOnly) }

  /// The bytes of a file in the directory; nil if it cannot be read.
  func bytes(_ name: String) -> [UInt8]? {
    folder?.open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)?.bytes(maximum: Limits.processFileLength)
  }

  /// Where a link of the directory leads, as it is written.
  func target(of link: String) -> String? {
    guard let folder else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlinkat(folder.raw, link, start, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(validating: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
    }
  }

  /// The file to which a link of the directory leads.
  func file(behind link: String) -> HostProcess.FileID? {
    var status = stat()
    guard let folder, fstatat(folder.raw, link, &status, 0) == 0 else { return nil }
    return HostProcess.FileID(status)
  }

  func status() -> ProcessStatus? { bytes("stat").flatMap { ProcessStatus($0) } }

  /// The line about the application's unit that the process lives in; nil where it has none of its own.
  func unit() -> String? {
    guard let bytes = bytes("cgroup"), bytes.withUnsafeBytes({ segue_contains($0.baseAddress, $0.count, "/app-") }) != 0
    else { return nil }
    return String(decoding: bytes, as: UTF8.self).parts(at: "\n").first { line in
      line.begins(with: "0::") && line.parts(at: "/").contains { $0.begins(with: "app-") }
    }
  }

  /// The processes above a process, the nearest first; so many at most.
  static func ancestors(of process: Int32, proc: String = "/proc") -> [Int32] {
    var found: [Int32] = []
    var process = process
    while found.count < Limits.processAncestors {
      guard let parent = ProcessFolder(of: process, proc: proc).status()?.parent, parent > 1 else { break }
      found.append(parent)
      process = parent
    }
    return found
  }

  /// O_PATH, which stands behind _GNU_SOURCE.
  static let pathOnly: Int32 = 0o10000000
}

extension DoorSlots.Holder {
  /// A process, with the processes that share its limited resources: those of the application's unit, where the desktop
  /// starts each application in a unit of its own (systemd's convention for desktops). Other units hold a whole
  /// session; there the processes that one process has started share.
  init(process: Int32, _ folder: ProcessFolder, _ status: ProcessStatus?) {
    self.init(
      process: process, group: folder.unit() ?? "started by \(status?.parent.map { String($0) } ?? "nobody")")
  }
}
