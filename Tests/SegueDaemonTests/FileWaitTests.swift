import Dispatch
import Glibc
import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

/// Waiting for files where the file system does not answer, as one of a server that is gone.
@Suite struct FileWaitTests {
  private let loop: EventLoop
  private let worker: FileWorker
  private let silence = DispatchSemaphore(value: 0)

  init() throws {
    loop = try EventLoop()
    worker = FileWorker(loop)
  }

  private func wait(_ condition: () -> Bool) {
    while !condition() { _ = loop.wait(milliseconds: -1) }
  }

  private func block() {
    let silence = silence
    add { silence.wait() }
  }

  /// Adds work that is accepted.
  private func add(_ work: @escaping @Sendable () -> Void = {}, done: @escaping () -> Void = {}) {
    let isAccepted = worker.run(work, done: done)
    #expect(isAccepted)
  }

  private func files(_ folder: RegistryFolder) throws -> [WantedFile] {
    let container = try #require(Container(id: "c", path: folder.path))
    let snapshot = Snapshot(
      id: .random(), revision: 1, type: try #require(ActivityType("org.example.page")), userInfo: [],
      files: [ContainerFile(url: "file:///a", container: "c", path: "a")])
    return try WantedFile.files(of: snapshot, in: ContainerTable([container]))
  }

  @Test func R8_whatIsFoundComesBackInOrder() {
    var found: [Int] = []
    for number in 0..<10 {
      let isAccepted = worker.run({ number }, done: { found.append($0) })
      #expect(isAccepted)
    }
    #expect(found.isEmpty)
    wait { found.count == 10 }
    #expect(found == Array(0..<10))
  }

  @Test func R8_noMoreWaitThanMay() {
    block()
    var done = 0
    for _ in 1..<Limits.pendingLooks { add(done: { done += 1 }) }
    let isAccepted = worker.run({}, done: { Issue.record("it was refused") })
    #expect(!isAccepted)
    silence.signal()
    wait { done == Limits.pendingLooks - 1 }
    add(done: { done += 1 })
    wait { done == Limits.pendingLooks }
  }

  @Test func R8_theTimeEndsAlsoWhereNothingAnswers() throws {
    let folder = try RegistryFolder()
    folder.write("a", "")
    block()
    var error: SegueError?
    let files = try files(folder)
    let wait = try FileWait(files, first: files[0], time: 1, loop: loop, worker: worker) { error = $0 }
    self.wait { error != nil }
    #expect(error?.message == "\"a\" has not arrived in the shared folder c (\(folder.path)) in time.")
    // What the file system says at last comes too late.
    error = nil
    silence.signal()
    var isDone = false
    add(done: { isDone = true })
    self.wait { isDone }
    #expect(error == nil)
    wait.cancel()
  }

  @Test func R8_aWaitThatIsCancelledSaysNothing() throws {
    let folder = try RegistryFolder()
    folder.write("a", "")
    let files = try files(folder)
    let wait = try FileWait(files, first: files[0], time: 60_000, loop: loop, worker: worker) { _ in
      Issue.record("it was cancelled")
    }
    wait.cancel()
    var isDone = false
    add(done: { isDone = true })
    self.wait { isDone }
  }
}
