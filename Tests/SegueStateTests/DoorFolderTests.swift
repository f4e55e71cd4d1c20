import Foundation
import SegueCore
import SegueState
import Testing

@Suite struct DoorFolderTests {
  private let path = "/tmp/segue-state-\(UUID().uuidString.prefix(8))"

  private func remove() { try? FileManager.default.removeItem(atPath: path) }

  private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

  @Test func aDoorIsOneDaemons() throws {
    defer { remove() }
    var first: DoorFolder? = try DoorFolder(path)
    #expect(first?.path == path)
    #expect(FileManager.default.createFile(atPath: path + "/socket", contents: nil))
    #expect(code { try DoorFolder(path) } == .nameTaken)
    #expect(isThere("socket"))
    first?.remove(socket: "socket")
    #expect(!isThere("socket"))
    #expect(code { try DoorFolder(path) } == .nameTaken)
    first = nil
    #expect(throws: Never.self) { try DoorFolder(path) }
  }

  @Test func othersAreKeptOut() throws {
    defer { remove() }
    mkdir(path, 0o777)
    chmod(path, 0o777)
    let folder = try DoorFolder(path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
    #expect(code { try folder.descriptor(of: "socket") } == .system)
    // A regular file stands in for a socket: its descriptor leads nowhere else.
    FileManager.default.createFile(atPath: path + "/socket", contents: nil)
    let socket = try folder.descriptor(of: "socket")
    #expect(openat(socket.raw, "..", O_RDONLY) < 0 && errno == ENOTDIR)
    let link = path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(code { try DoorFolder(link) } == .accessDenied)
    #expect(code { try DoorFolder("/nowhere/door") } == .system)
  }

  @Test func aFreshFolderGoesWithItsDaemon() throws {
    let folder = try DoorFolder(nil)
    #expect(FileManager.default.fileExists(atPath: folder.path))
    folder.remove(socket: "socket")
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(code { try folder.descriptor(of: "socket") } == .system)
  }
}
