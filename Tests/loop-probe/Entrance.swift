import Glibc
import SegueBus
import SegueCore

/// Uses a loop, or an object that belongs to one, by one of its entrances: here, on the loop's thread, or on another,
/// where a debug build ends. False if there is no entrance of this name.
func use(entrance: String, isElsewhere: Bool) throws -> Bool {
  let use = try Use()
  guard let body = use.entrances[entrance] else { return false }
  if !isElsewhere {
    body()
    return true
  }
  use.chosen = body
  var thread = pthread_t()
  let argument = Unmanaged.passRetained(use).toOpaque()
  let isStarted = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<Use>.fromOpaque(argument).takeRetainedValue().chosen() }
      return nil
    }, argument)
  return isStarted == 0 && pthread_join(thread, nil) == 0
}

/// A loop with a timer, a watch and a connection of its own.
private final class Use {
  let entrances: [String: () -> Void]
  var chosen: () -> Void = {}

  init() throws {
    let loop = try EventLoop()
    var ends: [Int32] = [-1, -1]
    require(Glibc.pipe(&ends) == 0, 9)
    let reading = ends[0]
    let timer = loop.timer(after: 60_000) {}
    let watch = try loop.watch(reading, .readable) { _ in }
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    let path = folder + "/door"
    let server = try PeerServer(path: path, on: loop) { _ in }
    let connection = try Connection.open(address: "unix:path=" + path, on: loop)
    // The connection is made: the socket's path is no longer needed.
    unlink(path)
    rmdir(folder)
    let place = ObjectPath(constant: "/a")
    let member = MemberName(constant: "A")
    let name = InterfaceName(constant: "org.segue.A")
    let pending = connection.call(.call(destination: nil, path: place, interface: name, member: member)) { _ in }
    entrances = [
      "wait": { loop.wait(milliseconds: 0) },
      "dispatch": { loop.dispatch() },
      "later": { loop.later {} },
      "timer": { loop.timer(after: 60_000) {} },
      "watch": { _ = try? loop.watch(reading, .readable) { _ in } },
      "close": { loop.close() },
      "timer.cancel": { timer.cancel() },
      "watch.setEvents": { watch.setEvents([]) },
      "watch.cancel": { watch.cancel() },
      "connection.send": { try? connection.send(.signal(path: place, interface: name, member: member)) },
      "connection.call": {
        connection.call(.call(destination: nil, path: place, interface: name, member: member)) { _ in }
      },
      "connection.flush": { connection.flush(milliseconds: 0) },
      "connection.setDisconnected": { connection.setDisconnected(nil) },
      "connection.export": { connection.export(BusObject([]), at: place) },
      "connection.unexport": { connection.unexport(place) },
      "connection.addSignalHandler": { connection.addSignalHandler { _ in } },
      "connection.close": { connection.close() },
      "pending.cancel": { pending.cancel() },
      "server.close": { server.close() },
      // The entrances that any thread may use.
      "post": { loop.post {} },
      "wake": { loop.wake() },
    ]
  }
}
