import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueState

/// Reads desktop files and service files, and says who vouches for each (security, section 4 and attack 43).
///
/// One reader serves one pass over the folders: it remembers what it found out about them.
final class DeclarationReader {
  /// The content of a file, as far as it concerns the registry.
  enum Outcome: Equatable {
    /// Not there, or none of Segue's business.
    case nothing
    /// Its bytes, and whether it is the administrator's. `isOurs`: it means Segue; any other is looked at only for
    /// whether it takes an application away, and what is wrong with it is its own desktop's business.
    case file([UInt8], isTrusted: Bool, isOurs: Bool)
    /// It would have been one of ours, and is not taken, for this reason.
    case rejected(String)
  }

  /// A directory, and whether files in it are accepted.
  struct Folder {
    let path: String
    let directory: RegistrySettings.DataDirectory
    /// Whether it is the administrator's, up to the root.
    let isTrusted: Bool
    /// Why no file in it is taken.
    let refusal: String?
  }

  private let settings: RegistrySettings
  let wanted: DesktopFile.Wanted
  private let buffer: UnsafeMutableRawBufferPointer
  private var folders: TextMap<Folder> = [:]
  /// The folder that was read from last. Its files are opened by it: by their paths the kernel would look up each
  /// element again.
  private var current: (path: String, descriptor: FileDescriptor?) = ("", nil)
  /// The identity of the file that was read last, as it was before; nil if a link led to the file, which changes without
  /// the link.
  private(set) var identity: FileIdentity?

  init(_ settings: RegistrySettings) {
    self.settings = settings
    wanted = DesktopFile.Wanted(locales: settings.locales)
    // One byte more than allowed tells a file that is too long.
    buffer = .allocate(byteCount: Limits.fileLength + 1, alignment: 16)
  }

  deinit { buffer.deallocate() }

  func folder(_ path: String, in directory: RegistrySettings.DataDirectory) -> Folder {
    if let folder = folders[path] { return folder }
    var isTrusted = false
    if directory.isSystem, case .trusted = administrators.follow(path) { isTrusted = true }
    let folder = Folder(path: path, directory: directory, isTrusted: isTrusted, refusal: Self.refusal(of: path))
    folders[path] = folder
    return folder
  }

  /// Why no file in a folder is taken.
  static func refusal(of folder: String) -> String? {
    var status = stat()
    guard stat(folder, &status) == 0 else { return "its folder cannot be looked at: \(systemMessage())" }
    return status.st_mode & S_IWOTH != 0 ? "its folder is writable by others" : nil
  }

