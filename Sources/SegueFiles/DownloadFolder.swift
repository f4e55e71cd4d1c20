import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueState

/// The user's folder for downloads. Files in it stay as they are, and a new one has its name there when it is whole,
/// and not before.
struct DownloadFolder: Sendable {
  let path: String

  /// The folder that the user's `user-dirs.dirs` names, else `Downloads` (xdg-user-dirs).
  static func current() throws(SegueError) -> DownloadFolder {
    guard let home = environment("HOME"), home.begins(with: "/") else {
      throw SegueError(.system, "HOME is not set, so there is no folder for downloads.")
    }
    let settings = (environment("XDG_CONFIG_HOME") ?? home + "/.config") + "/user-dirs.dirs"
    let text = (try? File.read(settings)).map { String(decoding: $0, as: UTF8.self) }
    return DownloadFolder(path: path(text ?? "", home: home))
  }

  /// `text`: that of `user-dirs.dirs`, lines of a shell: `XDG_DOWNLOAD_DIR="$HOME/Downloads"`. The last one counts.
  static func path(_ text: String, home: String) -> String {
    var path = home + "/Downloads"
    for line in text.parts(at: "\n") {
      let line = String(decoding: line.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }, as: UTF8.self)
      guard let quoted = line.rest(after: "XDG_DOWNLOAD_DIR=\"")?.rest(before: "\"") else { continue }
      let value = unescaped(quoted)
      if value.isSame(as: "$HOME") || value.isSame(as: "$HOME/") {
        path = home
      } else if let rest = value.rest(after: "$HOME/") {
        path = home + "/" + rest
      } else if value.begins(with: "/") {
        path = value
      }
    }
    return path
  }

  private static func unescaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(scalar)
        isEscaped = false
      }
    }
    return String(result)
  }

  // MARK: Files

  /// Puts the file at `source` there, under the first name that is free, and returns its path. `isCopy`: it is ours, and
  /// is moved. Blocks on the disk. Throws `limitExceeded` where the disk is full, `system`.
  func put(_ source: String, as name: FileName, isCopy: Bool) throws(SegueError) -> String {
    try make(path)
    guard let folder = FileDescriptor(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else { throw failure("opened") }
    // The daemon gives each copy a directory, which is of no use without it.
    defer { if isCopy, let own = source.pathParts?.folder { rmdir(own) } }
    if isCopy, let placed = try place(source, in: AT_FDCWD, folder, name) { return path + "/" + placed }
    let part = ".segue-\(Identifier.random().hex).part"
    defer { unlinkat(folder.raw, part, 0) }
    try copy(source, folder, part)
    guard let placed = try place(part, in: folder.raw, folder, name) else { throw failure("written to") }
    if isCopy { unlink(source) }
    return path + "/" + placed
  }

  private func failure(_ what: String, _ number: Int32 = errno) -> SegueError {
    let reason = String(cString: strerror(number))
    if number == ENOSPC || number == EDQUOT {
      return SegueError(.limitExceeded, "The disk of \(path) is full.", advice: "Make room, and have it sent again.")
    }
    return SegueError(.system, "The folder \(path) cannot be \(what): \(reason).")
  }

  /// Makes the folder, and those above it.
  private func make(_ path: String) throws(SegueError) {
    guard mkdir(path, 0o755) != 0, errno == ENOENT, let parent = path.pathParts?.folder, !parent.isEmpty else { return }
    try make(parent)
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure("made") }
  }

  /// Gives a file in the folder `from` the first name that is free. Nil where it cannot be renamed so from there.
  private func place(
    _ file: String, in from: Int32, _ folder: FileDescriptor, _ name: FileName
  ) throws(SegueError) -> String? {
    for number in 1...Limits.fileNumber {
      let candidate = name.numbered(number)
      if segue_rename_new(from, file, folder.raw, candidate) == 0 { return candidate }
      switch errno {
      case EEXIST: continue
      case EXDEV: return nil
      case ENOENT: throw Self.gone
      // A file system without this kind of renaming.
      case EINVAL, ENOSYS:
        if linkat(from, file, folder.raw, candidate, 0) == 0 {
          unlinkat(from, file, 0)
          return candidate
        }
        if errno == EEXIST { continue }
        if errno == EXDEV { return nil }
        guard let taken = try take(candidate, folder) else { continue }
        guard taken, renameat(from, file, folder.raw, candidate) == 0 else {
          let error = failure("written to")
          unlinkat(folder.raw, candidate, 0)
          throw error
        }
        return candidate
      default: throw failure("written to")
      }
    }
    throw SegueError(.limitExceeded, "The folder \(path) has too many files of the name \(name.string).")
  }

  /// Takes a name with an empty file; nil where another one has it.
  private func take(_ name: String, _ folder: FileDescriptor) throws(SegueError) -> Bool? {
    guard folder.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) != nil else {
      if errno == EEXIST { return nil }
      throw failure("written to")
    }
    return true
  }

  private static let gone = SegueError(.notFound, "The file that came is not there any more.")

  private func copy(_ source: String, _ folder: FileDescriptor, _ part: String) throws(SegueError) {
    guard let found = FileDescriptor(segue_find_element(AT_FDCWD, source)), let status = found.status,
      status.st_mode & S_IFMT == S_IFREG, let input = FileDescriptor(segue_open_found(found.raw))
    else { throw Self.gone }
    guard let output = folder.open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600) else {
      throw failure("written to")
    }
    while true {
      guard let bytes = input.bytes(maximum: Limits.fileChunk) else {
        throw SegueError(.system, "The file that came cannot be read: \(String(cString: strerror(errno))).")
      }
      if bytes.isEmpty { break }
      guard output.put(bytes) else { throw failure("written to") }
    }
    guard fsync(output.raw) == 0 else { throw failure("written to") }
  }
}
