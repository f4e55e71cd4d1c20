import CLinux
import Foundation
import Testing

@testable import SegueDaemon

/// What a confined thread can do with files. Each test confines a thread of its own, and no other.
@Suite final class ConfinementTests {
  private let folder: String

  init() throws {
    let made = try #require("/tmp/sg-confine-XXXXXX".withCString { strdup($0).flatMap { mkdtemp($0) } })
    defer { free(made) }
    folder = String(cString: made)
    for name in ["own", "other"] { mkdir("\(folder)/\(name)", 0o700) }
    try "text".write(toFile: "\(folder)/other/file", atomically: false, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs `body` on a confined thread; nil where the kernel does not confine.
  private func confined<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer? {
    let confinement = Confinement(changing: [folder + "/own"])
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        confinement.enter()
        continuation.resume(returning: Confinement.isConfined ? body() : nil)
      }
    }
  }

  /// 0, or errno of the call that failed.
  private static func result(_ call: Int32) -> Int32 {
    let error = errno
    if call > 2 { close(call) }
    return call < 0 ? error : 0
  }

  @Test func itChangesFilesInItsOwnDirectoriesOnly() async {
    let folder = folder
    let results = await confined { () -> [Int32] in
      [
        Self.result(open("\(folder)/own/new", O_WRONLY | O_CREAT, 0o600)),
        Self.result(rename("\(folder)/own/new", "\(folder)/own/renamed")),
        Self.result(open("\(folder)/other/file", O_RDONLY)),
        Self.result(open("\(folder)/other/file", O_WRONLY)),
        Self.result(open("\(folder)/other/new", O_WRONLY | O_CREAT, 0o600)),
        Self.result(unlink("\(folder)/other/file")),
        Self.result(mkdir("\(folder)/other/folder", 0o700)),
        Self.result(symlink("/", "\(folder)/other/link")),
        Self.result(link("\(folder)/other/file", "\(folder)/other/again")),
        Self.result(rename("\(folder)/own/renamed", "\(folder)/other/moved")),
      ]
    }
    guard let results else { return }
    // A kernel before 5.19 calls the last two EXDEV.
    #expect(results.prefix(3) == [0, 0, 0] && results[3...7].allSatisfy { $0 == EACCES })
    #expect(results.suffix(2).allSatisfy { $0 != 0 })
    #expect(FileManager.default.contents(atPath: "\(folder)/other/file") == Data("text".utf8))
  }

  @Test func itStartsNoProgram() async {
    let results = await confined { () -> [Int32] in
      ["/usr/bin/true", "/bin/sh"].map { path in
        var process: pid_t = 0
        return posix_spawn(&process, path, nil, nil, [nil], nil)
      }
    }
    guard let results else { return }
    #expect(results == [EACCES, EACCES])
  }

  /// A thread that was confined by another's rules would lose its own directories.
  @Test func itIsConfinedOnce() async {
    let other = Confinement(changing: [folder + "/other"])
    let folder = folder
    let result = await confined { () -> Int32 in
      other.enter()
      return Self.result(open("\(folder)/own/new", O_WRONLY | O_CREAT, 0o600))
    }
    guard let result else { return }
    #expect(result == 0 && !Confinement.isConfined)
  }
}
