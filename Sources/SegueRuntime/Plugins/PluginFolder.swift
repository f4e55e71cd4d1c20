import CLinux
import SegueBus
import SegueCore

/// A directory from which plugins may be loaded.
struct PluginFolder {
  let path: String
  let owners: PluginOwners

  /// A directory on the path, or a file.
  struct Item {
    let path: String
    let descriptor: FileDescriptor
    let status: stat
  }

  /// Opens the directory, one step after the other from the root. Links on the path are followed, as /lib to usr/lib;
  /// but only an owner may be able to change each directory and each link on it, so that the path stays as it was
  /// checked.
  func open() throws(SegueError) -> Item {
    let root = try Self.item("/", segue_find_folder("/"))
    try owners.check(root.status, root.path, isSticky: true)
    var way = [root]
    var folder = root
    var names = Self.names(path)
    var links = 0
    while let name = names.popLast() {
      if name == "." { continue }
      if name == ".." {
        if way.count > 1 { way.removeLast() }
        folder = way.last ?? root
        continue
      }
      let path = (folder.path == "/" ? "/" : folder.path + "/") + name
      let item = try Self.item(path, segue_find_element(folder.descriptor.raw, name))
      switch item.status.kind {
      case S_IFDIR:
        try owners.check(item.status, path, isSticky: true)
        way.append(item)
        folder = item
      case S_IFLNK:
        try owners.check(item.status, path)
        links += 1
        guard links <= Limits.pluginLinks else { throw Self.failure(path, ELOOP, "is a link that leads nowhere") }
        let target = try Self.target(of: item)
        if target.begins(with: "/") {
          way = [root]
          folder = root
        }
        names += Self.names(target)
      default: throw Self.failure(path, ENOTDIR)
      }
    }
    // In a directory like /tmp others could make a second name for a file that is root's.
    try owners.check(folder.status, folder.path)
    return folder
  }

  /// Opens a file in the directory, which `open` gave.
  func file(_ name: String, in folder: Item) throws(SegueError) -> Item {
    let path = folder.path + "/" + name
    let item = try Self.item(path, segue_find_element(folder.descriptor.raw, name))
    guard item.status.kind == S_IFREG else { throw Self.failure(path, item.status.kind == S_IFLNK ? ELOOP : ENXIO) }
    try owners.check(item.status, path)
    return try Self.item(path, segue_open_found(item.descriptor.raw))
  }

  /// The elements of a path, the last one first.
  private static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String($0) ?? "" }
  }

  private static func item(_ path: String, _ descriptor: Int32) throws(SegueError) -> Item {
    guard descriptor >= 0 else { throw failure(path, segue_errno()) }
    let owner = FileDescriptor(owning: descriptor)
    guard let status = owner.status else { throw failure(path, segue_errno()) }
    return Item(path: path, descriptor: owner, status: status)
  }

  private static func target(of link: Item) throws(SegueError) -> String {
    var bytes = [UInt8](repeating: 0, count: Limits.pathLength &+ 1)
    let count = bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      return readlinkat(link.descriptor.raw, "", start.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    guard count > 0, count <= Limits.pathLength, let target = TextCheck.string(Array(bytes[..<count])) else {
      throw failure(link.path, ENOENT, "is a link that leads nowhere")
    }
    return target
  }

  /// The error for a file or directory that cannot be opened, by the system's errno.
  static func failure(_ path: String, _ code: Int32, _ what: String? = nil) -> SegueError {
    let path = DisplayText.clean(path, maximum: Limits.pathLength)
    func error(_ code: SegueError.Code, _ usual: String, advice: String = "") -> SegueError {
      SegueError(code, "\(path) \(what ?? usual)", advice: advice)
    }
    switch code {
    case ENOENT: return error(.notFound, "does not exist")
    case ENOTDIR: return error(.notFound, "is not a folder")
    case ENAMETOOLONG: return error(.invalidArgument, "is too long a name")
    case ELOOP:
      return error(.accessDenied, "is a symbolic link, which is not followed", advice: "Install the file itself there.")
    // A folder, a FIFO, a socket or a device.
    case ENXIO:
      return error(.accessDenied, "is not a regular file", advice: "Install the file itself there.")
    case EACCES, EPERM: return error(.accessDenied, "cannot be opened: \(String(cString: strerror(code)))")
    default: return error(.system, "cannot be opened: \(String(cString: strerror(code)))")
    }
  }
}
