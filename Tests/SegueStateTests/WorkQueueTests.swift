import Glibc
import Synchronization
import Testing

@testable import SegueState

/// Work on threads of its own, and the threads' end.
@Suite struct WorkQueueTests {
  private final class Heard: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ word: String) { list.withLock { $0.append(word) } }
  }

  @Test func workIsDoneInItsOrder() {
    let (queue, heard, done) = (WorkQueue("test"), Heard(), Happening())
    for number in 0..<100 { queue.add { heard.add("\(number)") } }
    queue.add { done.happen() }
    #expect(done.wait())
    #expect(heard.all == (0..<100).map { "\($0)" })
  }

  /// Two that wait for each other end only if they run at the same time.
  @Test func soManyRunAtATimeAsAreAllowed() {
    let queue = WorkQueue("test", threads: 2)
    let (first, second, done) = (Happening(), Happening(), Happening())
    queue.add {
      first.happen()
      _ = second.wait()
      done.happen()
    }
    queue.add {
      second.happen()
      _ = first.wait()
    }
    #expect(done.wait())
  }

  @Test func oneThreadDoesOneAtATime() {
    let queue = WorkQueue("test")
    let (begun, goesOn, done, heard) = (Happening(), Happening(), Happening(), Heard())
    queue.add {
      begun.happen()
      _ = goesOn.wait()
      heard.add("first")
    }
    queue.add {
      heard.add("second")
      done.happen()
    }
    #expect(begun.wait())
    #expect(heard.all.isEmpty)
    goesOn.happen()
    #expect(done.wait())
    #expect(heard.all == ["first", "second"])
  }

  /// Each thread is prepared once, whatever it does then, and a thread that has ended is followed by a new one.
  @Test func aThreadIsPreparedAndEndsWhenThereIsNothingToDo() {
    let heard = Heard()
    let queue = WorkQueue("test", linger: 0) { heard.add("prepared") }
    let (begun, goesOn) = (Happening(), Happening())
    queue.add {
      begun.happen()
      _ = goesOn.wait()
    }
    let second = Happening()
    #expect(begun.wait())
    queue.add { second.happen() }
    goesOn.happen()
    #expect(second.wait())
    #expect(heard.all == ["prepared"])
    while queue.hasThreads { sched_yield() }
    let third = Happening()
    queue.add { third.happen() }
    #expect(third.wait())
    #expect(heard.all == ["prepared", "prepared"])
  }

  private final class Load: Sendable {}

  @Test func whatIsDoneIsForgotten() {
    let queue = WorkQueue("test", linger: 0)
    let (begun, goesOn) = (Happening(), Happening())
    weak var kept: Load?
    do {
      let load = Load()
      kept = load
      queue.add {
        begun.happen()
        _ = goesOn.wait()
      }
      for _ in 0..<3 { queue.add { _ = load } }
    }
    #expect(begun.wait() && kept != nil)
    goesOn.happen()
    while queue.hasThreads { sched_yield() }
    #expect(kept == nil)
  }

  @Test func aWaitEndsWithoutTheEvent() {
    let never = Happening()
    #expect(!never.wait(milliseconds: 1))
    never.happen()
    #expect(never.wait(milliseconds: 0))
  }

  @Test func resultsComeInTheOrderOfTheirPieces() {
    let pieces = Array(0..<1_000)
    let heard = Heard()
    var results: [Int] = []
    WorkQueue.inOrder(pieces, "test", threads: 4, prepare: { heard.add("prepared") }, { $0 * 2 }) { results.append($0) }
    #expect(results == pieces.map { $0 * 2 })
    #expect(heard.all.count <= 3)
  }

  /// Both pieces are begun before one of them can end.
  @Test func piecesAreTurnedByTwoThreads() {
    let both = [Happening(), Happening()]
    var results: [Bool] = []
    WorkQueue.inOrder(
      [0, 1], "test", threads: 2,
      {
        both[$0].happen()
        return both[1 - $0].wait(milliseconds: 60_000)
      }
    ) { results.append($0) }
    #expect(results == [true, true])
  }

  @Test func noPieceAndOnePieceNeedNoThread() {
    let heard = Heard()
    var results: [Int] = []
    WorkQueue.inOrder([Int](), "test", threads: 4, prepare: { heard.add("thread") }, { $0 }) { results.append($0) }
    WorkQueue.inOrder([7], "test", threads: 4, prepare: { heard.add("thread") }, { $0 }) { results.append($0) }
    #expect(results == [7])
    #expect(heard.all.isEmpty)
  }
}
