import Dispatch
import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

/// The thread that waits for the disk, and what is kept there.
@Suite struct DiskWriterTests {
  private let loop: EventLoop
  private let writer: DiskWriter

  init() throws {
    loop = try EventLoop()
    writer = DiskWriter(loop)
  }

  /// A disk that stalls until it is told to go on, and says that it does.
  private final class Disk: Sendable {
    let begun = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)

    @Sendable func stall() {
      begun.signal()
      goesOn.wait()
    }
  }

  private final class Heard { var list: [String] = [] }

  private func wait(_ condition: () -> Bool) {
    while !condition() { _ = loop.wait(milliseconds: -1) }
  }

  private static let full = SegueError(.system, "The disk is full.")

  @Test func theLoopGoesOnWhileTheDiskStalls() throws {
    let (disk, heard) = (Disk(), Heard())
    writer.run({ disk.stall() }) { _ in heard.list.append("written") }
    disk.begun.wait()
    loop.timer(after: 0) { heard.list.append("timer") }
    wait { !heard.list.isEmpty }
    disk.goesOn.signal()
    wait { heard.list.count == 2 }
    #expect(heard.list == ["timer", "written"])
  }

  @Test func eachHearsOfItsOwnInTheOrderInWhichTheyAsked() throws {
    let heard = Heard()
    for number in 0..<10 {
      writer.run({ () throws(SegueError) -> Int in
        guard number % 3 != 1 else { throw Self.full }
        return number
      }) { (result: Result<Int, SegueError>) in
        switch result {
        case .success(let answer): heard.list.append("\(answer)")
        case .failure(let error): heard.list.append(error.message)
        }
      }
    }
    wait { heard.list.count == 10 }
    #expect(heard.list == (0..<10).map { $0 % 3 == 1 ? Self.full.message : "\($0)" })
  }

  @Test func noMoreWaitsThanMay() throws {
    let (disk, heard) = (Disk(), Heard())
    writer.run({ disk.stall() }) { _ in heard.list.append("written") }
    disk.begun.wait()
    for _ in 1..<Limits.pendingWrites { writer.run({}) { _ in heard.list.append("written") } }
    var refused: SegueError.Code?
    writer.run({ Issue.record("it was done") }) { if case .failure(let error) = $0 { refused = error.code } }
    #expect(refused == nil, "it is told in a dispatch")
    wait { refused != nil }
    #expect(refused == .system && heard.list.isEmpty)
    disk.goesOn.signal()
    wait { heard.list.count == Limits.pendingWrites }
    // There is room again.
    writer.run({}) { _ in heard.list.append("more") }
    wait { heard.list.last == "more" }
  }

  @Test func whatWasAcceptedIsWrittenAndToldWhenTheDaemonEnds() throws {
    let heard = Heard()
    for number in 0..<20 { writer.run({ number }) { heard.list.append("\((try? $0.get()) ?? -1)") } }
    #expect(writer.close())
    #expect(heard.list == (0..<20).map { "\($0)" })
    // Told once.
    loop.dispatch()
    #expect(heard.list.count == 20)
    var code: SegueError.Code?
    writer.run({ Issue.record("it was done") }) { if case .failure(let error) = $0 { code = error.code } }
    wait { code != nil }
    #expect(code == .system)
  }

  @Test func theDaemonsEndDoesNotWaitForEver() throws {
    let disk = Disk()
    writer.run({ disk.stall() }) { _ in }
    disk.begun.wait()
    #expect(!writer.close(within: 1))
    disk.goesOn.signal()
  }

  // MARK: A value that is kept there

  @Test func aChangeCountsOnceItIsWritten() throws {
    let (disk, heard) = (Disk(), Heard())
    let value = Written([0], writer)
    value.change({ list throws(SegueError) -> Int in
      disk.stall()
      list.append(1)
      return list.count
    }) { heard.list.append("first: \((try? $0.get()) ?? -1) \(value.value)") }
    value.change({ list throws(SegueError) in throw Self.full }) { (result: Result<Void, SegueError>) in
      if case .failure(let error) = result { heard.list.append("second: \(error.message) \(value.value)") }
    }
    // It is made on what the ones before have left, which the loop does not know yet.
    value.change({ list throws(SegueError) in list.append(list.count) }) { (_: Result<Void, SegueError>) in
      heard.list.append("third: \(value.value)")
    }
    disk.begun.wait()
    #expect(value.value == [0])
    disk.goesOn.signal()
    wait { heard.list.count == 3 }
    #expect(heard.list == ["first: 2 [0, 1]", "second: The disk is full. [0, 1]", "third: [0, 1, 2]"])
  }
}
