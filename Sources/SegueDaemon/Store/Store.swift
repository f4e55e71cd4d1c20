import Glibc
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// The stored copies of activities, in the file `store.sqlite` of the state folder.
///
/// The file is opened when something is stored or asked for, and may be closed at any time (`close`). A file that is no
/// store, damaged, or of a later version is set aside, and an empty one takes its place. Every change is one
/// transaction: a crash at any step leaves what was there before, or what is there after. Not thread-safe; every call
/// may block on the disk.
final class Store {
  static let file = "store.sqlite"
  /// Added to the name of a file that was set aside.
  static let asideSuffix = ".broken"

  private let path: String
  private let bounds: StoreBounds
  /// The largest that the file becomes.
  private let fileBytes: Int
  /// Seconds that a copy lives whose activity does not expire before.
  private let life: UInt64
  /// Seconds since 1970.
  private let now: () -> UInt64
  private let report: (String) -> Void
  /// Called when `copies` would give something else than before, also because time has passed.
  var changed: () -> Void = {}
  /// Called when the file was set aside: nothing is kept any more.
  var emptied: () -> Void = {}
  private var database: Database?
  /// Whether the lives of the copies in the file were limited: an earlier run, or somebody else, may have left any.
  private var isChecked = false
  /// The copies that were found expired since the last call of `expire`.
  private var expired: [StoredCopy.Key] = []

  /// `folder` is this user's own; `report` is told in a sentence what was wrong with the file.
  init(
    folder: String, life: UInt64 = Limits.storedCopyTime / 1000, bounds: StoreBounds = StoreBounds(),
    fileBytes: Int = Limits.storeFileBytes, now: @escaping () -> UInt64 = secondsSince1970,
    report: @escaping (String) -> Void
  ) {
    path = folder + "/" + Self.file
    self.life = life
    self.bounds = bounds
    self.fileBytes = fileBytes
    self.now = now
    self.report = report
  }

  /// Whether anything was ever stored; a store that does not exist need not be opened to be known empty.
  var exists: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Lets go of the file and of the memory that it takes, until it is needed again.
  func close() { database = nil }

  var isOpen: Bool { database != nil }

  // MARK: The stored copies

  /// Keeps a copy in place of an earlier one: of the same activity, or for search of the same persistent identifier.
  /// Gives it back with its times, and what gave way to it. Throws `system`; nothing has changed then.
  func put(_ copy: StoredCopy, _ snapshot: Snapshot) throws(SegueError) -> (copy: StoredCopy, gone: [StoredCopy.Key]) {
    let stored = copy.stored(with: snapshot, at: now(), life: life)
    let put = try change { database throws(Database.Failure) in
      let twins = try StoreTable.removeTwins(of: stored, from: database)
      try StoreTable.put(stored, snapshot, in: database)
      guard try !StoreTable.isWithin(bounds, for: stored, in: database) else { return (stored, twins) }
      let surplus = bounds.surplus(try StoreTable.copies(at: now(), in: database))
      return (stored, twins + (try StoreTable.remove(surplus, from: database)))
    }
    // It is there again.
    expired.removeAll { $0 == stored.key }
    return put
  }

  /// Gives copies another end: in so many milliseconds, or (nil) as late as any. Gives them back with it. Throws
  /// `system`; nothing has changed then.
  @discardableResult
  func setLife(_ timeLeft: UInt64?, of keys: [StoredCopy.Key]) throws(SegueError) -> [StoredCopy] {
    try changeIfThere([]) { database throws(Database.Failure) in
      let end = timeLeft.map { now() + StoredCopy.life(of: $0, atMost: life) }
      return try StoreTable.set(end: end, life: life, of: keys, in: database)
    }
  }

  /// Everything that is kept, the latest first. Throws `system`.
  func copies() throws(SegueError) -> [StoredCopy] {
    try readIfThere([]) { database throws(Database.Failure) in try StoreTable.copies(at: now(), in: database) }
  }

  /// A copy's state; nil if the copy is gone. Throws `system`.
  func snapshot(_ key: StoredCopy.Key) throws(SegueError) -> Snapshot? {
    try readIfThere(nil) { database throws(Database.Failure) in
      try StoreTable.snapshot(key, at: now(), in: database)
    }
  }

