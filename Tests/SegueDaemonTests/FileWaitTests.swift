import Dispatch
import Glibc
import Logging
import SegueBus
import SegueCore
import SegueEngine
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
    let end = Instant.now + 60_000
    while !condition(), Instant.now < end { _ = loop.wait(milliseconds: 1_000) }
    #expect(condition())
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
    let wait = try FileWait(files, first: files[0], time: 1, loop: loop, worker: worker) { result in
      if case .failure(let failure) = result { error = failure }
    }
    self.wait { error != nil }
    #expect(error?.message == "\"a\" has not arrived in the shared folder c in time.")
    // The file system's answer comes too late.
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

  /// The kernel reports no changes of files in the process file system.
  @Test func R8_whatNobodyTellsOfIsLookedFor() throws {
    // A number that no other test is given meanwhile: each new descriptor has the lowest that is free.
    let number = min(sysconf(Int32(_SC_OPEN_MAX)), 20_000) - 1
    let container = try #require(Container(id: "c", path: "/proc/\(getpid())/fdinfo"))
    let snapshot = Snapshot(
      id: .random(), revision: 1, type: try #require(ActivityType("org.example.page")), userInfo: [],
      files: [ContainerFile(url: "file:///a", container: "c", path: "\(number)")])
    let files = try WantedFile.files(of: snapshot, in: ContainerTable([container]))
    func wait(_ time: UInt64, look: UInt64) throws -> SegueError? {
      try #require(access("/proc/self/fdinfo/\(number)", F_OK) != 0)
      var result: Result<[WantedFile], SegueError>?
      let wait = try FileWait(files, first: files[0], time: time, loop: loop, worker: worker, lookTime: look) {
        result = $0
      }
      // The first look is over.
      var isDone = false
      add(done: { isDone = true })
      self.wait { isDone }
      try #require(result == nil && dup2(0, Int32(number)) == number)
      self.wait { result != nil }
      close(Int32(number))
      wait.cancel()
      if case .failure(let error)? = result { return error }
      return nil
    }
    #expect(try wait(60_000, look: 20) == nil)
    #expect(try wait(50, look: 60_000)?.message.contains("has not arrived") == true)
  }

  @Test func R7_anOriginThatCannotLookSendsTheUrlsAsTheyAre() throws {
    let folder = try RegistryFolder()
    folder.write(".config/segue/segue.conf", "[Container c]\nPath=\(folder.path)\n")
    folder.write("a", "")
    let containers = try Containers(ContainerSettings { ["HOME": folder.path][$0] }) { _ in }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let userInfo = try CBOR.encode(.dictionary([.string("file"): .url("file://\(folder.path)/a")]))
    let snapshot = Snapshot(
      id: .random(), revision: 1, type: try #require(ActivityType("org.example.page")), userInfo: userInfo)
    func named(within time: UInt64, blocked: Bool) -> [ContainerFile]? {
      let service = FileService(containers, time: 1, nameTime: time, loop: loop, log: Log(logger)) { _, _ in (nil, nil)
      }
      let silence = silence
      if blocked { _ = service.originFiles.run({ silence.wait() }, done: {}) }
      var answer: FetchAnswer?
      service.nameFiles(of: .snapshot(snapshot)) { answer = $0 }
      wait { answer != nil }
      if blocked { silence.signal() }
      guard case .snapshot(let named)? = answer else { return nil }
      return named.files
    }
    #expect(named(within: 60_000, blocked: false)?.map(\.path) == ["a"])
    #expect(named(within: 1, blocked: true) == [])
  }
}
