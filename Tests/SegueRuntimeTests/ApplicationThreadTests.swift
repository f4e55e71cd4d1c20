import Foundation
import Synchronization
import Testing

@testable import SegueRuntime

@Suite struct ApplicationThreadTests {
  @Test func thereIsOneAtATime() {
    let thread = ApplicationThread()
    #expect(thread.isCurrent && thread.ifCurrent { 1 } == 1)
    let isAdopted = Other {
      guard !thread.isCurrent, thread.ifCurrent({ 1 }) == nil else { return false }
      thread.adopt()
      return thread.isCurrent && thread.ifCurrent { 1 } == 1
    }
    #expect(isAdopted.result)
    #expect(!thread.isCurrent && thread.ifCurrent { 1 } == nil)
    thread.adopt()
    #expect(thread.isCurrent)
  }

  @Test func aBodyMayAskAgainAndAdopt() {
    let thread = ApplicationThread()
    let result = thread.ifCurrent { () -> Int? in
      thread.adopt()
      return thread.ifCurrent { 7 }
    }
    #expect(result == 7)
  }

  /// A call that takes effect at once is under way on the former thread, as the end of an object is that another task
  /// had.
  @Test func nobodyAdoptsItInTheMiddleOfACall() {
    let thread = ApplicationThread()
    let flags = Flags()
    var other: Other?
    _ = thread.ifCurrent {
      other = Other {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        flags.adopter.store(link.flatMap { Int32($0.split(separator: "/").last ?? "") } ?? 0, ordering: .releasing)
        thread.adopt()
        flags.hasAdopted.store(true, ordering: .releasing)
        return flags.callHasEnded.load(ordering: .acquiring)
      }
      // The adopter waits for the lock, or has become the application's thread.
      while !flags.hasAdopted.load(ordering: .acquiring), !flags.adopterSleeps { sched_yield() }
      flags.callHasEnded.store(true, ordering: .releasing)
    }
    #expect(other?.result == true)
  }
}

private final class Flags: Sendable {
  let adopter = Atomic<pid_t>(0)
  let hasAdopted = Atomic<Bool>(false)
  let callHasEnded = Atomic<Bool>(false)

  /// proc_pid_stat(5): the state stands behind the name in parentheses.
  var adopterSleeps: Bool {
    let number = adopter.load(ordering: .acquiring)
    guard number != 0, let text = try? String(contentsOfFile: "/proc/self/task/\(number)/stat", encoding: .utf8) else {
      return false
    }
    return text.contains(") S ")
  }
}

/// A thread of its own that does one thing.
private final class Other: @unchecked Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private var value = false

  init(_ body: @escaping @Sendable () -> Bool) {
    Thread.detachNewThread { [self] in
      value = body()
      ended.signal()
    }
  }

  /// The value that the body returned. Waits for it; to be asked once.
  var result: Bool {
    ended.wait()
    return value
  }
}
