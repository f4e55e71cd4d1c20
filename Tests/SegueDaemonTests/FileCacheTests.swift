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

  /// Nothing is removed for one that has no room all the same.
  @Test func aFileThatIsLargerThanAll() throws {
    let cache = cache(FileCache.Bounds(bytes: 100, reserve: 0))
    let kept = try put([1], in: cache)
    #expect(throws: SegueError.self) { _ = try cache.begin(101) }
    // What is coming counts.
    let coming = try cache.begin(60)
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
    let copy = FileCopy(full, "none", folder, cache)
    let error = #expect(throws: SegueError.self) { try copy.append([[1, 2, 3]]) }
    #expect(error?.code == .limitExceeded)
  }
}

/// A file as it is read for another device.
@Suite final class FileSourceTests {
  private let path: String

  init() throws {
    path = "/tmp/segue-source-\(Identifier.random().hex)"
    try File.create(path, Array(0..<200))
  }

  deinit { unlink(path) }

  private func source() throws -> FileSource {
    FileSource(try #require(FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))))
  }

  private func bytes(_ piece: FileSource.Piece) -> [UInt8]? { if case .bytes(let bytes) = piece { bytes } else { nil } }

  @Test func theWholeFile() throws {
    let source = try source()
    let head = try source.begin(at: 0, of: [])
    #expect(head.size == 200 && head.offset == 0 && head.version.count <= Limits.fileVersionLength)
    #expect(bytes(try source.next(150)) == Array(0..<150))
    #expect(bytes(try source.next(150)) == Array(150..<200))
    guard case .end(let digest) = try source.next(150) else { throw SegueError(.system) }
    #expect(digest == Array(SHA256.hash(data: Array(0..<200))))
  }

  @Test func theRest() throws {
    let version = try source().begin(at: 0, of: []).version
    let source = try source()
    #expect(try source.begin(at: 190, of: version).offset == 190)
    while try !source.skip(to: 190) {}
    #expect(bytes(try source.next(150)) == Array(190..<200))
    guard case .end(let digest) = try source.next(150) else { throw SegueError(.system) }
    #expect(digest == Array(SHA256.hash(data: Array(0..<200))))
    #expect(try self.source().begin(at: 190, of: [1]).offset == 0)
    #expect(try self.source().begin(at: 201, of: version).offset == 0)
  }

  @Test func aFileThatHasChanged() throws {
    let shorter = try source()
    _ = try shorter.begin(at: 0, of: [])
    truncate(path, 100)
    #expect(throws: SegueError.self) { _ = try shorter.next(200) }
    let other = try source()
    let version = try other.begin(at: 0, of: []).version
    _ = try other.next(200)
    // Another time of its last change, whatever the clock's steps are.
    _ = utimensat(AT_FDCWD, path, [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)], 0)
    #expect(throws: SegueError.self) { _ = try other.next(200) }
    #expect(try source().begin(at: 10, of: version).offset == 0)
  }

  @Test(arguments: ["/dev/zero", "/tmp"]) func whatIsNoRegularFile(_ path: String) throws {
    let source = FileSource(try #require(FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))))
    let error = #expect(throws: SegueError.self) { _ = try source.begin(at: 0, of: []) }
    #expect(error?.code == .invalidArgument)
  }
}
