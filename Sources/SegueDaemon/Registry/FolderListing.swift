import Glibc
import SegueState

/// The entries of a folder.
enum FolderListing {
  struct Entry {
    let name: String
    let isFolder: Bool
  }

  /// A name in a folder that is being read, before anything is made of it.
  struct Name {
    /// The open folder.
    let folder: Int32
    let bytes: UnsafeRawBufferPointer

    /// The entry's status. The entry is not opened, and a link is not followed.
    var status: stat? {
      guard let name = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
      var status = stat()
      return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }
  }

  /// The folders, and the entries whose names end in `suffix`; none if the folder cannot be read. Names that are not
  /// UTF-8 are no application ids and are left out, and so are files of which nothing has to be known, as `isKnown`
  /// says.
  static func entries(of path: String, suffix: String, isKnown: (Name) -> Bool = { _ in false }) -> [Entry] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var entries: [Entry] = []
    while let entry = readdir(folder) {
      // The name is read in place: an entry has no more bytes than it needs.
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
      let bytes = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      let isFolder = isFolder(entry.pointee.d_type, path, bytes)
      let length = strlen(bytes)
      let hasSuffix =
        length > suffix.utf8.count && memcmp(bytes + length - suffix.utf8.count, suffix, suffix.utf8.count) == 0
      guard isFolder || hasSuffix, strcmp(bytes, ".") != 0, strcmp(bytes, "..") != 0,
        isFolder || !isKnown(Name(folder: dirfd(folder), bytes: UnsafeRawBufferPointer(start: bytes, count: length))),
        let name = String(validatingCString: bytes)
      else { continue }
      entries.append(Entry(name: name, isFolder: isFolder))
    }
    return entries
  }

  private static func isFolder(_ type: UInt8, _ path: String, _ name: UnsafePointer<CChar>) -> Bool {
    guard Int(type) == Int(DT_UNKNOWN) else { return Int(type) == Int(DT_DIR) }
    var status = stat()
    return fstatat(AT_FDCWD, path + "/" + String(cString: name), &status, AT_SYMLINK_NOFOLLOW) == 0
      && FileKind(status) == .folder
  }
}
