import Foundation
import SegueBus
import SegueCore

/// A bus and a daemon with answers that the real one would give rarely. The real daemon is tested in Tests/system;
/// these tests are about the command line that gets the answers.
final class ScriptedDaemon {
  /// Answers the methods of `org.segue.Control1`.
  typealias Script = (_ member: String, _ arguments: [BusValue], _ invocation: Invocation) -> Void

  let loop: EventLoop
  /// The calls of clients, the oldest first.
  private(set) var calls: [(member: String, arguments: [BusValue])] = []
  private let folder: String
  private let bus = Process()
  let address: String
  private var connection: Connection?
  private var server: PeerServer?
  private var doors: [Connection] = []
  private var control: BusObject?
  private let script: Script?
  /// Whether the command that runs is to be ended by a signal.
  var isInterrupted = false

  /// Nil for no daemon, but a bus.
  init(_ script: Script?) throws {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    folder = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    address = "unix:path=\(folder)/bus"
    loop = try EventLoop()
    self.script = script
    let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("segue-programs").path
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/segue", withDestinationPath: programs)
    try startBus()
    try start()
  }

  deinit {
    // Not SIGTERM: children inherit the signal mask of the test's thread.
    if bus.isRunning { kill(bus.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Runs `segue`, and the daemon meanwhile, until it ends. `output` is called as long as it runs.
  func run(
    _ arguments: [String], while body: (_ output: String) -> Void = { _ in }
  ) throws -> (status: Int32, output: String, error: String) {
    let process = Process()
    let files = ["out", "err"].map { "\(folder)/\($0)" }
    let handles = files.compactMap { file in
      FileManager.default.createFile(atPath: file, contents: nil) ? FileHandle(forWritingAtPath: file) : nil
    }
    process.executableURL = URL(fileURLWithPath: "\(folder)/segue")
    process.arguments = arguments
    process.environment = ["DBUS_SESSION_BUS_ADDRESS": address]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    try process.run()
    func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
    let end = Instant.now + 60_000
    while process.isRunning {
      loop.wait(milliseconds: 10)
      body(text(files[0]))
      if isInterrupted || Instant.now > end { kill(process.processIdentifier, SIGKILL) }
    }
    return (process.terminationStatus, text(files[0]), text(files[1]))
  }

  /// A signal of `org.segue.Control1`.
  func emit(_ name: String, _ values: [BusValue] = []) throws {
    try control?.emit(SegueAddress.controlInterface, name, values)
  }

  /// Ends as a daemon does that was killed.
  func stop() {
    connection?.close()
    server?.close()
    for door in doors { door.close() }
  }

  /// Runs again after `stop`.
  func start() throws {
    if let script { try serve(script) }
  }

  /// Ends as a session does.
  func stopBus() { kill(bus.processIdentifier, SIGKILL) }

  private func startBus() throws {
    let output = Pipe()
    bus.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    bus.arguments = ["dbus-daemon", "--session", "--nofork", "--print-address=1", "--address=\(address)"]
    bus.standardOutput = output
    try bus.run()
    // It prints when it listens.
    _ = output.fileHandleForReading.availableData
  }

  private func serve(_ script: @escaping Script) throws {
    func method(_ name: String, _ input: String, _ output: String) -> BusMethod {
      BusMethod(name, in: input.isEmpty ? [] : Self.arguments(input), out: output.isEmpty ? [] : Self.arguments(output))
      {
        [unowned self] arguments, invocation in
        calls.append((name, arguments))
        script(name, arguments, invocation)
      }
    }
    let control = BusObject([
      BusInterface(
        SegueAddress.controlInterface,
        methods: [
          method("GetStatus", "", "D"), method("ListOffers", "", "L"), method("ListActivities", "", "L"),
          method("ListStored", "", "L"),
          method("ListDevices", "", "L"), method("Continue", "sD", "s"), method("AddDevice", "ssS", ""),
          method("RemoveDevice", "s", ""), method("Pair", "D", ""), method("GetPairing", "", "D"),
          method("EndPairing", "", ""),
        ],
        signals: [
          BusSignal("OffersChanged"), BusSignal("StoredChanged"), BusSignal("DevicesChanged"),
          BusSignal("ContinuationChanged", [BusArgument("continuation", "s"), BusArgument("state", "s")]),
        ])
    ])
    let door = BusObject([
      BusInterface(SegueAddress.doorInterface, methods: [method("Hello", "uusD", "uD")])
    ])
    self.control = control
    server = try PeerServer(path: "\(folder)/socket", on: loop) { [unowned self] client in
      doors.append(client)
      client.export(control, at: SegueAddress.controlPath)
      client.export(door, at: SegueAddress.doorPath)
    }
    let connection = try Connection.openBus(address: address, on: loop) { _ in }
    self.connection = connection
    let folder = folder
    connection.export(
      BusObject([
        BusInterface(
          SegueAddress.daemonInterface,
          methods: [
            BusMethod("OpenDoor", out: Self.arguments("hs")) { _, invocation in
              let descriptor = open(folder + "/" + DoorProtocol.socketName, 0o10000000 | O_CLOEXEC)  // O_PATH
              invocation.reply([.descriptor(FileDescriptor(owning: descriptor)), .string("token")])
            }
          ])
      ]), at: SegueAddress.daemonPath)
    var isOwner = false
    connection.requestName(SegueAddress.daemonName) { isOwner = $0 == .owner }
    while !isOwner { loop.wait(milliseconds: 1_000) }
  }

  /// One argument a letter: D is a{sv}, L a list of those, S a list of strings.
  private static func arguments(_ letters: String) -> [BusArgument] {
    letters.map { BusArgument("argument", ["D": "a{sv}", "L": "aa{sv}", "S": "as"][$0] ?? String($0)) }
  }
}