  /// Removes these; gives back which of them were there. Throws `system`; nothing has changed then.
  @discardableResult
  func remove(_ keys: [StoredCopy.Key]) throws(SegueError) -> [StoredCopy.Key] {
    try changeIfThere([]) { database throws(Database.Failure) in try StoreTable.remove(keys, from: database) }
  }

  /// Removes what has expired. Gives it back, with what other calls have found expired since the last of these. Throws
  /// `system`; it is given back the next time then.
  func expire() throws(SegueError) -> [StoredCopy.Key] {
    try changeIfThere(()) { _ in }
    defer { expired = [] }
    return expired
  }

  // MARK: The file

  /// As `change`; `nothing` where nothing was ever stored, and no file is made then.
  private func changeIfThere<T>(
    _ nothing: T, _ body: (Database) throws(Database.Failure) -> T
  ) throws(SegueError) -> T {
    guard database != nil || exists else { return nothing }
    return try change(body)
  }

  /// As `changeIfThere`, for a body that changes nothing: where what has expired cannot be removed, for the disk is
  /// full, the rest can be read all the same.
  private func readIfThere<T>(
    _ nothing: T, _ body: (Database) throws(Database.Failure) -> T
  ) throws(SegueError) -> T {
    guard database != nil || exists else { return nothing }
    return try healing { () throws(Database.Failure) in
      do throws(Database.Failure) {
        return try attempt(body)
      } catch {
        guard error.isRefusedChange else { throw error }
        return try body(try opened())
      }
    }
  }

  private func change<T>(_ body: (Database) throws(Database.Failure) -> T) throws(SegueError) -> T {
    try healing { () throws(Database.Failure) in try attempt(body) }
  }

  /// Tries once more with an empty file if this one is damaged.
  private func healing<T>(_ body: () throws(Database.Failure) -> T) throws(SegueError) -> T {
    do throws(Database.Failure) {
      do throws(Database.Failure) {
        return try body()
      } catch {
        guard error.isDamage else { throw error }
        try setAside(error)
        return try body()
      }
    } catch {
      // A connection that failed is not trusted with the next one.
      database = nil
      throw SegueError(
        .system, "The store \(path) cannot be used: \(error.message).",
        advice: "Check whether its folder can be written to and its disk has room.")
    }
  }

  /// Runs `body` after it has removed expired copies, so that none is ever seen, whatever the clock did meanwhile.
  private func attempt<T>(_ body: (Database) throws(Database.Failure) -> T) throws(Database.Failure) -> T {
    let database = try opened()
    let before = database.changes
    let (gone, result) = try database.transaction { () throws(Database.Failure) in
      if !isChecked { try StoreTable.limitLives(in: database) }
      return (try StoreTable.expire(at: now(), in: database), try body(database))
    }
    isChecked = true
    expired += gone
    if database.changes != before { changed() }
    return result
  }

  private func opened() throws(Database.Failure) -> Database {
    if let database { return database }
    try makeFile()
    let opened = try Database(path)
    try StoreTable.prepare(opened, fileBytes: fileBytes)
    database = opened
    return opened
  }

  /// A regular file that others cannot read; SQLite gives its journal the same mode.
  private func makeFile() throws(Database.Failure) {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
        throw Database.Failure(code: Database.notADatabase, message: "it is not a file of this user's own")
      }
      if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 { throw Self.failure("its mode cannot be changed") }
      if status.st_size == 0, !isChecked { report("\(path) is empty: what was stored is gone") }
      return
    }
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure("it cannot be made") }
    Glibc.close(file)
  }

  private static func failure(_ what: String) -> Database.Failure {
    Database.Failure(code: Database.cannotOpen, message: "\(what): \(String(cString: strerror(errno)))")
  }

  /// Renames the file, since its content may still be worth something to a person. Its journal goes with it: applied to
  /// another file, the journal would damage that.
  private func setAside(_ reason: Database.Failure) throws(Database.Failure) {
    database = nil
    guard rename(path, path + Self.asideSuffix) == 0 else { throw Self.failure("it is damaged and cannot be renamed") }
    for part in ["-journal", "-wal", "-shm"] {
      unlink(path + Self.asideSuffix + part)
      if rename(path + part, path + Self.asideSuffix + part) != 0, errno != ENOENT {
        throw Self.failure("its \(part) cannot be renamed")
      }
    }
    report("\(path) cannot be used (\(reason.message)); it was renamed to \(Self.file)\(Self.asideSuffix)")
    changed()
    emptied()
  }
}
