import Foundation
import SegueBus
import SegueCore
import Testing

/// A bus at an address of the test's own, which comes and goes as a machine's.
final class MachineBus {
  private let folder: RegistryFolder
  private var process: Process?
  let address: String
  /// Where its socket is.
  private let place: String

  /// `below`: folders that there are once it has started.
  init(below folders: String = "") throws {
    folder = try RegistryFolder()
    place = folder.path + folders
    address = "unix:path=\(place)/bus"
  }

  deinit { kill() }

  func start() throws {
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["dbus-daemon", "--session", "--nofork", "--print-address=1", "--address=\(address)"]
    process.standardOutput = output
    try process.run()
    self.process = process
    // It prints when it listens.
    while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {}
  }

  func kill() {
    guard let process, process.isRunning else { return }
    // Not SIGTERM, which a thread of the test's runner may have blocked for its children.
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    unlink(place + "/bus")
  }

  /// A connection of somebody else's, who perhaps has a name.
  func somebody(_ name: BusName? = nil, on loop: EventLoop) throws -> Connection {
    var isReady = false
    let connection = try Connection.openBus(address: address, on: loop) { _ in isReady = true }
    try loop.wait(until: { isReady })
    guard let name else { return connection }
    var outcome: NameOutcome?
    connection.requestName(name) { outcome = $0 }
    try loop.wait(until: { outcome != nil })
    try #require(outcome == .owner)
    return connection
  }

  /// All that the connection has asked of the bus before is done.
  func settle(_ connection: Connection, on loop: EventLoop) throws {
    var isAnswered = false
    connection.call(
      Message.call(
        destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
        interface: InterfaceName(constant: "org.freedesktop.DBus"), member: MemberName(constant: "GetId"))
    ) { _ in isAnswered = true }
    try loop.wait(until: { isAnswered })
  }
}

extension EventLoop {
  func wait(until condition: () -> Bool) throws {
    let end = Instant.now + 60_000
    while !condition(), Instant.now < end { _ = wait(milliseconds: 100) }
    try #require(condition())
  }
}
