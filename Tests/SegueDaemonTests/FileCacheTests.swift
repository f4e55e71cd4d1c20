import Crypto
import Glibc
import SegueBus
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// The cache of files that were brought: what it holds, and what gives way.
@Suite final class FileCacheTests {
  private let folder: String

  init() throws {
    var template = Array("/tmp/segue-cache-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove(folder) }

  private func remove(_ path: String) {
    for name in File.names(in: path) where name != "." && name != ".." { remove("\(path)/\(name)") }
    if unlink(path) != 0 { rmdir(path) }
  }

  private func cache(_ bounds: FileCache.Bounds = FileCache.Bounds(reserve: 0)) -> FileCache {
    FileCache(folder + "/segue/files", bounds: bounds)
  }

  private func entries(_ cache: FileCache) -> [String] { File.names(in: cache.path).filter { $0 != "." && $0 != ".." } }

  @discardableResult
  private func put(_ bytes: [UInt8], in cache: FileCache, as name: String = "file") throws -> BroughtFile {
    let copy = try cache.begin(UInt64(bytes.count))
    try copy.append([bytes[...]])
    return try copy.finish(as: name, Array(SHA256.hash(data: bytes)))
  }

  private func exists(_ file: BroughtFile) -> Bool { access(file.path, F_OK) == 0 }

  /// As if it had been there for so long.
  private func age(_ file: BroughtFile, seconds: Int) {
    let time = timespec(tv_sec: Glibc.time(nil) - seconds, tv_nsec: 0)
    let place = String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.endIndex)])
    _ = utimensat(AT_FDCWD, place, [time, time], 0)
  }

  @Test func aCopyHasAPlaceOfItsOwn() throws {
    let cache = cache()
    let (one, other) = (try put([1, 2, 3], in: cache), try put([4], in: cache))
    #expect(try File.read(one.path) == [1, 2, 3] && File.read(other.path) == [4])
    #expect(one.size == 3 && one.digest == Array(SHA256.hash(data: [1, 2, 3])))
    #expect(entries(cache).count == 2)
  }

  /// A sandbox that is made before the first file comes has to have it.
  @Test func itsDirectoryIsThereBeforeTheFirstFile() {
    let cache = cache()
    cache.clean()
    var status = stat()
    #expect(stat(cache.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(entries(cache).isEmpty)
  }

  @Test func anotherDigestIsNoFile() throws {
    let cache = cache()
    do {
      let copy = try cache.begin(3)
      try copy.append([[1, 2, 3]])
      #expect(throws: SegueError.self) { try copy.finish(as: "file", [UInt8](repeating: 0, count: 32)) }
    }
    #expect(entries(cache).isEmpty)
  }

  @Test func whatNobodyWantsIsRemoved() throws {
    let cache = cache()
    let copy = try cache.begin(3)
    #expect(entries(cache).count == 1)
    copy.discard()
    #expect(entries(cache).isEmpty)
  }

  @Test func whatADaemonHasLeftHalfIsRemoved() throws {
    let cache = cache()
    let kept = try put([1], in: cache)
    let coming = try cache.begin(3)
    try File.create("\(cache.path)/\(Identifier.random().hex).part", [1, 2])
    try File.create("\(cache.path)/notes.txt", [1])
    cache.clean()
    #expect(exists(kept) && entries(cache).count == 3)
    try coming.append([[1, 2, 3]])
    withExtendedLifetime(coming) {}
  }

  @Test(arguments: [0, 1]) func soManyCopies(_ more: Int) throws {
    let cache = cache(FileCache.Bounds(copies: 4, reserve: 0))
    let oldest = try put([0], in: cache)
    age(oldest, seconds: 60)
    for number in 1..<(4 + more) { try put([UInt8(number)], in: cache) }
    #expect(exists(oldest) == (more == 0))
    #expect(entries(cache).count == 4)
  }

  @Test(arguments: [0, 1]) func soManyBytes(_ more: Int) throws {
    let cache = cache(FileCache.Bounds(bytes: 100, reserve: 0))
    let oldest = try put([UInt8](repeating: 0, count: 60), in: cache)
    age(oldest, seconds: 60)
    try put([UInt8](repeating: 1, count: 40 + more), in: cache)
    #expect(exists(oldest) == (more == 0))
  }

  /// The cache removes nothing for a file that would not fit even then.
  @Test func aFileThatIsLargerThanAll() throws {
    let cache = cache(FileCache.Bounds(bytes: 100, reserve: 0))
    let kept = try put([1], in: cache)
    #expect(throws: SegueError.self) { _ = try cache.begin(101) }
    // A copy that is still coming counts.
    let coming = try cache.begin(60)
    try coming.append([[UInt8](repeating: 0, count: 60)[...]])
    #expect(throws: SegueError.self) { _ = try cache.begin(41) }
    coming.discard()
    #expect(throws: Never.self) { try cache.begin(100).discard() }
    _ = kept
  }

  @Test func theDiskIsNotFilled() throws {
    let kept = try put([1], in: cache())
    var status = statvfs()
    #expect(statvfs(folder, &status) == 0)
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    let full = cache(FileCache.Bounds(bytes: .max, reserve: 2 * free))
    let error = #expect(throws: SegueError.self) { _ = try full.begin(1) }
    #expect(error?.code == .limitExceeded && exists(kept))
    _ = try cache(FileCache.Bounds(bytes: .max, reserve: 0)).begin(1)
    #expect(FileCache.Bounds().reserve == Limits.fileReserve)
  }

  /// A head of some bytes says that much will come, and costs nothing.
  @Test func whatIsOnlySaidTakesNoRoom() throws {
    let cache = cache(FileCache.Bounds(bytes: 4 * Limits.fileRoom, reserve: 0))
    let kept = try put([UInt8](repeating: 1, count: Int(Limits.fileRoom)), in: cache)
    let said = try (0..<4).map { _ in try cache.begin(4 * Limits.fileRoom) }
    #expect(exists(kept) && blocks(cache) == 0)
    // Room is kept as it comes, some way ahead.
    try said[0].append([[1]])
    #expect(exists(kept) && blocks(cache) == Limits.fileRoom)
    try said[0].append([[UInt8](repeating: 1, count: Int(Limits.fileRoom) - 1)[...]])
    #expect(blocks(cache) == Limits.fileRoom)
    // Old copies give way for what comes.
    try said[1].append([[UInt8](repeating: 1, count: Int(Limits.fileRoom))[...]])
    try said[2].append([[1]])
    #expect(exists(kept) && blocks(cache) == 3 * Limits.fileRoom)
    try said[2].append([[UInt8](repeating: 1, count: Int(Limits.fileRoom))[...]])
    #expect(!exists(kept) && blocks(cache) == 4 * Limits.fileRoom)
    let error = #expect(throws: SegueError.self) { try said[3].append([[1]]) }
    #expect(error?.code == .limitExceeded)
    for copy in said { copy.discard() }
    #expect(entries(cache).isEmpty)
  }

  /// The disk's bytes that are kept for what is coming.
  private func blocks(_ cache: FileCache) -> UInt64 {
    var sum: UInt64 = 0
    for name in entries(cache) where name.hasSuffix(FileCache.partial) {
      var status = stat()
      if stat("\(cache.path)/\(name)", &status) == 0 { sum += UInt64(clamping: status.st_blocks) * 512 }
    }
    return sum
  }

  @Test(arguments: [0, 1]) func anOldCopyGoes(_ more: Int) throws {
    let cache = cache()
    let old = try put([1], in: cache)
    // Not to the second: time passes.
    age(old, seconds: Int(Limits.fileCopyTime / 1000) - 600 + more * 1200)
    cache.clean()
    #expect(exists(old) == (more == 0))
  }

  @Test func aFolderThatOthersCanReachIsNotUsed() throws {
    let cache = cache()
    try put([1], in: cache)
    chmod(cache.path, 0o755)
    let error = #expect(throws: SegueError.self) { _ = try cache.begin(1) }
    #expect(error?.code == .accessDenied)
    chmod(cache.path, 0o700)
    rename(cache.path, cache.path + "2")
    symlink(cache.path + "2", cache.path)
    #expect(throws: SegueError.self) { _ = try cache.begin(1) }
  }

  /// A disk that is full: the kernel's own.
  @Test func aDiskThatIsFull() throws {
    let cache = cache()
    try put([1], in: cache)
    let full = try #require(FileDescriptor(open("/dev/full", O_RDWR | O_CLOEXEC)))
    let folder = try #require(FileDescriptor(open(cache.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    let copy = FileCopy(full, "none", 3, folder, cache)
    let error = #expect(throws: SegueError.self) { try copy.append([[1, 2, 3]]) }
    #expect(error?.code == .limitExceeded)
  }
}
