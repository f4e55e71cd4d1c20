import Glibc
import SegueBus
import SegueCore
import SegueEngine
import SegueLink
import Testing

@testable import SegueDaemon

/// The store on its thread, with a real file.
@Suite struct StoreServiceTests {
  private let test: TestStore
  private let loop: EventLoop
  private let clock = Clock()
  private let service: StoreService

  /// Read on the store's thread, set while nothing is asked.
  private final class Clock: @unchecked Sendable { var now: UInt64 = 1_000_000 }
  private typealias Answer = Result<StoreAnswer, SegueError>
  private final class Answers { var list: [Answer] = [] }

  init() throws {
    test = try TestStore()
    loop = try EventLoop()
    let clock = clock
    service = StoreService(
      loop, folder: test.folder, life: 3600, fileBytes: 256 * 1024, idleTime: 1, now: { clock.now },
      report: { Issue.record("\($0)") })
  }

  private func wait(_ condition: () -> Bool) {
    while !condition() { _ = loop.wait(milliseconds: -1) }
  }

  private func ask(_ request: StoreRequest) throws -> StoreAnswer {
    var answer: Answer?
    service.ask(request) { answer = $0 }
    wait { answer != nil }
    return try #require(answer).get()
  }

  private func loaded(_ service: StoreService) throws -> [StoredCopy] {
    var answer: Result<[StoredCopy], SegueError>?
    service.load { answer = $0 }
    wait { answer != nil }
    return try #require(answer).get()
  }

  private func put(_ number: UInt64, bytes: Int = 0, timeLeft: UInt64? = nil) throws -> StoreRequest {
    let userInfo = try CBOR.encode(["a": .data([UInt8](repeating: 1, count: bytes))])
    return .put(try copy(number, timeLeft: timeLeft), snapshot(number, userInfo: userInfo))
  }

  private func numbers() throws -> [UInt64] { try loaded(service).map { $0.offer.id.low }.sorted() }

  /// Whether this process has the store's file open.
  private var isOpen: Bool { openFiles().contains(test.path) }

  @Test func X7_eachRequestIsAnsweredByWhatItAskedFor() throws {
    #expect(try loaded(service) == [])
    #expect(try ask(.expire) == .expired([]))
    #expect(try ask(.remove([try copy(1).key])) == .removed([]))
    #expect(test.names == [], "asking alone makes no file")
    var stored = try copy(1, timeLeft: 10_000)
    guard case .put(let put, gone: []) = try ask(.put(stored, snapshot(1))) else {
      Issue.record("it was not stored")
      return
    }
    // Its remaining time follows from its end, and changes.
    stored.offer.timeLeft = nil
    (stored.storedAt, stored.expiresAt, stored.size) = (1_000_000, 1_000_010, put.size)
    stored.keywords = snapshot(1).keywords
    #expect(put == stored && put.size > 0)
    #expect(try loaded(service) == [stored])
    #expect(try ask(.expire) == .expired([]))
    var wanted = snapshot(1)
    (wanted.isStored, wanted.age) = (true, 0)
    #expect(try ask(.snapshot(stored.key)) == .snapshot(wanted))
    let other = try copy(2).key
    stored.expiresAt = 1_003_600
    #expect(try ask(.setLife(nil, of: [other, stored.key])) == .lives([stored]))
    stored.expiresAt = 1_000_007
    #expect(try ask(.setLife(7_000, of: [stored.key])) == .lives([stored]))
    #expect(try loaded(service) == [stored])
    #expect(try ask(.remove([other, stored.key])) == .removed([stored.key]))
    #expect(try ask(.snapshot(stored.key)) == .snapshot(nil))
  }

  @Test func X7_answersComeOnTheLoopInTheOrderOfTheRequests() throws {
    let answers = Answers()
    for number in 1...20 {
      service.ask(try put(UInt64(number))) { [answers] in answers.list.append($0) }
      service.ask(.remove([try copy(UInt64(number)).key])) { [answers] in answers.list.append($0) }
    }
    #expect(answers.list.isEmpty, "nothing is answered inside the call")
    wait { answers.list.count == 40 }
    for (index, answer) in answers.list.enumerated() {
      let number = id(UInt64(index / 2 + 1))
      switch answer {
      case .success(.put(let copy, gone: [])): #expect(index % 2 == 0 && copy.offer.id == number)
      case .success(.removed(let keys)): #expect(index % 2 == 1 && keys.map { $0.activity } == [number])
      default: Issue.record("\(answer)")
      }
    }
  }

