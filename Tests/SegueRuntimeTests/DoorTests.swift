import Foundation
import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

/// What the library asks at the door, of a daemon that answers when a test wants it.
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
              [unowned self] _, _, invocation in
              calls.append(invocation)
            }
          ])
      ])
      server = try PeerServer(path: folder + "/socket", on: loop) { [unowned self] in
        connection = $0
        $0.export(object, at: SegueAddress.doorPath)
      }
    }

    func door() throws -> Door { Door(try Connection.open(address: "unix:path=\(folder)/socket", on: loop)) }

    func wait(_ condition: () -> Bool) {
      let end = Instant.now + 10_000
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
    // What the daemon says within its own bound counts.
    daemon.calls.first?.fail(SegueError(.handoffFailed, "It was too late."))
    daemon.wait { long != nil }
    #expect(code(long) == .handoffFailed)
    door.close()
    daemon.close()
  }
}
