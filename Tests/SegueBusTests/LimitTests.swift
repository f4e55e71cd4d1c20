import Foundation
import SegueBus
import SegueCore
import Testing

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
}
