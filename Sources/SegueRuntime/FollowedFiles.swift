import CLinux
import SegueBus
import SegueCore

/// Follows the files of open documents that other programs rename or move (semantics R7): a part of the application.
///
/// The kernel reports changes by inotify(7) on a descriptor in the application's loop; until then this reads no file.
/// It reports that a file has gone from its name, and not where to: so each file is held by a descriptor that only
/// names it (O_PATH), for which the kernel knows the path at any time.
final class FollowedFiles {
  private final class Entry {
    unowned(unsafe) let document: Document
    let url: FileURL
    /// The file; -1 while there is none of that name.
    var file: Int32 = -1
    var watches: [Int32] = []
    /// Whether the file, or a directory above it, has changed.
    var isDoubted = false

    init(_ document: Document, _ url: FileURL) {
      self.document = document
      self.url = url
    }
  }

  private unowned(unsafe) let application: Application
  /// The entries, by the document's number.
  private var entries: [UInt64: Entry] = [:]
  /// How many entries share each watch of the kernel.
  private var uses: [Int32: Int] = [:]
  private var inotify: Int32 = -1
  private var watch: LoopWatch?
  private var timer: LoopTimer?
  private var hasComplained = false

  init(_ application: Application) { self.application = application }

  // MARK: Documents

  /// Starts to follow the document's file, or follows another one in its place, or none.
  func follow(_ document: Document) {
    forget(document)
    guard let url = document.url, !document.isClosed, !application.isClosed else { return }
    guard entries.count < Limits.followedDocuments, begin() else { return complain() }
    let entry = Entry(document, url)
    entries[document.number] = entry
    look(after: entry)
  }

  func forget(_ document: Document) {
    guard let entry = entries.removeValue(forKey: document.number) else { return }
    letGo(entry)
  }

  func close() {
    for entry in entries.values { letGo(entry) }
    entries = [:]
    timer?.cancel()
    timer = nil
    watch?.cancel()
    watch = nil
    if inotify >= 0 { _ = CLinux.close(inotify) }
    inotify = -1
  }

  private func complain() {
    guard !hasComplained else { return }
    hasComplained = true
    application.log(
      "not every open document is followed where its file is renamed: there are more than "
        + "\(Limits.followedDocuments), or the system has no watch left (fs.inotify.max_user_instances)")
  }

  // MARK: The kernel's watches

  private static let folderMask = UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
  private static let fileMask = UInt32(IN_MOVE_SELF) | UInt32(IN_ATTRIB)
  /// The events to watch for while the file is missing: one of its name appears.
  private static let comingMask = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)

  private func begin() -> Bool {
    guard inotify < 0 else { return true }
    inotify = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
    guard inotify >= 0 else { return false }
    do throws(SegueError) {
      watch = try application.loop.watch(inotify, .readable) { [self] _ in read() }
      return true
    } catch {
      _ = CLinux.close(inotify)
      inotify = -1
      return false
    }
  }

  /// Holds the file that has the name now, and watches it and the directories above.
  private func look(after entry: Entry) {
    letGo(entry)
    entry.isDoubted = false
    let path = entry.url.path
    entry.file = segue_find_path(path)
    if entry.file >= 0 { add(path, Self.fileMask, to: entry) }
    var folder = PluginPath.parent(path)
    var level = 0
    while !folder.isEmpty, level < Limits.followedFolders {
      add(folder, Self.folderMask | (level == 0 && entry.file < 0 ? Self.comingMask : 0), to: entry)
      folder = PluginPath.parent(folder)
      level &+= 1
    }
  }

  private func add(_ path: String, _ mask: UInt32, to entry: Entry) {
    // Other documents may watch the same directory for more events.
    let number = inotify_add_watch(inotify, path, mask | UInt32(IN_MASK_ADD))
    guard number >= 0, !entry.watches.contains(number) else { return }
    entry.watches.append(number)
    uses[number, default: 0] += 1
  }

  private func letGo(_ entry: Entry) {
    if entry.file >= 0 { _ = CLinux.close(entry.file) }
    entry.file = -1
    for number in entry.watches {
      let left = (uses[number] ?? 1) &- 1
      uses[number] = left > 0 ? left : nil
      if left <= 0 { inotify_rm_watch(inotify, number) }
    }
    entry.watches = []
  }

  /// Marks the entries that have changed. They are checked a little later: a program that saves a file may move it away
  /// and make a new one.
  private func read() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return }
      let count = CLinux.read(inotify, base, buffer.count)
      let size = MemoryLayout<inotify_event>.size
      var place = 0
      while count &- place >= size {
        let event = (base + place).loadUnaligned(as: inotify_event.self)
        place &+= size &+ Int(event.len)
        let isAll = event.mask & UInt32(IN_Q_OVERFLOW) != 0
        for entry in entries.values where isAll || entry.watches.contains(event.wd) { entry.isDoubted = true }
      }
    }
    guard timer == nil, entries.values.contains(where: { $0.isDoubted }) else { return }
    timer = application.loop.timer(after: Limits.documentMoveTime) { [self] in
      timer = nil
      for number in entries.keys.sorted() {
        if let entry = entries[number], entry.isDoubted { settle(entry) }
      }
    }
  }

  // MARK: Where it is

  private func settle(_ entry: Entry) {
    var status = stat()
    var held = stat()
    guard stat(entry.url.path, &status) != 0, entry.file >= 0, fstat(entry.file, &held) == 0,
      let found = path(of: entry.file), stat(found, &status) == 0, status.isSameFile(as: held),
      let url = FileURL(path: sibling(of: entry.url.path, at: found))
    else {
      // The file is still there, or another one is in its place, or there is none any more.
      return look(after: entry)
    }
    entry.document.follow(url)
  }

  /// The path that the kernel knows for the file now.
  private func path(of file: Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Limits.pathLength + 1) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink("/proc/self/fd/\(file)", base, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return TextCheck.string(buffer[..<count].map { UInt8(bitPattern: $0) })
    }
  }

  /// The path that was found; under the name by which its directory was opened, if the file is still in that directory.
  private func sibling(of path: String, at found: String) -> String {
    let folder = PluginPath.parent(path)
    var named = stat()
    var real = stat()
    guard stat(folder.isEmpty ? "/" : folder, &named) == 0, stat(PluginPath.parent(found) + "/", &real) == 0,
      named.isSameFile(as: real)
    else { return found }
    return folder + String(found.dropFirst(PluginPath.parent(found).count))
  }
}
