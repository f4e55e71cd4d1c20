import Foundation
import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

/// The library's calls at the door, to a daemon that answers when a test wants it.
@Suite struct DoorTests {
  /// The daemon's end of a connection, which keeps the calls that come.
  private final class Daemon {
    let loop: EventLoop
    private(set) var calls: [Invocation] = []
    private let folder = FileManager.default.temporaryDirectory.path + "/sg-\(UUID().uuidString.prefix(8))"
    private var server: PeerServer?
    private var connection: Connection?

    init() throws {
      loop = try EventLoop()
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let object = BusObject([
        BusInterface(
          SegueAddress.doorInterface,
          methods: [
            BusMethod("Claim", in: [BusArgument("ticket", "s")], out: [BusArgument("snapshot", "a{sv}")]) {
              [unowned self] _, invocation in
              calls.append(invocation)
            },
            BusMethod(
              "OpenStream", in: [BusArgument("continuation", "s")],
              out: [BusArgument("input", "h"), BusArgument("output", "h")]
            ) { [unowned self] _, invocation in calls.append(invocation) },
          ])
      ])
      server = try PeerServer(path: folder + "/socket", on: loop) { [unowned self] in
        connection = $0
        $0.export(object, at: SegueAddress.doorPath)
      }
    }

    func door() throws -> Door { Door(try Connection.open(address: "unix:path=\(folder)/socket", on: loop)) }

    func wait(_ condition: () -> Bool) {
      let end = Instant.now + 60_000
      while !condition(), Instant.now < end { loop.wait(milliseconds: 200) }
      #expect(condition())
    }

    func close() {
      connection?.close()
      server?.close()
      loop.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  private func code(_ result: Result<Snapshot, SegueError>?) -> SegueError.Code? {
    if case .failure(let error)? = result { error.code } else { nil }
  }

  @Test func aDaemonThatHangsIsNotWaitedForEver() throws {
    let daemon = try Daemon()
    let door = try daemon.door()
    var (short, long) = (Result<Snapshot, SegueError>?.none, Result<Snapshot, SegueError>?.none)
    door.claim("a") { long = $0 }
    daemon.wait { daemon.calls.count == 1 }
    door.claim("b", within: 1) { short = $0 }
    daemon.wait { short != nil }
    #expect(code(short) == .connectionUnavailable)
    #expect(long == nil)
    // An answer that the daemon gives within its own bound counts.
    daemon.calls.first?.fail(SegueError(.handoffFailed, "It was too late."))
    daemon.wait { long != nil }
    #expect(code(long) == .handoffFailed)
    door.close()
    daemon.close()
  }

  /// An application that closes its streams inside the completion has closed them for the other side, too.
  @Test func T4_aCloseInsideTheCompletionIsAnEnd() throws {
    let daemon = try Daemon()
    let door = try daemon.door()
    let continuation = try #require(Identifier(hex: String(repeating: "9", count: 32)))
    let (there, back) = (try Self.pipe(), try Self.pipe())
    try #require(fcntl(there.read, F_SETFL, O_NONBLOCK) == 0)
    var ends: (reading: Int, writing: Int16)?
    door.openStream(continuation) { result in
      guard case .success(let pair) = result else { return }
      let (input, output) = pair.take()
      _ = (close(input), close(output))
      var byte: UInt8 = 0
      var asked = pollfd(fd: back.write, events: 0, revents: 0)
      _ = poll(&asked, 1, 0)
      ends = (read(there.read, &byte, 1), asked.revents)
    }
    daemon.wait { daemon.calls.count == 1 }
    daemon.calls.first?.reply([
      .descriptor(FileDescriptor(owning: back.read)), .descriptor(FileDescriptor(owning: there.write)),
    ])
    daemon.wait { ends != nil }
    #expect(ends?.reading == 0)
    #expect(ends?.writing == Int16(POLLERR))
    for end in [there.read, back.write] { _ = close(end) }
    door.close()
    daemon.close()
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(Foundation.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }
}