  private func open(_ name: String, in folder: Folder, _ flags: Int32) -> FileDescriptor? {
    if !folder.path.isSame(as: current.path) {
      current = (folder.path, FileDescriptor(Glibc.open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    }
    guard let descriptor = current.descriptor?.raw else {
      return FileDescriptor(Glibc.open(folder.path + "/" + name, flags))
    }
    return FileDescriptor(openat(descriptor, name, flags))
  }

  /// Reads the file `name`. `isMarked`: only if it mentions Segue.
  func read(_ name: String, in folder: Folder, isMarked: Bool) -> Outcome {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    identity = nil
    guard let file = open(name, in: folder, flags | O_NOFOLLOW) else {
      switch errno {
      case ENOENT: return .nothing
      case ELOOP: return readLink(folder.path + "/" + name, in: folder, isMarked: isMarked, flags)
      default: return .rejected("cannot be opened: \(systemMessage())")
      }
    }
    guard let status = file.status else { return .rejected("cannot be read: \(systemMessage())") }
    identity = FileIdentity(status)
    return read(file, status, in: folder, isMarked: isMarked, trust: folder.isTrusted, maximumLinks: 1)
  }

  /// Follows a link where all of the way is the administrator's, as in Flatpak's exports, or leads from the exports of
  /// the user's own Flatpak installation into it. Other links of the user are not taken.
  private func readLink(_ path: String, in folder: Folder, isMarked: Bool, _ flags: Int32) -> Outcome {
    if folder.isTrusted, case .trusted(let target) = administrators.follow(path) {
      guard let file = FileDescriptor(Glibc.open(target, flags | O_NOFOLLOW)) else {
        return .rejected("is a link to a file that cannot be opened: \(systemMessage())")
      }
      return read(file, file.status, in: folder, isMarked: isMarked, trust: true, maximumLinks: 1)
    }
    if let installation = folder.directory.flatpakInstallation,
      case .trusted(let root) = owners.follow(installation), case .trusted(let target) = owners.follow(path),
      target.begins(with: root + "/"), let file = FileDescriptor(Glibc.open(target, flags | O_NOFOLLOW))
    {
      return read(file, file.status, in: folder, isMarked: isMarked, trust: false, maximumLinks: nlink_t.max)
    }
    // Any other link is rejected, but reported only if it means Segue. The look cannot hang: FIFOs and devices are not
    // opened, and a FIFO that replaces the file in between does not block it.
    var status = stat()
    guard stat(path, &status) == 0, FileKind(status) == .file, let file = FileDescriptor(Glibc.open(path, flags)),
      let count = file.fill(buffer)
    else { return isMarked ? .nothing : .rejected("is a link that leads to no file") }
    return !isMarked || contains(Self.mark, count) ? .rejected("is a symbolic link") : .nothing
  }

  private func read(
    _ file: FileDescriptor, _ status: stat?, in folder: Folder, isMarked: Bool, trust: Bool, maximumLinks: nlink_t
  ) -> Outcome {
    guard let status, FileKind(status) == .file else { return .rejected("is not a regular file") }
    // A file that is still growing is read only so far: its writer closes it later, which makes another event.
    let size = min(max(Int(status.st_size), 0), buffer.count)
    guard let count = file.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])) else {
      return .rejected("cannot be read: \(systemMessage())")
    }
    // A new file is empty for a moment; its writer's close tells again.
    guard count > 0 else { return .nothing }
    let isOurs = !isMarked || contains(Self.mark, count)
    guard isOurs || contains(Self.hiddenMark, count) else { return .nothing }
    if let reason = refusal(status, count, in: folder, trust: trust, maximumLinks: maximumLinks) {
      return isOurs ? .rejected(reason) : .nothing
    }
    return .file(Array(buffer[..<count]), isTrusted: trust && isAdministrators(status), isOurs: isOurs)
  }

  private func refusal(
    _ status: stat, _ count: Int, in folder: Folder, trust: Bool, maximumLinks: nlink_t
  ) -> String? {
    if count > Limits.fileLength { return "has more than \(Limits.fileLength) bytes" }
    if trust, isAdministrators(status) { return nil }
    if let refusal = folder.refusal { return refusal }
    if ![settings.trustedOwner, settings.user].contains(status.st_uid) { return "is another user's" }
    if Self.isWritable(status) { return "is writable by its group or by others" }
    if status.st_nlink > maximumLinks { return "is a hard link" }
    return nil
  }

  private func isAdministrators(_ status: stat) -> Bool {
    status.st_uid == settings.trustedOwner && !Self.isWritable(status)
  }

  private static func isWritable(_ status: stat) -> Bool { status.st_mode & (S_IWGRP | S_IWOTH) != 0 }

  /// Every desktop file that declares activity types contains the first text, every one that hides an application the
  /// second. Most files contain neither, and are not parsed.
  private static let mark = "X-Segue-"
  private static let hiddenMark = "Hidden"

  private func contains(_ mark: String, _ count: Int) -> Bool {
    segue_contains(buffer.baseAddress, count, mark) != 0
  }

  private var administrators: PathTrust {
    PathTrust(owners: [settings.trustedOwner], forbidden: S_IWGRP | S_IWOTH, boundary: settings.trustBoundary)
  }

  /// A user's own folders may be writable by the user's own group.
  private var owners: PathTrust {
    PathTrust(
      owners: [settings.trustedOwner, settings.user], forbidden: S_IWOTH, boundary: settings.trustBoundary)
  }
}
