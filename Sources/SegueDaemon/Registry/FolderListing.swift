import Glibc
import SegueState

/// The entries of a folder.
enum FolderListing {
  struct Entry {
    let name: String
    let isFolder: Bool
  }

  /// The folders, and the entries whose names end in `suffix`; none if the folder cannot be read. Names that are not
  /// UTF-8 are no application ids and are left out.
  static func entries(of path: String, suffix: String) -> [Entry] {
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
