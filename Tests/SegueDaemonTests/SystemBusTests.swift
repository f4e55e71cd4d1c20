import Logging
import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

@Suite(.serialized) struct SystemBusTests {
  private let loop: EventLoop
  private let machine: MachineBus
  private let bus: SystemBus

  init() throws {
    loop = try EventLoop()
    machine = try MachineBus()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    bus = SystemBus(address: machine.address, loop: loop, log: Log(logger))
  }

  private func wait(_ condition: () -> Bool) throws { try loop.wait(until: condition) }
  private func somebody(_ name: BusName? = nil) throws -> Connection { try machine.somebody(name, on: loop) }
  private func settle(_ connection: Connection) throws { try machine.settle(connection, on: loop) }

  @Test func usersAreToldThatItComesAndGoes() throws {
    try machine.start()
    var (one, other) = ([Bool](), [Bool]())
    let first = bus.use { one.append($0 != nil) }
    try wait { one == [true] }
    let second = bus.use { other.append($0 != nil) }
    try wait { other == [true] }
    machine.kill()
    try wait { one == [true, false] && other == [true, false] }
    try machine.start()
    try wait { one == [true, false, true] && other == [true, false, true] }
    second.cancel()
    machine.kill()
    try wait { one.count == 4 }
    #expect(other.count == 3)
    first.cancel()
  }

  @Test func theConnectionGoesWithTheLastUser() throws {
    try machine.start()
    var connection: Connection?
    let first = bus.use { connection = $0 }
    let second = bus.use { _ in }
    try wait { connection?.uniqueName != nil }
    let name = try #require(connection?.uniqueName)
    var owners: [BusName?] = []
    let watch = try somebody().watchOwner(of: name) { owners.append($0) }
    try wait { owners == [name] }
    first.cancel()
    #expect(connection?.isOpen == true)
    second.cancel()
    try wait { owners == [name, nil] }
    watch.cancel()
    // The next user has a new connection.
    connection = nil
    let third = bus.use { connection = $0 }
    try wait { connection?.uniqueName != nil }
    #expect(connection?.uniqueName != name)
    third.cancel()
  }

  /// Whether the folder of its socket is there already or not.
  @Test(arguments: ["", "/run/dbus"]) func aBusThatComesLaterIsWaitedFor(below: String) throws {
    let machine = try MachineBus(below: below)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let bus = SystemBus(address: machine.address, loop: loop, log: Log(logger))
    var (one, other) = ([Bool](), [Bool]())
    let first = bus.use { one.append($0 != nil) }
    #expect(one.isEmpty)
    // All events have been handled, and none is left that would wake the loop.
    while loop.dispatch() > 0 {}
    #expect(one == [false])
    #expect(!bus.isTrying)
    let second = bus.use { other.append($0 != nil) }
    while loop.dispatch() > 0 {}
    #expect(one == [false])
    #expect(other == [false])
    #expect(!bus.isTrying)
    try machine.start()
    try wait { one == [false, true] && other == [false, true] }
    // It may come and go.
    machine.kill()
    try wait { one == [false, true, false] }
    try machine.start()
    try wait { one == [false, true, false, true] && other == one }
    for user in [first, second] { user.cancel() }
  }

  @Test func whereABusIsToBeIsReadAsTheBusReadsIt() {
    #expect(
      Connection.socketPaths("unix:path=/run/a%20b/bus,guid=00;unix:abstract=x;unix:path=/c") == ["/run/a b/bus", "/c"])
    #expect(Connection.socketPaths("nonsense") == [])
  }

  @Test func whoCancelsWhileItIsToldIsNotToldMore() throws {
    try machine.start()
    var users: [SystemBus.User] = []
    var told = 0
    for _ in 0..<3 {
      users.append(
        bus.use { _ in
          told += 1
          for user in users { user.cancel() }
        })
    }
    try wait { told == 1 }
    while loop.dispatch() > 0 {}
    #expect(told == 1)
  }

  @Test func logindTellsThatTheMachineHasSlept() throws {
    try machine.start()
    var woken = 0
    var connection: Connection?
    let watch = SleepWatch(bus) { woken += 1 }
    let user = bus.use { connection = $0 }
    try wait { connection != nil }
    try settle(try #require(connection))
    let (name, path) = (BusName(constant: "org.freedesktop.login1"), ObjectPath(constant: "/org/freedesktop/login1"))
    let interface = InterfaceName(constant: "org.freedesktop.login1.Manager")
    let manager = {
      BusObject([BusInterface(interface, signals: [BusSignal("PrepareForSleep", [BusArgument("start", "b")])])])
    }
    // Somebody else may say so too, and is not believed.
    let (stranger, logind) = (try somebody(), try somebody(name))
    let (strange, object) = (manager(), manager())
    stranger.export(strange, at: path)
    logind.export(object, at: path)
    try settle(try #require(connection))
    try strange.emit(interface, "PrepareForSleep", [.bool(false)])
    try settle(stranger)
    try object.emit(interface, "PrepareForSleep", [.bool(true)])
    try settle(logind)
    try settle(try #require(connection))
    #expect(woken == 0)
    try object.emit(interface, "PrepareForSleep", [.bool(false)])
    try wait { woken == 1 }
    watch.close()
    try object.emit(interface, "PrepareForSleep", [.bool(false)])
    try settle(logind)
    try settle(try #require(connection))
    #expect(woken == 1)
    user.cancel()
  }
}
