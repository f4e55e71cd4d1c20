import Foundation
import SegueCore
import Testing

@testable import SegueShell

@Suite struct SessionFolderTests {
  private func inFolder(_ body: (SessionFolder) throws -> Void) throws {
    let folder = "/tmp/sg-\(getpid())-\(UInt32.random(in: .min ... .max))"
    try #require(mkdir(folder, 0o700) == 0)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(try SessionFolder(in: folder))
  }

  @Test func soManySessionsAndNoMore() throws {
    try inFolder { folder in
      var sessions = try (1...Limits.shellSessions).map { _ in try folder.listen() }
      #expect(sessions.map { $0.name } == (1...Limits.shellSessions).map { String($0) })
      #expect(throws: SegueError.self) { try folder.listen() }
      // The name of one that was killed is given again. A process that another test starts may have the socket open for
      // a moment yet, and so it is shut.
      shutdown(sessions[6].socket.raw, Int32(SHUT_RDWR))
      sessions.remove(at: 6)
      #expect(try folder.listen().name == "7")
    }
  }

  @Test func oneServiceAndNoMore() throws {
    try inFolder { folder in
      let first = try #require(try folder.listenAlone(as: "service"))
      #expect(try folder.listenAlone(as: "service") == nil)
      #expect(folder.connect(to: "service") != nil)
      #expect(first.raw >= 0)
    }
  }

  /// Only this user can be here in a test: it is another one than who is wanted.
  @Test func anotherUserIsNotTalkedTo() throws {
    try inFolder { folder in
      let (name, socket) = try folder.listen()
      #expect(folder.connect(to: name, of: geteuid() &+ 1) == nil)
      #expect(SessionFolder.accept(socket) != nil)
      let connected = folder.connect(to: name)
      #expect(connected != nil)
      #expect(SessionFolder.accept(socket, of: geteuid() &+ 1) == nil)
    }
  }

  @Test(arguments: ["", "0", "65", "1x", "../1", "service", "lock", "1/2", "-1"])
  func whatIsNoSessionsName(_ name: String) { #expect(!SessionFolder.isName(name)) }
}
