import Dispatch
import Foundation
import Glibc
import Testing

@testable import Segue

/// The main queue's watch over the application.
@MainActor
struct LoopTests {
  /// Numbers that no other test's files get meanwhile.
  private static let high: Int32 = 600

  @Test(.timeLimit(.minutes(1)))
  func aNumberThatIsUsedAgainIsNotWatched() async throws {
    let application = try newApplication("org.segue.test.SwiftLoop")
    var (one, other): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    #expect(pipe(&one) == 0 && pipe(&other) == 0)
    let number = fcntl(one[0], F_DUPFD_CLOEXEC, Self.high)
    close(one[0])
    var source: MainLoopSource? = try MainLoopSource(application, descriptor: number)
    #expect(source?.descriptor != number)
    // The application is closed, and another file gets its number, before Dispatch has heard of it.
    source = nil
    #expect(dup2(other[0], number) == number)
    let next = watch(number)
    #expect(write(other[1], "x", 1) == 1)
    await event(of: next)
    // The first pipe is not held open any more.
    await hangup(one[1])
    for descriptor in [one[1], other[0], other[1], number] { close(descriptor) }
  }

  @Test func aDescriptorThatIsNoneIsAnError() throws {
    let application = try newApplication("org.segue.test.SwiftLoop")
    #expect(throws: SegueError.self) { try MainLoopSource(application, descriptor: -1) }
  }

  /// A source of the program's own. It is registered while the main queue waits here, and cannot let the former one go.
  private nonisolated func watch(_ descriptor: Int32) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.activate()
    registered.wait()
    return source
  }

  private nonisolated func event(of source: any DispatchSourceRead) async {
    await withCheckedContinuation { continuation in
      source.setCancelHandler { continuation.resume() }
      source.setEventHandler { source.cancel() }
    }
  }

  private nonisolated func hangup(_ descriptor: Int32) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var waited = pollfd(fd: descriptor, events: 0, revents: 0)
        #expect(poll(&waited, 1, -1) == 1 && Int32(waited.revents) & POLLERR != 0)
        continuation.resume()
      }
    }
  }
}
