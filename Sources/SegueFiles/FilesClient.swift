import SegueBus
import SegueCore

/// A command's way to the service, which the session bus starts where it does not run. Blocks.
public final class FilesClient {
  private let loop: EventLoop
  private let service: Connection

  /// Throws `connectionUnavailable` where it cannot be started.
  public init() throws(SegueError) {
    loop = try EventLoop()
    service = try Self.enter(loop)
  }

  public func close() {
    service.close()
    loop.close()
  }

  /// Shows the files to the device's user, and returns a number when they are there to be taken. Closing withdraws them.
  public func offer(_ paths: [String], to device: String) throws(SegueError) -> UInt64 {
    let answer = try call(FilesDoor.offer, [.string(device), .strings(paths)])
    guard let number = answer.first?.asUInt64 else { throw Self.notUnderstood }
    return number
  }

  /// Waits until they were taken and are there.
  public func finish(_ number: UInt64) throws(SegueError) -> FilesReport {
    let answer = try call(FilesDoor.finish, [.uint64(number)])
    guard answer.count == 2, let count = answer[0].asUInt32, let failures = answer[1].asStrings else {
      throw Self.notUnderstood
    }
    var report = FilesReport()
    (report.count, report.failures) = (Int(count), failures)
    return report
  }

  private func call(_ member: MemberName, _ values: [BusValue]) throws(SegueError) -> [BusValue] {
    let message = Message.call(
      destination: nil, path: FilesDoor.path, interface: FilesDoor.interface, member: member)
    try message.append(values)
    var result: Result<Message, SegueError>?
    // The service has bounds of its own.
    service.call(message, timeout: .max) { result = $0 }
    while true {
      if let result { return try result.get().arguments() }
      loop.wait(milliseconds: -1)
    }
  }

  // MARK: The service

  private static func enter(_ loop: EventLoop) throws(SegueError) -> Connection {
    let address = try Connection.address(ofSocketAt: FilesDoor.folder() + "/" + FilesDoor.socket)
    if let service = try? Connection.open(address: address, on: loop) { return service }
    let bus = try Connection.openBus(on: loop) { _ in }
    defer { bus.close() }
    guard let name = AppID(FilesDoor.appID)?.segueName else { throw notUnderstood }
    var owner: BusName?
    var isKnown = false
    let watch = bus.watchOwner(of: name) { (owner, isKnown) = ($0, true) }
    defer { watch.cancel() }
    let end = Instant.now + Limits.filesStartTime
    while Instant.now < end {
      try start(name, bus, loop)
      if let service = try? Connection.open(address: address, on: loop) { return service }
      // It was about to end; the next one has the name later.
      isKnown = false
      while owner != nil || !isKnown, bus.isOpen, Instant.now < end { loop.wait(milliseconds: 100) }
    }
    throw SegueError(
      .connectionUnavailable, "segue-files does not let this command in.", advice: "Try again in a moment.")
  }

  private static func start(_ name: BusName, _ bus: Connection, _ loop: EventLoop) throws(SegueError) {
    let message = Message.call(
      destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
      interface: InterfaceName(constant: "org.freedesktop.DBus"), member: MemberName(constant: "StartServiceByName"))
    try message.append([.string(name.string), .uint32(0)])
    var result: Result<Message, SegueError>?
    bus.call(message) { result = $0 }
    while result == nil { loop.wait(milliseconds: -1) }
    if case .failure(let error)? = result {
      throw SegueError(
        .connectionUnavailable, "segue-files cannot be started: \(error.message)",
        advice: "Install Segue where the session bus finds its services: see `segue doctor`.")
    }
  }

  private static let notUnderstood = SegueError(
    .protocolViolation, "The answer of segue-files was not understood.", advice: "Install both in the same version.")
}
