import Foundation
import SegueBus
import SegueCore
import Testing

@Suite struct SealedMemoryTests {
  @Test(arguments: [0, 1, 4096, 300_000])
  func roundTrip(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let memory = try SealedMemory.make(bytes)
    #expect(try SealedMemory.read(memory, limit: count) == bytes)
    // Again: no offset is used up.
    #expect(try SealedMemory.read(memory, limit: count) == bytes)
    #expect(write(memory.raw, "x", 1) == -1)
    #expect(ftruncate(memory.raw, off_t(count + 1)) == -1)
  }

  @Test func aboveTheLimit() throws {
    let memory = try SealedMemory.make([1, 2, 3])
    #expect(throws: SegueError(.limitExceeded, "The sealed memory holds 3 bytes, more than 2.")) {
      _ = try SealedMemory.read(memory, limit: 2)
    }
  }

  /// Each of these is refused without being read, and without blocking.
  @Test func attack37_hostileDescriptorsAreRefused() throws {
    let folder = Folder()
    mkfifo(folder.path + "/fifo", 0o600)
    _ = FileManager.default.createFile(atPath: folder.path + "/file", contents: Data([1, 2]))
    let loop = try EventLoop()
    var descriptors = [
      open("/tmp", O_RDONLY), open(folder.path + "/fifo", O_RDWR), open("/dev/zero", O_RDONLY),
      open(folder.path + "/file", O_RDONLY), dup(loop.descriptor), open("/proc/self/mem", O_RDONLY),
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), -1,
    ]
    if FileManager.default.fileExists(atPath: "/dev/shm") {
      descriptors.append(open("/dev/shm", O_TMPFILE_FLAGS | O_RDWR, 0o600))
    }
    for descriptor in descriptors {
      let error = #expect(throws: SegueError.self) {
        _ = try SealedMemory.read(FileDescriptor(owning: descriptor), limit: 1 << 20)
      }
      #expect(error?.code == .invalidArgument)
    }
    loop.close()
  }

  private var O_TMPFILE_FLAGS: Int32 { 0o20_200_000 }
}
