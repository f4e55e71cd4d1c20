import Glibc
import SegueCore
import SegueEngine
import SegueState

/// The entries of a folder.
struct FolderListing {
  struct Entry {
    let name: String
    let isFolder: Bool
  }

  /// Where a name is in the bytes, and what it names.
  private struct Place {
    let start: Int
    let length: Int
    let isFolder: Bool
  }

  private var bytes: [CChar] = []
  private var places: [Place] = []

  /// The folders, and the entries whose names end in `suffix`; none if the folder cannot be read. Names that are not
  /// UTF-8 are no application ids and are left out, and so are files of which nothing has to be known, as `known` says of
  /// each name and what the kernel says of its file. It is asked for when the names are read; nil: nothing is known.
  static func entries(
    of path: String, suffix: String, known: () -> ((UnsafeRawBufferPointer, FileIdentity) -> Bool)? = { nil }
  ) -> [Entry] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    let listing = FolderListing(folder, path, suffix)
    var entries: [Entry] = []
    func add(_ place: Place) {
      guard let name = listing.withName(place, { String(validating: $0, as: UTF8.self) }) else { return }
      entries.append(Entry(name: name, isFolder: place.isFolder))
    }
    guard let isKnown = known() else {
      listing.places.forEach(add)
      return entries
    }
    listing.askKernel(dirfd(folder)) { place, identity in
      if let identity, listing.withName(place, { isKnown($0, identity) }) { return }
      add(place)
    }
    return entries
  }

  private init(_ folder: OpaquePointer, _ path: String, _ suffix: String) {
    while let entry = readdir(folder) {
      // The name is read in place: an entry has no more bytes than it needs.
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
      let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      let isFolder = Self.isFolder(entry.pointee.d_type, path, name)
      let length = strlen(name)
      let hasSuffix =
        length > suffix.utf8.count && memcmp(name + length - suffix.utf8.count, suffix, suffix.utf8.count) == 0
      guard isFolder || hasSuffix, strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { continue }
      places.append(Place(start: bytes.count, length: length, isFolder: isFolder))
      bytes.append(contentsOf: UnsafeBufferPointer(start: name, count: length + 1))
    }
  }

  /// Says of each place, in order, what the kernel says of the file; nil for a folder, and for what is gone. The files
  /// are not opened, and links are not followed. Several threads ask, since each question takes the kernel a moment.
  private func askKernel(_ folder: Int32, _ told: (Place, FileIdentity?) -> Void) {
    let pieces = stride(from: 0, to: places.count, by: Limits.declarationsPerTurn).map {
      $0..<min($0 + Limits.declarationsPerTurn, places.count)
    }
    let listing = self
    var number = 0
    WorkQueue.inOrder(
      pieces, "segue-reading", threads: Limits.readingThreads, prepare: Confinement.enter,
      { piece in piece.map { listing.identity(listing.places[$0], in: folder) } }
    ) { identities in
      for identity in identities {
        told(places[number], identity)
        number += 1
      }
    }
  }

  private func identity(_ place: Place, in folder: Int32) -> FileIdentity? {
    guard !place.isFolder else { return nil }
    return withName(place) { name in
      guard let name = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
      var status = stat()
      return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? FileIdentity(status) : nil
    }
  }

  /// The name, with a NUL behind it.
  private func withName<T>(_ place: Place, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[place.start..<place.start + place.length])) }
  }

  private static func isFolder(_ type: UInt8, _ path: String, _ name: UnsafePointer<CChar>) -> Bool {
    guard Int(type) == Int(DT_UNKNOWN) else { return Int(type) == Int(DT_DIR) }
    var status = stat()
    return fstatat(AT_FDCWD, path + "/" + String(cString: name), &status, AT_SYMLINK_NOFOLLOW) == 0
      && FileKind(status) == .folder
  }
}
