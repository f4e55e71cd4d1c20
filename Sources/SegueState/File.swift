import Glibc
import SegueBus
import SegueCore

/// Small files by their paths, read and written as a whole. Every error names the file. Files that others must not
/// reach belong into a `StateFolder`.
public enum File {
  /// Reads a file; nil if there is none. Throws `limitExceeded` if it is too large, and `system`. A FIFO or a device
  /// does not block the call. With `asSettings`, it is refused: it would yield no settings in place of the intended
  /// ones. So is a dangling link, at the path or above it.
  public static func read(
    _ path: String, maximum: Int = Limits.fileLength, asSettings: Bool = false
  ) throws(SegueError) -> [UInt8]? {
    guard let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) else {
      guard errno == ENOENT || errno == ENOTDIR else { throw failure("read", path) }
      guard !asSettings || isNothing(path) else {
        throw SegueError(
          .invalidArgument, "\(shown(path)) leads to nothing that can be read.",
          advice: "Put the settings there, or remove it.")
      }
      return nil
    }
    guard !asSettings || file.kind == .file else {
      throw SegueError(
        .invalidArgument, "\(shown(path)) is not a regular file.", advice: "Put the settings there, or remove it.")
    }
    // One byte more than allowed is read, to detect a file that is too long.
    guard let bytes = file.bytes(maximum: maximum + 1) else { throw failure("read", path) }
    guard bytes.count <= maximum else {
      throw SegueError(.limitExceeded, "\(shown(path)) is larger than \(maximum) bytes.")
    }
    return bytes
  }

  /// Whether there is nothing at a path that could not be opened: then the nearest entry that exists above it is a
  /// directory.
  private static func isNothing(_ path: String) -> Bool {
    var info = stat()
    var nearest = path
    while !nearest.isEmpty, lstat(nearest, &info) != 0 {
      nearest = nearest.pathParts?.folder ?? ""
    }
    return nearest.isEmpty || !nearest.isSame(as: path) && stat(nearest, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }

  /// The first bytes of a file, as many as there are; for files of the kernel. Nil if the file cannot be read.
  public static func beginning(of path: String, maximum: Int) -> [UInt8]? {
    FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))?.bytes(maximum: maximum)
  }

  /// Writes a new file, through to the disk. Throws `system`, also if the file exists; no file is left then.
  public static func create(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(SegueError) {
    guard let file = FileDescriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)) else {
      throw failure("write", path)
    }
    guard file.put(bytes), fsync(file.raw) == 0, close(file.take()) == 0 else {
      let error = failure("write", path)
      unlink(path)
      throw error
    }
  }

  /// Writes a file atomically, or replaces it: a crash leaves the old or the new file. Throws `system`; the old file is
  /// then unchanged.
  public static func replace(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(SegueError) {
    let draft = path + ".new"
    unlink(draft)
    try create(draft, bytes, mode: mode)
    guard rename(draft, path) == 0 else {
      let error = failure("write", path)
      unlink(draft)
      throw error
    }
  }

  /// Makes the missing directories above a path, for this user alone (XDG Base Directory Specification).
  public static func makeParents(of path: String) throws(SegueError) {
    var parent = ""
    for name in path.parts(at: "/").dropLast() {
      parent += "/" + name
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
        throw SegueError(.system, "The folder \(parent) cannot be made.", advice: "Make it, or set XDG_STATE_HOME.")
      }
    }
  }

  /// The names of a directory's entries, sorted; none if it cannot be read.
  public static func names(in folder: String) -> [String] {
    var names: [String] = []
    eachName(in: folder) { name in
      if let name = String(validatingCString: name) { names.append(name) }
    }
    return names.sorted()
  }

  /// The first `count` of the names that end in `suffix`, in order. Of many thousands few are put in order.
  public static func names(in folder: String, endingIn suffix: String, first count: Int) -> [String] {
    guard count > 0 else { return [] }
    var names: [String] = []
    // Names from this one on are not among the first.
    var bound: ContiguousArray<CChar>?
    func cut() {
      // By bytes, as the bound is compared.
      names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      if names.count > count { names.removeLast(names.count - count) }
      if names.count == count { bound = names.last?.utf8CString }
    }
    eachName(in: folder) { name in
      let length = strlen(name)
      guard length >= suffix.utf8.count, strcmp(name + length - suffix.utf8.count, suffix) == 0,
        isBefore(name, bound), let name = String(validatingCString: name)
      else { return }
      names.append(name)
      if names.count >= 2 * count { cut() }
    }
    cut()
    return names
  }

  private static func isBefore(_ name: UnsafePointer<CChar>, _ bound: ContiguousArray<CChar>?) -> Bool {
    bound?.withUnsafeBufferPointer { bound in bound.baseAddress.map { strcmp(name, $0) < 0 } ?? true } ?? true
  }

  private static func eachName(in folder: String, _ body: (UnsafePointer<CChar>) -> Void) {
    guard let directory = opendir(folder), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      // The name is read in place: an entry has no more bytes than it needs.
      body(UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
    }
  }

  /// The error of the last failed call: its purpose, and errno's text.
  static func failure(_ verb: String, _ path: String) -> SegueError {
    let reason = systemMessage()
    return SegueError(.system, "Could not \(verb) \(shown(path)): \(reason).")
  }

  private static func shown(_ path: String) -> String { DisplayText.clean(path, maximum: Int(PATH_MAX)) }
}
