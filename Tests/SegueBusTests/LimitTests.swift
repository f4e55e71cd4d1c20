import Foundation
import SegueCore
import Testing

@testable import SegueBus

/// Bounds of the loop and of connections: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  @Test func descriptorsOfATurn() throws {
    let loop = try EventLoop()
    let pipes = (0...Limits.descriptorsPerTurn).map { _ in Pipe() }
    var seen = 0
    let watches = try pipes.map { pipe in
      let reading = pipe.fileHandleForReading
      return try loop.watch(reading.fileDescriptor, .readable) { _ in
        seen += 1
        _ = reading.availableData
      }
    }
    for pipe in pipes.dropLast() { try pipe.fileHandleForWriting.write(contentsOf: [1]) }
    loop.dispatch()
    #expect(seen == Limits.descriptorsPerTurn)
    for pipe in pipes { try pipe.fileHandleForWriting.write(contentsOf: [1]) }
    loop.dispatch()
    #expect(seen == 2 * Limits.descriptorsPerTurn)
    loop.dispatch()
    #expect(seen == 2 * Limits.descriptorsPerTurn + 1)
    for watch in watches { watch.cancel() }
    loop.close()
  }

  /// How many answers come while none is let go, and whether the next one comes then.
  private func kept(of signature: String, _ values: [BusValue], calls: Int) throws -> Int {
    let pair = try Pair { $0.export(testObject(echo: signature), at: testPath) }
    var replies: [Message] = []
    for _ in 0..<calls {
      pair.client.call(try call("Echo", values)) { if case .success(let reply) = $0 { replies.append(reply) } }
      drain(pair.loop)
    }
    let count = replies.count
    replies = []
    run(pair.loop) { replies.count == calls - count }
    pair.close()
    return count
  }

  @Test func receivedBytes() throws {
    // With what is around its content each is a little larger.
    let quarter = Limits.receivedBytes / 4
    #expect(try kept(of: "ay", [.bytes([UInt8](repeating: 7, count: quarter))], calls: 5) == 4)
    #expect(try kept(of: "ay", [.bytes([UInt8](repeating: 7, count: quarter - 1024))], calls: 6) == 5)
  }

  @Test func receivedDescriptors() throws {
    let memory = BusValue.descriptor(try SealedMemory.make([]))
    let calls = Limits.receivedDescriptors / Limits.descriptorsPerMessage
    #expect(try kept(of: "hhhh", [memory, memory, memory, memory], calls: calls + 1) == calls)
  }

  /// Messages that come while a connection writes are read, and wait for the loop.
  @Test func messagesOfATurn() throws {
    let apart = try Apart()
    var seen = 0
    apart.served.addSignalHandler(path: testPath, interface: testInterface) { _ in seen += 1 }
    let object = testObject()
    apart.client.export(object, at: testPath)
    #expect(try apart.fill() != nil)
    for _ in 0...Limits.messagesPerTurn { try object.emit(testInterface, "Happened", [.string("now")]) }
    // The other end takes nothing, so that this one goes on until its time is over.
    apart.client.flush(milliseconds: 1_000)
    apart.served.flush(milliseconds: 100)
    #expect(seen == 0)
    apart.here.dispatch()
    #expect(seen == Limits.messagesPerTurn)
    apart.here.dispatch()
    #expect(seen == Limits.messagesPerTurn + 1)
    apart.close()
  }

  /// A peer that calls and takes no answers is not read until it has taken them.
  @Test func attack36_untakenBytes() throws {
    let apart = try Apart()
    var kept: [Invocation] = []
    apart.served.export(testObject { kept.append($0) }, at: testPath)
    func say(_ bytes: Int) throws {
      let message = try call("Echo", [.bytes([UInt8](repeating: 0, count: bytes))])
      message.isNoReply = true
      try apart.served.send(message)
    }
    // The system takes some of it.
    while apart.served.outgoingBytes == 0 { try say(4_000) }
    let before = apart.served.outgoingBytes
    try say(0)
    let around = apart.served.outgoingBytes - before
    try say(Limits.untakenBytes - apart.served.outgoingBytes - around)
    #expect(apart.served.outgoingBytes == Limits.untakenBytes)
    try apart.client.send(call("Keep"))
    run(apart.here) { kept.count == 1 }
    try say(0)
    // A signal before the next call is handled all the same; messages behind that call wait.
    var seen = 0
    apart.served.addSignalHandler(path: testPath, interface: testInterface) { _ in seen += 1 }
    let object = testObject()
    apart.client.export(object, at: testPath)
    try object.emit(testInterface, "Happened", [.string("now")])
    try apart.client.send(call("Keep"))
    try object.emit(testInterface, "Happened", [.string("later")])
    run(apart.here) { seen == 1 }
    drain(apart.here)
    #expect(kept.count == 1 && seen == 1)
    // All is taken, and what waits goes with the next messages, before the loop hears that it can.
    drain(apart.there)
    for _ in 0..<100 where apart.served.outgoingBytes > 0 { try say(0) }
    #expect(apart.served.outgoingBytes == 0)
    run(apart.here) { kept.count == 2 && seen == 2 }
    #expect(apart.served.isOpen)
    apart.close()
  }

  /// An answer that is larger than may be left untaken is taken as any other.
  @Test func aLargeAnswerHoldsNobodyBack() throws {
    let pair = try Pair { $0.export(testObject(echo: "ay"), at: testPath) }
    let bytes = BusValue.bytes([UInt8](repeating: 7, count: 4 * Limits.untakenBytes))
    var answers = 0
    for _ in 0..<12 { pair.client.call(try call("Echo", [bytes])) { if $0.code == nil { answers += 1 } } }
    run(pair.loop) { answers == 12 }
    pair.close()
  }

  @Test func attack36_untakenTime() throws {
    let apart = try Apart()
    apart.served.untakenTime = 1
    var isGone = false
    apart.served.setDisconnected { isGone = true }
    #expect(try apart.fill() != nil)
    drain(apart.here)
    // A peer that only does not read keeps its connection.
    #expect(!isGone)
    try apart.client.send(call("Keep"))
    run(apart.here) { isGone }
    #expect(!apart.served.isOpen)
    apart.close()
  }

  @Test func farewells() throws {
    // A peer that reads gets all messages that were sent before the end.
    let apart = try Apart()
    var seen = 0
    apart.client.addSignalHandler(path: testPath, interface: testInterface) { _ in seen += 1 }
    let object = testObject()
    apart.served.export(object, at: testPath)
    for _ in 0..<100 { try object.emit(testInterface, "Happened", [.string("now")]) }
    apart.served.flush(milliseconds: Limits.farewellTime)
    apart.served.close()
    run(apart.there) { seen == 100 }
    apart.close()
    // A peer that does not read is not waited for.
    let silent = try Apart()
    #expect(try silent.fill() != nil)
    silent.served.flush(milliseconds: Limits.farewellTime)
    #expect(silent.served.outgoingBytes > 0)
    silent.close()
  }

  // MARK: Waiting for the other side

  /// Whether one more message is taken while exactly so many bytes wait.
  private func isTaken(waiting: Int) throws -> Bool {
    let apart = try Apart()
    defer { apart.close() }
    func send(_ count: Int) throws {
      try apart.served.send(call("Echo", [.bytes([UInt8](repeating: 0, count: count))]))
      apart.here.dispatch()
    }
    // More than the socket takes, so that nothing of what follows leaves.
    while apart.served.outgoingBytes < waiting - 300_000 { try send(100_000) }
    let before = apart.served.outgoingBytes
    try send(100_000)
    let around = apart.served.outgoingBytes - before - 100_000
    try send(waiting - apart.served.outgoingBytes - around)
    #expect(apart.served.outgoingBytes == waiting)
    do {
      try send(1)
    } catch let error as SegueError {
      #expect(error.code == .limitExceeded)
      return false
    }
    return true
  }

  @Test func queuedBytes() throws {
    #expect(try isTaken(waiting: Limits.queuedBytes - 1))
    #expect(try !isTaken(waiting: Limits.queuedBytes))
  }

  /// The reader counts by itself: each part of the message is within its writer's bounds.
  @Test(arguments: [0, 1]) func descriptorsThatAreRead(_ more: Int) throws {
    let memory = BusValue.descriptor(try SealedMemory.make([]))
    let message = try call("Echo", Array(repeating: memory, count: Limits.descriptorsPerMessage))
    if more > 0 { try message.append([memory]) }
    if more == 0 {
      #expect(try message.arguments().count == Limits.descriptorsPerMessage)
    } else {
      let error = #expect(throws: SegueError.self) { _ = try message.arguments() }
      #expect(error?.code == .limitExceeded)
    }
  }

  /// Two arrays are values as well.
  @Test(arguments: [0, 1]) func valuesThatAreRead(_ more: Int) throws {
    let half = Limits.messageValues / 2 - 1
    let message = try call("Echo", [.array(elementSignature: "b", Array(repeating: .bool(true), count: half))])
    try message.append([.array(elementSignature: "b", Array(repeating: .bool(true), count: half + more))])
    if more == 0 {
      #expect(try message.arguments().count == 2)
    } else {
      let error = #expect(throws: SegueError.self) { _ = try message.arguments() }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test func messagesThatAreMade() throws {
    // Eight bytes of each count for what is around it.
    let most = [UInt8](repeating: 0, count: Limits.messageLength - 8)
    _ = try call("Echo", [.bytes(most)])
    let error = #expect(throws: SegueError.self) { _ = try call("Echo", [.bytes(most + [0])]) }
    #expect(error?.code == .limitExceeded)
  }

  /// At the bound userInfo is a part of the message; past it, sealed memory.
  @Test(arguments: [0, 1]) func userInfoInAMessage(_ more: Int) throws {
    let userInfo = [UInt8](repeating: 7, count: Limits.userInfoInline + more)
    let snapshot = Snapshot(
      id: Identifier(high: 0, low: 1), revision: 1, type: try #require(ActivityType("org.example.reading")), title: nil,
      webpageURL: nil, targetContentIdentifier: nil, userInfo: userInfo)
    let dictionary = try DoorSnapshot.encode(snapshot)
    switch dictionary["user-info"] {
    case .bytes(let bytes)?: #expect(more == 0 && bytes == userInfo)
    case .descriptor?: #expect(more == 1)
    default: Issue.record("There is no userInfo.")
    }
    #expect(try DoorSnapshot.decode(dictionary).userInfo == userInfo)
  }

  /// The library has these bounds too; the daemon does not rely on it.
  @Test(arguments: [0, 1]) func attack36_identifiersOfADeletion(_ more: Int) throws {
    let count = (0..<Limits.deletedIdentifiers + more).map { String($0) }
    let length = [String(repeating: "a", count: Limits.identifierLength + more)]
    for identifiers in [count, length] {
      let arguments: [BusValue] = [.strings(identifiers), .bool(false)]
      if more == 0 {
        #expect(try DoorDeletion.decode(arguments) == TextSet(of: identifiers))
      } else {
        let error = #expect(throws: SegueError.self) { _ = try DoorDeletion.decode(arguments) }
        #expect(error?.code == .limitExceeded)
      }
    }
    #expect(try DoorDeletion.decode([.strings([]), .bool(true)]) == nil)
    #expect(throws: SegueError.self) { _ = try DoorDeletion.decode([.strings(["a"])]) }
  }

  @Test func timeOfACall() throws {
    let pair = try Pair { $0.export(testObject(), at: testPath) }
    let before = Instant.now
    let pending = pair.client.call(try call("Keep")) { _ in }
    let deadline = try #require(pending.timer?.deadline)
    #expect(deadline >= before + Limits.callTime && deadline <= Instant.now + Limits.callTime)
    pending.cancel()
    pair.close()
  }
}
