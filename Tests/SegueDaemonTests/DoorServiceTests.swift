import Glibc
import Logging
import SegueBus
import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

/// The connections that may stay at the private door, and how long a silent one may.
@Suite struct DoorServiceTests {
  private let folder: RegistryFolder
  private let loop: EventLoop
  private let service: DoorService

  init() throws {
    folder = try RegistryFolder()
    loop = try EventLoop()
    service = DoorService(
      folder: folder.path + "/door", registry: try Registry(folder.settings) { _ in }, loop: loop,
      log: Log(Logger(label: "test"))
    ) { _ in }
    try service.open()
  }

  /// A connection from outside, and its session at the door; nil: there was no room for one.
  private func come() throws -> (client: Connection, session: Session?) {
    var session: Session?
    service.makeObject = {
      session = $0
      return BusObject([])
    }
    let client = try Connection.open(address: "unix:path=" + folder.path + "/door/" + DoorProtocol.socketName, on: loop)
    var isAnswered = false
    client.call(try ping()) { _ in isAnswered = true }
    run { isAnswered }
    return (client, session)
  }

  private func ping() throws -> Message {
    Message.call(
      destination: nil, path: ObjectPath(constant: "/"),
      interface: InterfaceName(constant: "org.freedesktop.DBus.Peer"), member: MemberName(constant: "Ping"))
  }

  private func run(until condition: () -> Bool) {
    let end = Instant.now + 60_000
    while !condition(), Instant.now < end { loop.wait(milliseconds: 200) }
    #expect(condition())
  }

  private func close() {
    service.close()
    loop.dispatch()
    loop.close()
  }

  @Test func attack3_whoSaysNoHelloLeaves() throws {
    #expect(service.patience == Limits.handshakeTime)
    let greeted = try come()
    service.welcome(try #require(greeted.session))
    #expect(greeted.session?.greeting?.isActive == false)
    service.patience = 1
    let silent = try come()
    run { !silent.client.isOpen }
    #expect(greeted.client.isOpen)
    greeted.client.close()
    close()
  }

  /// The answer to its Hello tells it so.
  @Test func attack42_whoCannotBeRecognisedHasNoSession() throws {
    service.identity = CallerIdentity(user: getuid() + 1)
    let unknown = try come()
    #expect(unknown.session == nil)
    let hello = Message.call(
      destination: nil, path: SegueAddress.doorPath, interface: SegueAddress.doorInterface,
      member: MemberName(constant: "Hello"))
    try hello.append([.uint32(1), .uint32(1), .string(try service.key().token), .dictionary([:])])
    var answer: Result<Message, SegueError>?
    unknown.client.call(hello) { answer = $0 }
    run { answer != nil }
    guard case .failure(let error) = answer else { return #expect(Bool(false)) }
    #expect(error.code == .accessDenied)
    unknown.client.close()
    close()
  }

  @Test func attack3_whoForWhomThereIsNoRoomLeaves() throws {
    let admitted = try (0..<Limits.doorConnectionsPerProcess).map { _ in try come() }
    #expect(admitted.allSatisfy { $0.session != nil })
    service.patience = 1
    let refused = try come()
    #expect(refused.session == nil)
    run { !refused.client.isOpen }
    #expect(admitted.allSatisfy { $0.client.isOpen })
    for one in admitted { one.client.close() }
    close()
  }

  /// Hello is not enough on a slot that is kept for applications.
  @Test(arguments: [0, 1]) func attack38_whoDoesNotRegisterLeavesAKeptSeat(_ more: Int) throws {
    for number in 1..<Limits.doorConnections - Limits.doorConnectionsKept + more {
      let holder = DoorSlots.Holder(process: -Int32(number), group: "\(number)")
      _ = service.slots.take(SessionID(1_000 + number), of: holder)
    }
    let one = try come()
    let session = try #require(one.session)
    #expect(session.mustRegister == (more == 1))
    service.welcome(session)
    #expect(session.greeting?.isActive == (more == 1))
    // It ends as that of one who says no Hello.
    #expect(one.client.isOpen)
    one.client.close()
    close()
  }
}
