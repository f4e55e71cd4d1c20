import Foundation
import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

/// Launch messages that come at the door.
@Suite struct LaunchAtDoorTests {
  /// The daemon then asks the bus which process owns the application's name.
  @Test func V18_aProcessWithoutTheNameRefuses() throws {
    let offline = try Offline()
    let loop = try EventLoop()
    let folder = FileManager.default.temporaryDirectory.path + "/sg-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let object = BusObject([
      BusInterface(
        SegueAddress.doorApplicationInterface,
        methods: [
          BusMethod(
            "WillContinue",
            in: [BusArgument("ticket", "s"), BusArgument("info", "a{sv}"), BusArgument("platform_data", "a{sv}")]
          ) { offline.application.arrivals.willContinueAtDoor($0, $1) }
        ])
    ])
    var served: Connection?
    let server = try PeerServer(path: folder + "/socket", on: loop) {
      served = $0
      $0.export(object, at: SegueAddress.doorApplicationPath)
    }
    // The door is open, and leads to the daemon; only the name is missing.
    let daemon = try #require(BusName(":1.1"))
    offline.application.arrivals.handle(.daemonOwner(daemon))
    offline.application.arrivals.handle(.doorOpened(daemon))
    let client = try Connection.open(address: "unix:path=\(folder)/socket", on: loop)
    let call = Message.call(
      destination: nil, path: SegueAddress.doorApplicationPath, interface: SegueAddress.doorApplicationInterface,
      member: MemberName(constant: "WillContinue"))
    let begin = DoorBegin(
      continuation: Identifier(high: 0, low: 1), type: .browsingWeb, title: "Page", deviceName: "desk",
      timeLeft: 25_000,
      isStored: false, storedAge: nil)
    try call.append([
      .string(Identifier(high: 0, low: 2).hex), .dictionary(begin.dictionary), .dictionary(BusDictionary()),
    ])
    var answer: Result<Message, SegueError>?
    client.call(call, timeout: 10_000) { answer = $0 }
    while answer == nil { loop.wait(milliseconds: 200) }
    guard case .failure(let error)? = answer else { throw SegueError(.system, "It was taken.") }
    #expect(error.code == .notFound)
    client.close()
    served?.close()
    server.close()
    loop.close()
  }
}
