import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// A container's directory, and the items below it.
struct ContainerFolder {
  private let descriptor: FileDescriptor

  /// Nil, with errno, if the folder is not there.
  init?(_ container: Container) {
    guard let descriptor = FileDescriptor(segue_find_folder(container.path)) else { return nil }
    self.descriptor = descriptor
  }

  enum Item {
    /// A file or a folder.
    case there
    /// No item, or a file where a directory should be.
    case missing
    /// Another kind of item, or one that cannot be opened. The reason follows "… cannot be opened: ".
    case refused(String)
  }

  /// The item at a path. The look-up never leaves the directory, and follows no symbolic link (security attack 28).
  func item(_ path: ContainerPath) -> Item {
    guard let found = find(path.string) else {
      switch errno {
      case ENOENT, ENOTDIR: return .missing
      case ELOOP: return .refused("a symbolic link is on its way, and none is followed")
      case EXDEV: return .refused("its path leads out of the folder")
      case ENOSYS, EPERM: return .refused("the system lacks openat2; Linux 5.6 or newer is needed")
      case let code: return .refused(systemMessage(code))
      }
    }
    guard let kind = found.kind else { return .refused(systemMessage()) }
    return kind == .file || kind == .folder ? .there : .refused("it is neither a file nor a folder")
  }

  /// The path with the names that its items have on this device. If no item has the given name, but one has the same
  /// text in other scalars (such as a letter and its accent), that item is meant: systems differ in which scalars they
  /// write.
  func here(_ path: ContainerPath) -> ContainerPath {
    guard path.string.utf8.contains(where: { $0 >= 0x80 }), case .missing = item(path) else { return path }
    var way = ""
    for element in path.elements {
      let start = way.isEmpty ? "" : way + "/"
      way = start + (find(start + element) == nil ? other(element, in: way) ?? element : element)
    }
    return ContainerPath(way) ?? path
  }

  /// The one entry of a directory whose name is the same text; nil if there is none, or several.
  private func other(_ name: String, in way: String) -> String? {
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    guard let folder = way.isEmpty ? descriptor : find(way) else { return nil }
    // Canonical equivalence, which is Swift's own.
    let same = File.names(in: "/proc/self/fd/\(folder.raw)").filter { $0 == name }
    return same.count == 1 ? same.first : nil
  }

  /// Watches the directory, and the directories of a path below it as far as they exist. Calls `watched` for each with
  /// the number of the watch and the name that is looked for in it. A directory that cannot be watched is left out: the
  /// caller looks again from time to time.
  func watch(_ path: ContainerPath, _ inotify: Int32, _ watched: (Int32, String) -> Void) {
    var way = ""
    for name in path.elements {
      let number: Int32
      if way.isEmpty {
        number = watch(descriptor, inotify)
      } else {
        guard let folder = find(way) else { return }
        number = watch(folder, inotify)
      }
      if number >= 0 { watched(number, name) }
      way += way.isEmpty ? name : "/" + name
    }
  }

  /// By way of /proc, since a watch takes a path, and that of a descriptor cannot lead elsewhere by now.
  private func watch(_ folder: FileDescriptor, _ inotify: Int32) -> Int32 {
    inotify_add_watch(inotify, "/proc/self/fd/\(folder.raw)", Self.mask)
  }

  private static let mask =
    UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB)
    | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// Nil, with errno, if the item cannot be found. Tries again if a rename kept the kernel from deciding.
  private func find(_ path: String) -> FileDescriptor? {
    for _ in 0..<16 {
      if let found = FileDescriptor(segue_find_beneath(descriptor.raw, path)) { return found }
      guard errno == EAGAIN || errno == EINTR else { return nil }
    }
    return nil
  }
}
