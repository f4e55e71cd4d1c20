import Foundation
import SegueBus
import SegueCore
import Testing

@Suite struct ConnectionTests {
  @Test func callAndReply() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    #expect(try answer(pair.client, call("Echo", [.string("hello")])).values == [.string("hello")])
    let failure = try answer(pair.client, call("Fail"))
    #expect(failure.error == SegueError(.limitExceeded, "Too much.", advice: "Take less."))
    #expect(failure.errorName == "org.segue.Error.LimitExceeded")
    // Both ends are equal.
    pair.client.export(testObject(), at: testPath)
    #expect(try answer(pair.served, call("Echo", [.string("back")])).values == [.string("back")])
    drain(pair.loop)
    pair.close()
  }

  /// Each end is handled once: what has been handed out already is not queued as well.
  @Test func aCallCostsEachEndOneHandler() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    _ = try answer(pair.client, call("Echo", [.string("")]))
    drain(pair.loop)
    var isAnswered = false
    var count = 0
    pair.client.call(try call("Echo", [.string("")])) { _ in isAnswered = true }
    for _ in 0..<100 where !isAnswered { count += pair.loop.wait(milliseconds: 200) }
    #expect(isAnswered && count == 2)
    pair.close()
  }

  @Test func credentialsAreThoseOfTheSocket() throws {
    let pair = try Pair()
    #expect(pair.served.credentialsOfPeer()?.uid == getuid())
    #expect(pair.served.credentialsOfPeer()?.pid == getpid())
    #expect(pair.client.credentialsOfPeer()?.uid == getuid())
    pair.close()
    #expect(pair.served.credentialsOfPeer() == nil)
  }

  @Test func timeout() throws {
    var kept: [Invocation] = []
    let pair = try Pair { $0.export(testObject { kept.append($0) }, at: testPath) }
    var replies: [Result<Message, SegueError>] = []
    pair.client.call(try call("Keep"), timeout: 0) { replies.append($0) }
    run(pair.loop) { replies.count == 1 && kept.count == 1 }
    #expect(replies.first?.code == .connectionUnavailable)
    // The late answer is for nobody.
    kept.first?.reply()
    #expect(try answer(pair.client, call("Drop")).error?.code == .system)
    #expect(replies.count == 1)
    pair.close()
  }

  @Test func cancelledCallIsSilent() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let pending = pair.client.call(try call("Echo", [.string("")])) { _ in Issue.record("It was cancelled.") }
    pending.cancel()
    #expect(!pending.isPending)
    #expect(try answer(pair.client, call("Echo", [.string("")])).error == nil)
    pair.close()
  }

  @Test func lossFailsEveryCallOnceThenTells() throws {
    var kept: [Invocation] = []
    let pair = try Pair { $0.export(testObject { kept.append($0) }, at: testPath) }
    var order: [String] = []
    for number in 0..<3 {
      pair.client.call(try call("Keep")) { result in
        #expect(result.code == .connectionUnavailable)
        order.append("reply \(number)")
        if number == 0 {
          // A call that is made now gets an answer too, later.
          do { pair.client.call(try call("Keep")) { _ in order.append("late") } } catch { Issue.record(error) }
        }
      }
    }
    pair.client.setDisconnected { order.append("disconnected") }
    run(pair.loop) { kept.count == 3 }
    pair.served.close()
    run(pair.loop) { order.count == 5 }
    #expect(order == ["reply 0", "reply 1", "reply 2", "disconnected", "late"])
    #expect(!pair.client.isOpen)
    // Answers to a peer that is gone do no harm.
    for invocation in kept { invocation.reply() }
    drain(pair.loop)
    #expect(order.count == 5)
    pair.close()
  }

  @Test func closeFailsEveryCallOnceAndLater() throws {
    let pair = try Pair()
    var count = 0
    pair.client.setDisconnected { Issue.record("The end was ours.") }
    for _ in 0..<3 { pair.client.call(try call("Keep")) { _ in count += 1 } }
    pair.client.close()
    pair.client.close()
    #expect(count == 0)
    drain(pair.loop)
    #expect(count == 3)
    #expect(throws: SegueError.self) { try pair.client.send(call("Keep")) }
    pair.close()
    #expect(count == 3)
  }

  @Test func callBeforeAuthenticationFails() throws {
    // A listener that never says anything.
    let loop = try EventLoop()
    let folder = Folder()
    let listener = try Listener(folder.path + "/silent")
    let connection = try Connection.open(address: "unix:path=\(folder.path)/silent", on: loop)
    var results: [SegueError.Code?] = []
    connection.call(try call("Echo"), timeout: 10) { results.append($0.code) }
    run(loop) { results.count == 1 }
    #expect(results == [.connectionUnavailable])
    connection.call(try call("Echo")) { results.append($0.code) }
    connection.close()
    drain(loop)
    #expect(results.count == 2)
    listener.close()
    loop.close()
  }

  @Test(arguments: [
    "", "unix:path=/nonexistent/socket", "autolaunch:", "unixexec:path=/bin/true", "tcp:host=localhost,port=1", "unix:",
    "nonsense", "unix:path=/a\u{0}",
  ])
  func addressesThatCannotBeOpened(_ address: String) throws {
    let loop = try EventLoop()
    #expect(throws: SegueError.self) { _ = try Connection.open(address: address, on: loop) }
    #expect(throws: SegueError.self) { _ = try Connection.openBus(address: address, on: loop) { _ in } }
    loop.close()
  }

  @Test func handlerMayCloseItsConnection() throws {
    let pair = try Pair { connection in
      connection.export(
        BusObject([BusInterface(testInterface, methods: [BusMethod("Close") { _, _ in connection.close() }])]),
        at: testPath)
    }
    var replies = 0
    for _ in 0..<5 { pair.client.call(try call("Close")) { _ in replies += 1 } }
    run(pair.loop) { replies == 5 }
    drain(pair.loop)
    #expect(replies == 5)
    pair.close()
  }

  @Test func replyHandlerMayCloseEverything() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    var replies = 0
    for _ in 0..<5 {
      pair.client.call(try call("Echo", [.string("")])) { _ in
        replies += 1
        pair.client.close()
        pair.served.close()
        pair.server.close()
        pair.loop.later { pair.loop.close() }
      }
    }
    let end = Instant.now + 60_000
    while replies < 5, Instant.now < end { pair.loop.wait(milliseconds: 200) }
    #expect(replies == 5)
    #expect(pair.loop.dispatch() == 0)
  }

  @Test func handlerMayRunTheLoopInsideItself() throws {
    var inner: [BusValue]?
    var pair: Pair?
    pair = try Pair { connection in
      connection.export(testObject(), at: testPath)
      connection.export(
        BusObject([
          BusInterface(
            testInterface,
            methods: [
              BusMethod("Nest") { _, invocation in
                do { inner = try pair.flatMap { try answer($0.client, call("Echo", [.string("inner")])).values } } catch
                {
                  Issue.record(error)
                }
                invocation.reply()
              }
            ])
        ]), at: ObjectPath(constant: "/nest"))
    }
    let open = try #require(pair)
    #expect(try answer(open.client, call("Nest", at: ObjectPath(constant: "/nest"))).values == [])
    #expect(inner == [.string("inner")])
    open.close()
  }

  @Test func descriptorsPass() throws {
    let pair = try Pair { $0.export(testObject(echo: "h"), at: testPath) }
    let memory = try SealedMemory.make([1, 2, 3])
    let values = try answer(pair.client, call("Echo", [.descriptor(memory)])).values
    let received = try #require(values?.first?.asDescriptor)
    #expect(received.raw != memory.raw)
    #expect(try SealedMemory.read(received, limit: 3) == [1, 2, 3])
    let number = received.take()
    #expect(received.take() == -1)
    #expect(close(number) == 0)
    pair.close()
  }

  /// Closing a descriptor that came closes the last one: the message that is being handled keeps none.
  @Test func aDescriptorThatCameIsTheOnlyOne() throws {
    let (question, answer) = (try Ends(), try Ends())
    var called: Bool?
    let pair = try Pair {
      let take = BusMethod("Take", in: [BusArgument("end", "h")], out: [BusArgument("end", "h")]) {
        values, invocation in
        values.first?.asDescriptor.map { _ = close($0.take()) }
        called = question.isClosed
        invocation.reply([.descriptor(answer.takeWriter())])
      }
      $0.export(BusObject([BusInterface(testInterface, methods: [take])]), at: testPath)
    }
    var replied: Bool?
    pair.client.call(try call("Take", [.descriptor(question.takeWriter())])) { result in
      let values = try? result.get().takeArguments()
      values?.first?.asDescriptor.map { _ = close($0.take()) }
      replied = answer.isClosed
    }
    run(pair.loop) { replied != nil }
    #expect(called == true)
    #expect(replied == true)
    pair.close()
  }

  /// The ends of a pipe, of which the writing one is given away.
  private final class Ends {
    private let reader: FileDescriptor
    private var writer: FileDescriptor?

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      reader = FileDescriptor(owning: ends[0])
      writer = FileDescriptor(owning: ends[1])
      try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    }

    func takeWriter() -> FileDescriptor {
      defer { writer = nil }
      return writer ?? reader
    }

    /// Whether nobody has the writing end any more.
    var isClosed: Bool {
      var byte: UInt8 = 0
      return read(reader.raw, &byte, 1) == 0
    }
  }

  @Test func descriptorsWaitForTheAuthentication() throws {
    let loop = try EventLoop()
    let folder = Folder()
    let server = try PeerServer(path: folder.path + "/socket", on: loop) {
      $0.export(testObject(echo: "h"), at: testPath)
    }
    let client = try Connection.open(address: "unix:path=\(folder.path)/socket", on: loop)
    #expect(try answer(client, call("Echo", [.descriptor(SealedMemory.make([]))])).values?.count == 1)
    client.close()
    server.close()
    drain(loop)
    loop.close()
  }

  @Test func attack37_manyDescriptorsAreClosed() throws {
    let pair = try Pair { $0.export(testObject(echo: "hhhh"), at: testPath) }
    let memory = BusValue.descriptor(try SealedMemory.make([]))
    func openDescriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    var left = 500
    for _ in 0..<left {
      pair.client.call(try call("Echo", [memory, memory, memory, memory])) { result in
        #expect(result.code == nil)
        left -= 1
      }
      if try openDescriptors() > 400 { pair.loop.dispatch() }
    }
    run(pair.loop) { left == 0 }
    pair.close()
  }

  @Test func attack36_largeMessages() throws {
    let pair = try Pair { $0.export(testObject(echo: "ay"), at: testPath) }
    let bytes = BusValue.bytes([UInt8](repeating: 7, count: 1 << 20))
    #expect(try answer(pair.client, call("Echo", [bytes])).values == [bytes])
    let more = BusValue.bytes([UInt8](repeating: 7, count: 20 << 20))
    #expect(try answer(pair.client, call("Echo", [more])).values == [more])
    #expect(pair.client.outgoingBytes == 0)
    pair.close()
  }

  @Test func queueOfOneWhoDoesNotReadIsBounded() throws {
    let apart = try Apart()
    #expect(try apart.fill()?.code == .limitExceeded)
    #expect(apart.served.outgoingBytes < 2 * Limits.queuedBytes)
    apart.served.flush(milliseconds: 1)
    apart.close()
  }

  @Test func aMessageMayBeSentAgain() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let message = try call("Echo", [.string("again")])
    #expect(try answer(pair.client, message).values == [.string("again")])
    #expect(try answer(pair.client, message).values == [.string("again")])
    #expect(throws: SegueError.self) { try message.append([.byte(1)]) }
    // The answer to a call that was never sent is for nobody.
    #expect(throws: SegueError.self) { try pair.client.send(call("Echo").reply()) }
    pair.close()
  }

  @Test func signalsOfAPeer() throws {
    let pair = try Pair()
    let object = testObject()
    pair.served.export(object, at: testPath)
    var seen: [[BusValue]] = []
    let all = pair.client.addSignalHandler(interface: testInterface) { message in
      do { seen.append(try message.arguments()) } catch { Issue.record(error) }
    }
    pair.client.addSignalHandler(path: ObjectPath(constant: "/other")) { _ in Issue.record("Another path.") }
    try object.emit(testInterface, "Happened", [.string("one")])
    run(pair.loop) { seen == [[.string("one")]] }
    #expect(throws: SegueError.self) { try object.emit(testInterface, "Happened", [.byte(1)]) }
    #expect(throws: SegueError.self) { try object.emit(testInterface, "Nothing", []) }
    all.cancel()
    try object.emit(testInterface, "Happened", [.string("two")])
    drain(pair.loop)
    #expect(seen.count == 1)
    pair.close()
  }

  @Test func theHandlingOfSIGPIPEStaysTheHosts() throws {
    var before = sigaction()
    sigaction(SIGPIPE, nil, &before)
    let pair = try Pair()
    var after = sigaction()
    sigaction(SIGPIPE, nil, &after)
    #expect((before.__sigaction_handler.sa_handler == nil) == (after.__sigaction_handler.sa_handler == nil))
    pair.close()
  }

  @Test func connectionsAreLetGo() throws {
    weak var client: Connection?
    weak var served: Connection?
    weak var loop: EventLoop?
    do {
      let pair = try Pair { $0.export(testObject(), at: testPath) }
      client = pair.client
      served = pair.served
      loop = pair.loop
      pair.client.addSignalHandler { _ in _ = pair.client }
      _ = try answer(pair.client, call("Echo", [.string("")]))
      pair.close()
    }
    #expect(client == nil)
    #expect(served == nil)
    #expect(loop == nil)
  }
}

extension Result where Failure == SegueError {
  /// The code of a failure.
  var code: SegueError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
