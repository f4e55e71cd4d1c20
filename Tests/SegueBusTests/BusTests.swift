import Foundation
import SegueCore
import Testing

@testable import SegueBus

/// Against a real bus.
@Suite struct BusTests {
  private let name = BusName(constant: "org.example.Service")
  private let busName = BusName(constant: "org.freedesktop.DBus")

  @Test func callThroughTheBus() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let service = try bus.connect(loop)
    let client = try bus.connect(loop)
    #expect(service.uniqueName?.isUnique == true)
    var sender: BusName?
    service.export(
      testObject { invocation in
        sender = invocation.sender
        invocation.reply()
      }, at: testPath)
    #expect(try answer(client, call("Keep", to: service.uniqueName)).error == nil)
    #expect(sender == client.uniqueName)
    let nobody = try answer(client, call("Echo", to: BusName(constant: "org.example.Nobody")))
    #expect(nobody.error?.code == .connectionUnavailable)
    #expect(nobody.errorName == "org.freedesktop.DBus.Error.ServiceUnknown")
    close(loop, service, client)
  }

  /// A bus that passes on whatever number an answer has: only that of who was called counts.
  @Test func anAnswerOfAnotherIsNone() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let address = "unix:path=\(pair.folder.path)/socket"
    let client = try Connection(adopting: Connection.connect(address), isBus: true, loop: pair.loop)
    // This other end names no sender.
    let waiting = client.call(try call("Echo", [.string("")], to: try #require(BusName(":1.7")))) { _ in }
    #expect(try answer(client, call("Echo", [.string("")])).error == nil)
    #expect(waiting.isPending)
    client.close()
    pair.close()
  }

  @Test func callsMayBeMadeBeforeTheBusHasGivenAName() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let connection = try Connection.openBus(address: bus.address, on: loop) { _ in }
    var outcome: NameOutcome?
    connection.requestName(name) { outcome = $0 }
    run(loop) { outcome != nil }
    #expect(outcome == .owner)
    close(loop, connection)
  }

  @Test func names() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let first = try bus.connect(loop)
    let second = try bus.connect(loop)
    let watcher = try bus.connect(loop)
    var owners: [BusName?] = []
    let watch = watcher.watchOwner(of: name) { owners.append($0) }
    run(loop) { owners == [nil] }
    #expect(try request(first) == .owner)
    #expect(try request(first) == .owner)
    run(loop) { owners == [nil, first.uniqueName] }
    #expect(try request(second) == .taken)
    var released = false
    first.releaseName(name) { error in
      #expect(error == nil)
      released = true
    }
    run(loop) { released && owners == [nil, first.uniqueName, nil] }
    #expect(try request(second) == .owner)
    run(loop) { owners.count == 4 }
    // A second watch knows at once who owns it.
    var known: [BusName?] = []
    let other = first.watchOwner(of: name) { known.append($0) }
    run(loop) { known == [second.uniqueName] }
    second.close()
    run(loop) { owners.count == 5 && known.count == 2 }
    #expect(owners.last == .some(nil))
    watch.cancel()
    other.cancel()
    #expect(try request(first) == .owner)
    drain(loop)
    #expect(owners.count == 5)
    if case .failed = try request(first, BusName(constant: "org.freedesktop.DBus")) {
    } else {
      Issue.record("It cannot be had.")
    }
    close(loop, first, watcher)
  }

  /// A bus by its policy, and the filter before a sandbox, which hides a name or only shows it.
  @Test(arguments: ["AccessDenied", "ServiceUnknown"]) func aNameThatIsNotAllowed(_ answer: String) throws {
    let errorName = try #require(InterfaceName("org.freedesktop.DBus.Error." + answer))
    let object = BusObject([
      BusInterface(
        InterfaceName(constant: "org.freedesktop.DBus"),
        methods: [
          BusMethod(
            "RequestName", in: [BusArgument("name", "s"), BusArgument("flags", "u")], out: [BusArgument("code", "u")]
          ) { _, invocation in invocation.fail(name: errorName, text: errorName.string) }
        ])
    ])
    let pair = try Pair { $0.export(object, at: ObjectPath(constant: "/org/freedesktop/DBus")) }
    let address = "unix:path=\(pair.folder.path)/socket"
    let client = try Connection(adopting: Connection.connect(address), isBus: true, loop: pair.loop)
    guard case .refused(let error) = try request(client) else {
      Issue.record("It is another outcome.")
      return
    }
    #expect(error.code == .accessDenied && error.message.contains(name.string))
    #expect(!error.message.contains(errorName.string))
    client.close()
    pair.close()
  }

  @Test func attack39_theEndOfTheBusIsSurvived() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let service = try bus.connect(loop)
    let client = try bus.connect(loop)
    var kept: [Invocation] = []
    service.export(testObject { kept.append($0) }, at: testPath)
    var order: [String] = []
    client.call(try call("Keep", to: service.uniqueName), timeout: .max) { result in
      #expect(result.code == .connectionUnavailable)
      order.append("reply")
    }
    run(loop) { kept.count == 1 }
    client.setDisconnected { order.append("client") }
    service.setDisconnected { order.append("service") }
    bus.kill()
    run(loop) { order.count == 3 }
    #expect(order.firstIndex(of: "reply") ?? 3 < order.firstIndex(of: "client") ?? 0)
    kept.first?.reply()
    drain(loop)
    #expect(order.count == 3)
    var outcome: NameOutcome?
    client.requestName(name) { outcome = $0 }
    run(loop) { outcome != nil }
    // A new bus can be had by a new connection.
    let next = try PrivateBus()
    #expect(try next.connect(loop).isOpen)
    loop.close()
  }

  @Test func aBusThatDiesBeforeItAnswersHello() throws {
    let folder = Folder()
    let loop = try EventLoop()
    let listener = try Listener(folder.path + "/bus")
    var errors: [SegueError?] = []
    let connection = try Connection.openBus(address: "unix:path=\(folder.path)/bus", on: loop) { errors.append($0) }
    listener.close()
    run(loop) { errors.count == 1 }
    #expect(errors.first??.code == .connectionUnavailable)
    #expect(!connection.isOpen)
    drain(loop)
    loop.close()
  }

  @Test func signalsOfAWellKnownName() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let service = try bus.connect(loop)
    let imposter = try bus.connect(loop)
    let client = try bus.connect(loop)
    #expect(try request(service) == .owner)
    var seen: [String] = []
    client.addSignalHandler(sender: name, interface: testInterface) { seen.append("name " + ($0.sender ?? "")) }
    client.addSignalHandler(interface: testInterface) { seen.append("any " + ($0.sender ?? "")) }
    // The bus has processed the match rules once it has answered this call.
    _ = try answer(client, call("Nothing", to: busName))
    let member = MemberName(constant: "Happened")
    let signal = Message.signal(path: testPath, interface: testInterface, member: member)
    try imposter.send(signal)
    run(loop) { seen.count == 1 }
    try service.send(signal)
    run(loop) { seen.count == 3 }
    let owner = try #require(service.uniqueName?.string)
    let other = try #require(imposter.uniqueName?.string)
    #expect(seen == ["any \(other)", "name \(owner)", "any \(owner)"])
    close(loop, service, imposter, client)
  }

  @Test func descriptorsThroughTheBus() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let service = try bus.connect(loop)
    let client = try Connection.openBus(address: bus.address, on: loop) { _ in }
    service.export(testObject(echo: "h"), at: testPath)
    let memory = try SealedMemory.make([1, 2])
    let values = try answer(client, call("Echo", [.descriptor(memory)], to: service.uniqueName)).values
    #expect(try SealedMemory.read(try #require(values?.first?.asDescriptor), limit: 2) == [1, 2])
    close(loop, service, client)
  }

  @Test func anotherProgramOfTheBusUnderstandsUs() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let service = try bus.connect(loop)
    service.export(testObject(), at: testPath)
    #expect(try request(service) == .owner)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "dbus-send", "--bus=\(bus.address)", "--print-reply=literal", "--dest=\(name.string)", testPath.string,
      testInterface.string + ".Echo", "string:from afar",
    ]
    process.standardOutput = output
    try process.run()
    run(loop) { !process.isRunning }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.contains("from afar"))
    close(loop, service)
  }

  private func request(_ connection: Connection, _ name: BusName? = nil) throws -> NameOutcome {
    var outcome: NameOutcome?
    connection.requestName(name ?? self.name) { outcome = $0 }
    run(connection.loop) { outcome != nil }
    return try #require(outcome)
  }

  private func close(_ loop: EventLoop, _ connections: Connection...) {
    for connection in connections { connection.close() }
    loop.close()
  }
}
