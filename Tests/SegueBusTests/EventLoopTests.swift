import Foundation
import SegueBus
import SegueCore
import Synchronization
import Testing

@Suite struct EventLoopTests {
  @Test func idleLoopIsNotReadable() throws {
    let loop = try EventLoop()
    #expect(!isReadable(loop))
    #expect(loop.dispatch() == 0)
    loop.timer(after: 60_000) {}
    #expect(!isReadable(loop))
    loop.close()
  }

  @Test func timersFireInOrderAndOnce() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    for (deadline, number) in [(3, 3), (1, 1), (3, 4), (2, 2), (0, 0)] as [(Instant, Int)] {
      loop.timer(at: deadline) { fired.append(number) }
    }
    let cancelled = loop.timer(at: 2) { fired.append(99) }
    cancelled.cancel()
    #expect(isReadable(loop))
    #expect(loop.dispatch() == 5)
    #expect(fired == [0, 1, 2, 3, 4])
    #expect(loop.dispatch() == 0)
    #expect(!isReadable(loop))
    loop.close()
  }

  @Test func manyTimersKeepTheirOrderThroughCancels() throws {
    let loop = try EventLoop()
    var fired: [Instant] = []
    var kept: [Instant] = []
    var timers: [LoopTimer] = []
    for _ in 0..<500 {
      let deadline = Instant(milliseconds: .random(in: 0...1000))
      timers.append(loop.timer(at: deadline) { fired.append(deadline) })
    }
    for timer in timers.shuffled() {
      if Bool.random() { timer.cancel() } else { kept.append(timer.deadline) }
    }
    drain(loop)
    #expect(fired == kept.sorted())
    loop.close()
  }

  @Test func cancelOfTheEarliestTimerLeavesNoWork() throws {
    let loop = try EventLoop()
    let timer = loop.timer(at: .now) {}
    timer.cancel()
    #expect(!isReadable(loop))
    loop.close()
  }

  @Test func timerMadeInATimerRunsAtTheNextDispatch() throws {
    let loop = try EventLoop()
    var count = 0
    func again() {
      count += 1
      loop.timer(at: 0, again)
    }
    loop.timer(at: 0, again)
    #expect(loop.dispatch() == 1)
    #expect(isReadable(loop))
    #expect(loop.dispatch() == 1)
    #expect(count == 2)
    loop.close()
  }

  @Test func timerInTheFarFuture() throws {
    let loop = try EventLoop()
    loop.timer(at: .distantFuture) {}
    loop.timer(after: .max) {}
    #expect(loop.dispatch() == 0)
    #expect(!isReadable(loop))
    loop.close()
  }

  @Test func laterRunsAtTheNextDispatch() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    loop.later {
      order.append(1)
      loop.later { order.append(3) }
    }
    loop.later { order.append(2) }
    #expect(order.isEmpty)
    #expect(loop.dispatch() == 2)
    #expect(order == [1, 2])
    #expect(isReadable(loop))
    #expect(loop.dispatch() == 1)
    #expect(order == [1, 2, 3])
    #expect(!isReadable(loop))
    loop.close()
  }

  /// A watch queues a body: it runs in the same dispatch, and costs no system call; a loop inside the watch runs it too.
  @Test(arguments: [false, true]) func laterOfAWatchRunsInTheSameDispatch(_ isNested: Bool) throws {
    let loop = try EventLoop()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (input, output) = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    var order: [Int] = []
    let watch = try loop.watch(input.raw, .readable) { _ in
      loop.later { order.append(2) }
      order.append(1)
      var byte: UInt8 = 0
      _ = read(input.raw, &byte, 1)
      if isNested { loop.wait(milliseconds: -1) }
      order.append(3)
    }
    #expect(write(output.raw, [1], 1) == 1)
    #expect(loop.wait(milliseconds: -1) > 0)
    #expect(order == (isNested ? [1, 2, 3] : [1, 3, 2]))
    #expect(!isReadable(loop) && loop.dispatch() == 0)
    watch.cancel()
    loop.close()
  }

  /// Work that is scheduled at the end of a dispatch runs in it, without making the loop readable.
  @Test func soonRunsAtTheEndOfTheDispatch() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    loop.soon { order.append(0) }
    loop.later {
      loop.soon {
        order.append(2)
        loop.soon { order.append(3) }
        loop.later { order.append(4) }
      }
      order.append(1)
    }
    #expect(order.isEmpty)
    loop.dispatch()
    #expect(order == [0, 1, 2])
    loop.dispatch()
    #expect(order == [0, 1, 2, 3, 4])
    loop.later { loop.soon { order.append(5) } }
    loop.dispatch()
    #expect(order.last == 5 && loop.dispatch() == 0)
    loop.later {
      loop.soon { order.append(6) }
      loop.close()
    }
    loop.dispatch()
    #expect(order.last == 6)
  }

  @Test func postAndWakeFromOtherThreads() throws {
    let loop = try EventLoop()
    let lock = Lock()
    nonisolated(unsafe) var count = 0
    for _ in 0..<4 {
      Thread.detachNewThread {
        for _ in 0..<250 {
          loop.post { lock.withLock { count += 1 } }
          loop.wake()
        }
      }
    }
    run(loop) { lock.withLock { count } == 1000 }
    drain(loop)
    loop.close()
    loop.post {}
    loop.wake()
  }

  @Test func watchesOfOneDescriptorAreMerged() throws {
    let loop = try EventLoop()
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading.fileDescriptor
    var seen: [String] = []
    let first = try loop.watch(reading, .readable) { _ in seen.append("first") }
    let second = try loop.watch(reading, []) { _ in seen.append("second") }
    #expect(!isReadable(loop))
    try pipe.fileHandleForWriting.write(contentsOf: [1])
    loop.dispatch()
    #expect(seen == ["first"])
    second.setEvents(.readable)
    first.setEvents([])
    loop.dispatch()
    #expect(seen == ["first", "second"])
    second.setEvents([])
    #expect(!isReadable(loop))
    try pipe.fileHandleForWriting.close()
    // No watch wants events: not even the hangup may make the loop spin.
    #expect(!isReadable(loop))
    first.setEvents(.readable)
    loop.dispatch()
    #expect(seen == ["first", "second", "first"])
    first.cancel()
    second.cancel()
    #expect(!isReadable(loop))
    loop.close()
  }

  @Test func handlersMayCancelEachOtherAndCloseTheLoop() throws {
    let loop = try EventLoop()
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading.fileDescriptor
    try pipe.fileHandleForWriting.write(contentsOf: [1])
    var watches: [LoopWatch] = []
    var timers: [LoopTimer] = []
    var count = 0
    for _ in 0..<2 {
      watches.append(
        try loop.watch(reading, .readable) { _ in
          count += 1
          for watch in watches { watch.cancel() }
        })
      timers.append(
        loop.timer(at: 0) {
          count += 1
          for timer in timers { timer.cancel() }
          loop.later { loop.close() }
          loop.later { count += 1 }
        })
    }
    #expect(loop.dispatch() == 4)
    #expect(count == 3)
    #expect(loop.dispatch() == 0)
    #expect(loop.wait(milliseconds: -1) == 0)
    #expect(!loop.timer(at: 0) {}.isActive)
    #expect(throws: SegueError.self) { _ = try loop.watch(reading, .readable) { _ in } }
    loop.close()
  }

  /// Tests/loop-probe, a process of its own, in which nobody else takes the numbers that become free.
  @Test func aLoopThatIsClosedInAHandlerLeavesItsNumbersAlone() throws {
    #expect(try probe().terminationStatus == 0)
  }

  private func probe(_ arguments: String...) throws -> Process {
    let process = Process()
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = products.appendingPathComponent("loop-probe")
    process.arguments = arguments
    // Where it ends it is to end: nobody reads how it came to that.
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process
  }

  /// Tests/loop-probe again, which a debug build ends on the wrong thread.
  @Test(arguments: [
    "wait", "dispatch", "later", "timer", "watch", "close", "timer.cancel", "watch.setEvents", "watch.cancel",
    "connection.send", "connection.call", "connection.flush", "connection.setDisconnected", "connection.export",
    "connection.unexport", "connection.addSignalHandler", "connection.close", "pending.cancel", "server.close",
  ])
  func anotherThreadIsNotTheLoops(entrance: String) throws {
    let here = try probe(entrance, "here")
    #expect(here.terminationReason == .exit && here.terminationStatus == 0)
    #expect(try probe(entrance, "elsewhere").terminationReason == .uncaughtSignal)
  }

  @Test(arguments: ["post", "wake"]) func anyThreadMayWakeTheLoop(entrance: String) throws {
    let elsewhere = try probe(entrance, "elsewhere")
    #expect(elsewhere.terminationReason == .exit && elsewhere.terminationStatus == 0)
  }

  @Test func nestedDispatch() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    loop.later {
      order.append(1)
      loop.later { order.append(2) }
      #expect(isReadable(loop))
      loop.wait(milliseconds: -1)
      order.append(3)
    }
    drain(loop)
    #expect(order == [1, 2, 3])
    loop.close()
  }

  @Test func whatCannotBeWatchedIsRefused() throws {
    let loop = try EventLoop()
    #expect(throws: SegueError.self) { _ = try loop.watch(-1, .readable) { _ in } }
    #expect(throws: SegueError.self) { _ = try loop.watch(9999, .readable) { _ in } }
    let folder = Folder()
    _ = FileManager.default.createFile(atPath: folder.path + "/file", contents: Data())
    let file = try #require(FileHandle(forReadingAtPath: folder.path + "/file"))
    #expect(throws: SegueError.self) { _ = try loop.watch(file.fileDescriptor, .readable) { _ in } }
    #expect(!isReadable(loop))
    loop.close()
  }

  @Test func closeRunsWhatWasQueued() throws {
    let loop = try EventLoop()
    var count = 0
    loop.later { count += 1 }
    loop.close()
    #expect(count == 1)
  }

  @Test func whatIsQueuedAtTheEndRunsOnceAndWhatComesLaterIsRefused() throws {
    let loop = try EventLoop()
    let runs = Atomic(0)
    #expect(loop.post { runs.add(1, ordering: .relaxed) })
    loop.later {
      // Queued while the loop is closing.
      loop.post { runs.add(1, ordering: .relaxed) }
    }
    loop.close()
    #expect(runs.load(ordering: .relaxed) == 2)
    #expect(!loop.post { runs.add(1, ordering: .relaxed) })
    #expect(runs.load(ordering: .relaxed) == 2)
  }
}
