import Foundation
import SegueBus
import SegueCore
import Testing

@testable import SegueState

@Suite struct FileTests {
  private let folder = "/tmp/segue-state-\(UUID().uuidString.prefix(8))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func aFileIsReadWholeOrNotAtAll() throws {
    defer { remove() }
    let path = folder + "/file"
    #expect(try File.read(path) == nil)
    #expect(try File.read(path + "/below") == nil)
    for bytes: [UInt8] in [[], [1, 2, 3], [UInt8](repeating: 7, count: 100_000)] {
      try File.replace(path, bytes)
      #expect(try File.read(path, maximum: bytes.count) == bytes)
      #expect(File.beginning(of: path, maximum: 2) == Array(bytes.prefix(2)))
      if !bytes.isEmpty { #expect(code { try File.read(path, maximum: bytes.count - 1) } == .limitExceeded) }
    }
    #expect(code { try File.read(folder) } == .system)
    // No process writes to the pipe, and the call does not wait for one.
    mkfifo(folder + "/pipe", 0o600)
    #expect(try File.read(folder + "/pipe") == [])
  }

  @Test func whatIsThereIsNotOverwrittenByChance() throws {
    defer { remove() }
    let path = folder + "/file"
    try File.create(path, [1], mode: 0o640)
    #expect(code { try File.create(path, [2]) } == .system)
    #expect(try File.read(path) == [1])
    // The target of a link is not changed either, and the remains of a crash are not in the way.
    try FileManager.default.createSymbolicLink(atPath: folder + "/other.new", withDestinationPath: path)
    try File.replace(folder + "/other", [3])
    #expect(try File.read(path) == [1])
    #expect(try File.read(folder + "/other") == [3])
    #expect(File.names(in: folder).filter { !$0.hasPrefix(".") } == ["file", "other"])
    #expect(try FileManager.default.attributesOfItem(atPath: folder + "/other")[.posixPermissions] as? Int == 0o600)
    #expect(File.names(in: path) == [])
  }

  @Test(arguments: [0, 1, 7, 100, 300]) func theFirstNamesOfMany(_ count: Int) throws {
    for number in 0..<250 {
      try File.create(folder + "/\(number &* 7_919 % 1_000)é.\(number % 5 == 0 ? "x" : "y")", [])
    }
    let sorted = File.names(in: folder).filter { $0.hasSuffix(".y") }
    #expect(sorted.count == 200)
    #expect(File.names(in: folder, endingIn: ".y", first: count) == Array(sorted.prefix(count)))
    #expect(File.names(in: folder + "/none", endingIn: ".y", first: count) == [])
  }

  @Test func aLockEndsWithItsOwnerThoughAChildHasItsFile() throws {
    defer { remove() }
    let descriptor = try #require(FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    var lock: FolderLock? = try FolderLock(descriptor, folder, variable: "X")
    #expect(code { try FolderLock(descriptor, folder, variable: "X") } == .nameTaken)
    // A forked process that has not run another program yet has the descriptor like this.
    let copy = try FileDescriptor(duplicating: #require(lock).file.raw)
    lock = nil
    #expect(throws: Never.self) { try FolderLock(descriptor, folder, variable: "X") }
    withExtendedLifetime(copy) {}
  }
}
