import Foundation
import SegueBus
import SegueCore
import Testing

/// Bounds of the loop: at the bound, and one past it. docs/limits.md names the tests of each.
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
}
