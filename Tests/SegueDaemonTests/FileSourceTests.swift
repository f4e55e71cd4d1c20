import Crypto
import Glibc
import SegueBus
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

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

  /// All that comes, and the digest.
  private func whole(_ source: FileSource, _ maximum: Int = 150) throws -> (bytes: [UInt8], digest: [UInt8]) {
    var bytes: [UInt8] = []
    while true {
      switch try source.next(maximum) {
      case .bytes(let more): bytes += more
      case .checked: break
      case .end(let digest): return (bytes, digest)
      }
    }
  }

  private func bytes(_ piece: FileSource.Piece) -> [UInt8]? { if case .bytes(let bytes) = piece { bytes } else { nil } }

  @Test func theWholeFile() throws {
    let source = try source()
    let head = try source.begin(at: 0, of: [])
    #expect(head.size == 200 && head.offset == 0 && head.version.count <= Limits.fileVersionLength)
    #expect(bytes(try source.next(150)) == Array(0..<150))
    let rest = try whole(source)
    #expect(rest.bytes == Array(150..<200) && rest.digest == Array(SHA256.hash(data: Array(0..<200))))
  }

  @Test func theRest() throws {
    let version = try source().begin(at: 0, of: []).version
    let source = try source()
    #expect(try source.begin(at: 190, of: version).offset == 190)
    while try !source.skip(to: 190) {}
    let rest = try whole(source)
    #expect(rest.bytes == Array(190..<200) && rest.digest == Array(SHA256.hash(data: Array(0..<200))))
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
    _ = try other.next(150)
    // Another time of its last change, whatever the clock's steps are.
    _ = utimensat(AT_FDCWD, path, [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)], 0)
    #expect(throws: SegueError.self) { _ = try whole(other) }
    #expect(try source().begin(at: 10, of: version).offset == 0)
  }

  @Test(arguments: ["/dev/zero", "/tmp"]) func whatIsNoRegularFile(_ path: String) throws {
    let source = FileSource(try #require(FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))))
    let error = #expect(throws: SegueError.self) { _ = try source.begin(at: 0, of: []) }
    #expect(error?.code == .invalidArgument)
  }

  /// A program that has the file mapped writes to it, and none of its times moves.
  @Test func aFileThatIsWrittenThroughAMapping() throws {
    let file = try #require(FileDescriptor(open(path, O_RDWR | O_CLOEXEC)))
    let map = try #require(mmap(nil, 200, PROT_READ | PROT_WRITE, MAP_SHARED, file.raw, 0))
    defer { munmap(map, 200) }
    let page = map.assumingMemoryBound(to: UInt8.self)
    // The kernel notes the time of the first write to a page only.
    page[0] = 7
    let before = try #require(file.status)
    let source = try source()
    _ = try source.begin(at: 0, of: [])
    #expect(bytes(try source.next(150)) == [7] + Array(1..<150))
    page[0] = 8
    page[199] = 9
    let after = try #require(file.status)
    #expect(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
    let error = #expect(throws: SegueError.self) { _ = try whole(source) }
    #expect(error?.code == .handoffFailed)
    // Left alone, it comes.
    let again = try self.source()
    _ = try again.begin(at: 0, of: [])
    #expect(try whole(again).bytes == [8] + Array(1..<199) + [9])
  }

  @Test func whoWaitsForTheSecondReadingSeesThatItGoesOn() throws {
    let content = (0..<(3 * Limits.filePiece)).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try File.replace(path, content)
    let file = try #require(FileDescriptor(open(path, O_RDONLY | O_CLOEXEC)))
    let source = FileSource(file, signTime: 0)
    _ = try source.begin(at: 0, of: [])
    var sizes: [Int] = []
    var came: [UInt8] = []
    loop: while true {
      switch try source.next(Limits.filePiece) {
      case .bytes(let bytes):
        sizes.append(bytes.count)
        came += bytes
      case .checked: sizes.append(0)
      case .end(let digest):
        #expect(digest == Array(SHA256.hash(data: content)))
        break loop
      }
    }
    let piece = Limits.filePiece
    #expect(came == content && sizes == [piece, piece, 0, 1, 1, 0, piece - 2])
    #expect(Limits.fileSignTime < Limits.fileSilenceTime)
  }
}
