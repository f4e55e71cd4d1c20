import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

/// The desktop's portal, which may ask the user for a program: one that answers, and one that does not.
@Suite(.serialized) struct PortalTests {
  private let loop: EventLoop
  private let machine: MachineBus

  init() throws {
    loop = try EventLoop()
    machine = try MachineBus()
    try machine.start()
  }

  private func wait(_ condition: () -> Bool) throws {
    let end = Instant.now + 60_000
    while !condition(), Instant.now < end { _ = loop.wait(milliseconds: 100) }
    try #require(condition())
  }

  private func connect() throws -> Connection {
    var isReady = false
    let connection = try Connection.openBus(address: machine.address, on: loop) { _ in isReady = true }
    try wait { isReady }
    return connection
  }

  /// A portal that tells the user's answer at once, or never.
  private func serve(_ answer: UInt32?) throws -> Connection {
    let portal = try connect()
    let handle = ObjectPath(constant: "/org/freedesktop/portal/desktop/request/1")
    let interface = InterfaceName(constant: "org.freedesktop.portal.Request")
    let request = BusObject([
      BusInterface(
        interface,
        signals: [BusSignal("Response", [BusArgument("response", "u"), BusArgument("results", "a{sv}")])])
    ])
    portal.export(request, at: handle)
    let method = BusMethod(
      "OpenURI", in: [BusArgument("parent", "s"), BusArgument("uri", "s"), BusArgument("options", "a{sv}")],
      out: [BusArgument("handle", "o")]
    ) { _, invocation in
      invocation.reply([.objectPath(handle)])
      guard let answer else { return }
      try? request.emit(interface, "Response", [.uint32(answer), .dictionary([:])])
    }
    let desktop = BusObject([
      BusInterface(InterfaceName(constant: "org.freedesktop.portal.OpenURI"), methods: [method])
    ])
    portal.export(desktop, at: ObjectPath(constant: "/org/freedesktop/portal/desktop"))
    var outcome: NameOutcome?
    portal.requestName(BusName(constant: "org.freedesktop.portal.Desktop")) { outcome = $0 }
    try wait { outcome != nil }
    try #require(outcome == .owner)
    return portal
  }

  private func opened(_ time: UInt64) throws -> PortalRequest.Outcome? {
    let page = try #require(WebURL("https://example.org/"))
    let connection = try connect()
    var outcome: PortalRequest.Outcome?
    PortalRequest.open(page, connection, time: time) { outcome = $0 }
    try wait { outcome != nil }
    connection.close()
    return outcome
  }

  @Test(arguments: zip([0, 1, 2] as [UInt32], [PortalRequest.Outcome.opened, .cancelled, .failed]))
  func V7_theUsersAnswerIsTaken(_ answer: UInt32, _ outcome: PortalRequest.Outcome) throws {
    let portal = try serve(answer)
    #expect(try opened(Limits.portalTime) == outcome)
    portal.close()
  }

  @Test func V7_aUserWhoDoesNotAnswerIsNotWaitedForEver() throws {
    let portal = try serve(nil)
    #expect(try opened(1) == .cancelled)
    portal.close()
  }
}
