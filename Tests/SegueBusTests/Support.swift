import Foundation
import SegueBus
import SegueCore
import Testing

/// Runs a loop until something is so, at most so long that only a broken program takes it.
func run(_ loop: EventLoop, until condition: () -> Bool) {
  let end = Instant.now + 60_000
  while !condition(), Instant.now < end { loop.wait(milliseconds: 200) }
  #expect(condition())
}

/// Whether poll says that the loop has work.
func isReadable(_ loop: EventLoop) -> Bool {
  var poller = pollfd(fd: loop.descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&poller, 1, 0) == 1
}

/// Dispatches until there is no work, which must come to an end.
func drain(_ loop: EventLoop) {
  for _ in 0..<1000 where isReadable(loop) { loop.dispatch() }
  #expect(!isReadable(loop))
}

/// A short private folder, since the path of a socket may have 107 bytes.
final class Folder {
  let path: String

  init() {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A bus of the test's own.
final class PrivateBus {
  private let folder = Folder()
  private let process = Process()
  let address: String

  init() throws {
    let address = "unix:path=\(folder.path)/bus"
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["dbus-daemon", "--session", "--nofork", "--print-address=1", "--address=\(address)"]
    process.standardOutput = output
    try process.run()
    // It prints when it listens.
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      guard let byte = byte.first else { break }
      line.append(byte)
    }
    self.address = address
  }

  func kill() {
    guard process.isRunning else { return }
    // Not SIGTERM, which a thread of the test's runner may have blocked for its children.
    Glibc.kill(process.processIdentifier, SIGKILL)
  }

  deinit { kill() }

  /// A connection that has its name.
  func connect(_ loop: EventLoop) throws -> Connection {
    var done = false
    var failure: SegueError?
    let connection = try Connection.openBus(address: address, on: loop) { error in
      done = true
      failure = error
    }
    run(loop) { done }
    #expect(failure == nil)
    return connection
  }
}

/// Two ends of a peer-to-peer connection on one loop.
final class Pair {
  let loop: EventLoop
  let folder = Folder()
  let server: PeerServer
  let client: Connection
  let served: Connection

  init(configure: @escaping (Connection) -> Void = { _ in }) throws {
    let loop = try EventLoop()
    var accepted: Connection?
    let server = try PeerServer(path: folder.path + "/socket", on: loop) {
      accepted = $0
      configure($0)
    }
    let client = try Connection.open(address: "unix:path=\(folder.path)/socket", on: loop)
    run(loop) { accepted != nil }
    self.loop = loop
    self.server = server
    self.client = client
    served = try #require(accepted)
  }

  func close() {
    client.close()
    served.close()
    server.close()
    loop.dispatch()
    loop.close()
  }
}

/// Two ends of a peer-to-peer connection, each on a loop of its own: one of them may rest.
final class Apart {
  let here: EventLoop
  let there: EventLoop
  let served: Connection
  let client: Connection
  private let folder = Folder()
  private let server: PeerServer

  init() throws {
    (here, there) = (try EventLoop(), try EventLoop())
    var accepted: Connection?
    server = try PeerServer(path: folder.path + "/socket", on: here) { accepted = $0 }
    client = try Connection.open(address: "unix:path=\(folder.path)/socket", on: there)
    let end = Instant.now + 60_000
    while accepted == nil, Instant.now < end {
      here.wait(milliseconds: 10)
      there.wait(milliseconds: 10)
    }
    served = try #require(accepted)
  }

  /// The served end queues messages until it may not any more. The error that says so.
  func fill() throws -> SegueError? {
    for _ in 0..<100 {
      do {
        try served.send(call("Echo", [.bytes([UInt8](repeating: 0, count: 100_000))]))
        here.dispatch()
      } catch let error as SegueError { return error }
    }
    return nil
  }

  func close() {
    client.close()
    served.close()
    server.close()
    here.close()
    there.close()
  }
}

let testPath = ObjectPath(constant: "/test")
let testInterface = InterfaceName(constant: "org.example.Test")

func call(
  _ member: String, _ values: [BusValue] = [], to destination: BusName? = nil, at path: ObjectPath = testPath,
  on interface: InterfaceName = testInterface
) throws -> Message {
  let message = Message.call(
    destination: destination, path: path, interface: interface, member: try #require(MemberName(member)))
  try message.append(values)
  return message
}

/// Calls and runs the loop until the reply is there. An error's bus name is in `errorName`.
func answer(
  _ connection: Connection, _ message: Message
) throws -> (values: [BusValue]?, error: SegueError?, errorName: String?) {
  var answer: Result<Message, SegueError>?
  let pending = connection.call(message) { answer = $0 }
  #expect(answer == nil)
  run(connection.loop) { answer != nil }
  switch try #require(answer) {
  case .success(let reply): return (try reply.arguments(), nil, nil)
  case .failure(let error): return (nil, error, pending.errorName)
  }
}

/// An object that gives back what it got, among other things.
func testObject(
  echo signature: String = "s", kept: @escaping (Invocation) -> Void = { _ in }
) -> BusObject {
  var level: UInt32 = 7
  return BusObject([
    BusInterface(
      testInterface,
      methods: [
        BusMethod("Echo", in: [BusArgument("value", signature)], out: [BusArgument("value", signature)]) {
          values, invocation in
          invocation.reply(values)
        },
        BusMethod("Fail") { _, invocation in
          invocation.fail(SegueError(.limitExceeded, "Too much.", advice: "Take less."))
        },
        BusMethod("Drop") { _, _ in },
        BusMethod("Keep") { _, invocation in kept(invocation) },
        BusMethod("Twice") { _, invocation in
          invocation.reply()
          invocation.reply()
          invocation.fail(SegueError(.system, ""))
        },
        BusMethod("Wrong") { _, invocation in invocation.reply([.bool(true)]) },
      ],
      signals: [BusSignal("Happened", [BusArgument("what", "s")])],
      properties: [
        BusProperty(
          "Level", "u", get: { .uint32(level) },
          set: { value, invocation in
            level = value.asUInt32 ?? 0
            invocation.reply()
          }),
        BusProperty("Name", "s", changes: .constant, get: { .string("test") }),
      ])
  ])
}
