import Foundation
import SegueBus
import SegueCore
import Testing

@Suite struct PeerServerTests {
  @Test func garbageIsIgnored() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let path = pair.folder.path + "/socket"
    var sockets: [Int32] = []
    for text in [
      "", "\0", "GET / HTTP/1.1\r\n\r\n", "\0AUTH ANONYMOUS\r\n", "\0AUTH EXTERNAL 39393939\r\nBEGIN\r\n",
      "\0BEGIN\r\nl\u{1}\0\u{1}", "\0AUTH DBUS_COOKIE_SHA1 30\r\n",
    ] {
      for _ in 0..<20 {
        let socket = try connect(path)
        text.withCString { _ in }
        var bytes = Array(text.utf8)
        _ = write(socket, &bytes, bytes.count)
        sockets.append(socket)
        pair.loop.dispatch()
        // UnauthenticatedPeers that stay are bounded, so that the next can come.
        if sockets.count > 20 { close(sockets.removeFirst()) }
        pair.loop.dispatch()
      }
    }
    for socket in sockets { close(socket) }
    run(pair.loop) { pair.server.connectionCount == 1 }
    #expect(try answer(pair.client, call("Echo", [.string("still here")])).error == nil)
    pair.close()
  }

  @Test func anotherUserIsRefused() throws {
    // Only root can be someone else.
    guard geteuid() == 0 else { return }
    let pair = try Pair()
    let path = pair.folder.path
    chmod(path, 0o755)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = """
      import os, socket, sys
      os.setuid(65534)
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      s.settimeout(20)
      s.sendall(b"\\0AUTH EXTERNAL " + b"65534".hex().encode() + b"\\r\\nBEGIN\\r\\n")
      while s.recv(100):
        pass
      """
    process.arguments = ["python3", "-c", script, path + "/socket"]
    try process.run()
    run(pair.loop) { !process.isRunning }
    #expect(process.terminationStatus == 0)
    drain(pair.loop)
    #expect(pair.server.connectionCount == 1)
    pair.close()
  }

  @Test func strangersAreBounded() throws {
    let pair = try Pair()
    let sockets = try (0..<Limits.unauthenticatedConnections * 2).map { _ in
      let socket = try connect(pair.folder.path + "/socket")
      pair.loop.dispatch()
      return socket
    }
    drain(pair.loop)
    #expect(pair.server.connectionCount == Limits.unauthenticatedPerSource + 1)
    for socket in sockets { close(socket) }
    run(pair.loop) { pair.server.connectionCount == 1 }
    pair.close()
  }

  /// The silent give way where all places are taken, and nobody else does.
  @Test func attack38_atAFullDoorTheSilentGiveWay() throws {
    var accepted = 0
    let pair = try Pair { _ in accepted += 1 }
    let most = Limits.doorConnections + Limits.doorRefusals + Limits.unauthenticatedConnections
    var clients: [Connection] = []
    func come() throws -> Connection {
      let client = try Connection.open(address: "unix:path=\(pair.folder.path)/socket", on: pair.loop)
      clients.append(client)
      return client
    }
    let few = Limits.unauthenticatedPerSource - 1
    while accepted < most - few {
      _ = try come()
      run(pair.loop) { accepted == clients.count + 1 }
    }
    let silent = try (0..<few).map { _ in try connect(pair.folder.path + "/socket") }
    run(pair.loop) { pair.server.connectionCount == most }
    for _ in silent {
      _ = try come()
      run(pair.loop) { accepted == clients.count + 1 }
      #expect(pair.server.connectionCount == most)
    }
    // One more has nobody to take the place of.
    var isDropped = false
    try come().setDisconnected { isDropped = true }
    run(pair.loop) { isDropped }
    #expect(pair.server.connectionCount == most)
    #expect(pair.served.isOpen)
    for client in clients { client.close() }
    run(pair.loop) { pair.server.connectionCount == 1 }
    for socket in silent { close(socket) }
    pair.close()
  }

  @Test func attack3_whoSaysNothingIsNotWaitedForEver() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    #expect(pair.server.patience == Limits.handshakeTime)
    pair.server.patience = 1
    let socket = try connect(pair.folder.path + "/socket")
    // It may come and go in one turn of the loop.
    var poller = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    run(pair.loop) { poll(&poller, 1, 0) == 1 }
    var byte: UInt8 = 0
    #expect(read(socket, &byte, 1) == 0)
    #expect(pair.server.connectionCount == 1)
    close(socket)
    // An authenticated connection stays.
    #expect(try answer(pair.client, call("Echo", [.string("")])).error == nil)
    pair.close()
  }

  /// Each process is within its own bound.
  @Test func strangersOfManyProcessesAreBounded() throws {
    let pair = try Pair()
    pair.server.patience = 600_000
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = """
      import os, signal, socket, sys
      each = int(sys.argv[2])
      for count in (int(sys.argv[3]) // each, 1):
        for _ in range(count):
          reading, writing = os.pipe()
          if os.fork() == 0:
            held = [socket.socket(socket.AF_UNIX) for _ in range(each)]
            for one in held:
              one.connect(sys.argv[1])
            os.write(writing, b"x")
            signal.pause()
          os.read(reading, 1)
        os.write(1, b"x")
        os.read(0, 1)
      os.killpg(0, 9)
      """
    process.arguments = [
      "setsid", "python3", "-c", script, pair.folder.path + "/socket", "\(Limits.unauthenticatedPerSource)",
      "\(Limits.unauthenticatedConnections)",
    ]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    var steps = 0
    let reading = output.fileHandleForReading
    let watch = try pair.loop.watch(reading.fileDescriptor, .readable) { _ in steps += reading.availableData.count }
    for step in 1...2 {
      run(pair.loop) { steps == step }
      drain(pair.loop)
      #expect(pair.server.connectionCount == Limits.unauthenticatedConnections + 1)
      try input.fileHandleForWriting.write(contentsOf: [0])
    }
    watch.cancel()
    run(pair.loop) { pair.server.connectionCount == 1 }
    process.waitUntilExit()
    pair.close()
  }

  @Test func aStaleSocketIsReplacedAFileIsNot() throws {
    let loop = try EventLoop()
    let folder = Folder()
    let path = folder.path + "/socket"
    try Listener(path).close()
    #expect(FileManager.default.fileExists(atPath: path))
    let server = try PeerServer(path: path, on: loop) { _ in }
    server.close()
    server.close()
    _ = FileManager.default.createFile(atPath: folder.path + "/file", contents: Data())
    #expect(throws: SegueError.self) { _ = try PeerServer(path: folder.path + "/file", on: loop) { _ in } }
    #expect(throws: SegueError.self) { _ = try PeerServer(path: "", on: loop) { _ in } }
    let long = folder.path + "/" + String(repeating: "x", count: 200)
    #expect(throws: SegueError.self) { _ = try PeerServer(path: long, on: loop) { _ in } }
    loop.close()
  }

  @Test func closedServerKeepsItsConnections() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    pair.server.close()
    #expect(try answer(pair.client, call("Echo", [.string("")])).error == nil)
    pair.close()
  }

  @Test func unansweredCallsAreBounded() throws {
    var kept: [Invocation] = []
    let pair = try Pair { $0.export(testObject { kept.append($0) }, at: testPath) }
    var refused = 0
    var answered = 0
    for _ in 0..<Limits.pendingCalls + 10 {
      pair.client.call(try call("Keep")) { if $0.code == nil { answered += 1 } else { refused += 1 } }
    }
    run(pair.loop) { refused == 10 }
    #expect(kept.count == Limits.pendingCalls)
    for invocation in kept { invocation.reply() }
    run(pair.loop) { answered == Limits.pendingCalls }
    pair.close()
  }
}

/// A socket that listens and says nothing.
final class Listener {
  private let socket: Int32

  init(_ path: String) throws {
    socket = try unixSocket(path) { bind($0, $1, $2) }
    listen(socket, 10)
  }

  /// A process that another test starts may have it open for a moment yet, and so it is shut.
  func close() {
    shutdown(socket, Int32(SHUT_RDWR))
    _ = Glibc.close(socket)
  }
}

func connect(_ path: String) throws -> Int32 { try unixSocket(path) { Glibc.connect($0, $1, $2) } }

private func unixSocket(
  _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws -> Int32 {
  // Programs that other tests start do not get it.
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(result == 0)
  return descriptor
}