  @Test func C7_whatHasExpiredIsToldToWhoeverAsks() throws {
    _ = try ask(try put(1, timeLeft: 10_000))
    _ = try ask(try put(2, timeLeft: 20_000))
    _ = try ask(try put(3))
    #expect(try ask(.expire) == .expired([]))
    clock.now += 10
    #expect(try ask(.expire) == .expired([try copy(1).key]))
    clock.now += 10
    #expect(try ask(.snapshot(try copy(2).key)) == .snapshot(nil))
    #expect(try ask(.expire) == .expired([try copy(2).key]), "although another request has found it expired")
    #expect(try ask(.expire) == .expired([]))
    #expect(try numbers() == [3])
  }

  @Test func X7_theLoopRunsWhileTheDiskIsSlow() throws {
    _ = try ask(try put(1))
    // Another program holds the file: whoever writes waits.
    let other = try Database(test.path)
    try other.run("BEGIN EXCLUSIVE")
    var answer: Answer?
    service.ask(try put(2)) { answer = $0 }
    var isReleased = false
    loop.later {
      #expect(answer == nil)
      isReleased = (try? other.run("COMMIT")) != nil
    }
    wait { answer != nil }
    #expect(isReleased)
    guard case .success(.put)? = answer else {
      Issue.record("\(String(describing: answer))")
      return
    }
    #expect(try numbers() == [1, 2])
  }

  @Test func X7_noMoreWaitsThanMay() throws {
    _ = try ask(try put(1))
    let other = try Database(test.path)
    try other.run("BEGIN EXCLUSIVE")
    let (answers, refused) = (Answers(), Answers())
    for _ in 0..<Limits.pendingStoreRequests {
      service.ask(.expire) { [answers] in answers.list.append($0) }
    }
    service.ask(.expire) { [refused] in refused.list.append($0) }
    #expect(refused.list.isEmpty)
    wait { !refused.list.isEmpty }
    guard case .failure? = refused.list.first else {
      Issue.record("too much was accepted")
      return
    }
    try other.run("COMMIT")
    wait { answers.list.count == Limits.pendingStoreRequests }
    #expect(try ask(.expire) == .expired([]))
  }

  @Test func X7_aFullDiskIsAnErrorAndLosesNothing() throws {
    _ = try ask(try put(1))
    var stored: [UInt64] = [1]
    let error = #expect(throws: SegueError.self) {
      // Nine are more than the file may hold.
      for number in 2...9 {
        _ = try ask(try put(UInt64(number), bytes: 60_000))
        stored.append(UInt64(number))
      }
    }
    #expect(error?.code == .system)
    #expect(stored.count > 2)
    #expect(try numbers() == stored)
    guard case .snapshot(let state?) = try ask(.snapshot(try copy(1).key)) else {
      Issue.record("it cannot be read")
      return
    }
    #expect(state.id == id(1))
    // Removing a copy makes room.
    #expect(try ask(.remove([try copy(2).key])) == .removed([try copy(2).key]))
    _ = try ask(try put(2, bytes: 60_000))
    #expect(try numbers() == stored)
  }

  @Test func X7_whoKnowsWhatWasKeptIsToldThatTheFileWasDamaged() throws {
    try test.write([UInt8](repeating: 7, count: 2000))
    var told: [String] = []
    let service = StoreService(loop, folder: test.folder, idleTime: 1) { _ in told.append("report") }
    service.onEmptied = { told.append("emptied") }
    service.ask(try put(1)) { _ in told.append("answer") }
    wait { told.last == "answer" }
    #expect(told == ["report", "emptied", "answer"])
    #expect(try loaded(service).map { $0.offer.id } == [id(1)])
    #expect(told.count == 3)
  }

  @Test func X7_whatIsNotUsedIsClosed() throws {
    _ = try ask(try put(1))
    while isOpen { _ = loop.wait(milliseconds: 1) }
    #expect(try numbers() == [1])
  }

  @Test func X7_whatWasAcceptedIsStoredWhenTheDaemonEnds() throws {
    let answers = Answers()
    for number in 1...20 { service.ask(try put(UInt64(number))) { [answers] in answers.list.append($0) } }
    #expect(service.close(within: 60_000))
    #expect(!isOpen)
    #expect(try test.kept().count == 20)
    // A later request is refused: the store has closed.
    service.ask(try put(21)) { [answers] in answers.list.append($0) }
    wait { answers.list.count == 21 }
    #expect(answers.list.filter { if case .failure = $0 { true } else { false } }.count == 1)
    #expect(try test.kept().count == 20)
  }

  @Test func X7_theDaemonsEndDoesNotWaitForEver() throws {
    _ = try ask(try put(1))
    let other = try Database(test.path)
    try other.run("BEGIN EXCLUSIVE")
    var answer: Answer?
    service.ask(try put(2)) { answer = $0 }
    #expect(!service.close(within: 1))
    try other.run("COMMIT")
    wait { answer != nil }
  }
}
