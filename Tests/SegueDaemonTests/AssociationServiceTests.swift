import Glibc
import Logging
import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

@Suite struct AssociationServiceTests {
  private let folder: String
  private let loop: EventLoop
  private let disk: DiskWriter

  init() throws {
    let made = try #require("/tmp/sg-domains-XXXXXX".withCString { strdup($0).flatMap { mkdtemp($0) } })
    folder = String(cString: made)
    free(made)
    loop = try EventLoop()
    disk = DiskWriter(loop)
  }

  private func service(program: String = "/nonexistent") -> AssociationService {
    AssociationService(
      program: program, folder: folder + "/cache", disk: disk, loop: loop, log: Log(Logger(label: "test")))
  }

  /// Waits until all that was to be written is on the disk.
  private func settle() {
    var isDone = false
    disk.run({}) { _ in isDone = true }
    let until = Instant.now + 60_000
    while !isDone, Instant.now < until { _ = loop.wait(milliseconds: 1_000) }
  }

  private func domain(_ name: String = "example.com") throws -> DomainName { try #require(DomainName(name)) }

  /// A program in the place of segue-associations.
  private func program(_ script: String) throws -> String {
    let path = folder + "/program"
    let file = try #require(fopen(path, "w"))
    fputs("#!/bin/sh\n" + script + "\n", file)
    fclose(file)
    chmod(path, 0o700)
    return path
  }

  private func answer(of program: String) throws -> AssociationAnswer {
    let service = service(program: program)
    var answers: [AssociationAnswer] = []
    service.fetch(try domain()) { answers.append($0) }
    let until = Instant.now + 60_000
    while answers.isEmpty, Instant.now < until { _ = loop.wait(milliseconds: 1_000) }
    service.close()
    return try #require(answers.first)
  }

  // MARK: The program

  @Test func W4_whatTheProgramReportsIsTheAnswer() throws {
    let script = #"printf 'segue-association 1\nplain\n%s\n{"activitycontinuation":{"apps":["T.a.b"]}}' "$*""#
    #expect(try answer(of: program(script)) == .file(["T.a.b"]))
    #expect(
      try answer(of: program(#"printf 'segue-association 1\nrefused\n%s\n' "$*""#)) == .refused("fetch example.com"))
  }

  /// It has the environment of nobody, and no descriptor but its own.
  @Test func attack30_theProgramInheritsNothing() throws {
    let home = try #require(getenv("HOME").map { String(cString: $0) })
    // The shell has the script open, and the pipe of its own question.
    let script = #"""
      printf 'segue-association 1\nrefused\n%s %s\n' "$HOME" "$(echo /proc/$$/fd/*)"
      """#
    guard case .refused(let line) = try answer(of: program(script)) else {
      Issue.record("it failed")
      return
    }
    let descriptors = line.split(separator: " ").filter { $0.hasPrefix("/proc") }
    #expect(!line.hasPrefix(home) && descriptors.count <= 5, "\(line)")
  }

  @Test(arguments: [
    "exit 1", "echo nonsense", "kill -9 $$", "head -c 3000000 /dev/zero", "printf 'segue-association 1\\nplain\\nx\\n'",
    "printf 'segue-association 1\\nsigned\\nx\\n{\"a\":1,\"a\":2}'",
  ])
  func attack48_aProgramThatAServerHasTakenOverIsNotBelieved(_ script: String) throws {
    if case .file = try answer(of: program(script)) { Issue.record("\(script) was believed") }
  }

  @Test func aProgramThatIsNotThereIsAnAnswer() throws {
    guard case .unreachable(let reason) = try answer(of: "/nonexistent") else {
      Issue.record("it was found")
      return
    }
    #expect(reason.contains("cannot be started"))
  }

  // MARK: The cache

  @Test func W4_whatIsKeptIsLoaded() throws {
    let good = StoredAssociation(
      domain: try domain(), grant: DomainGrant(applications: ["T.a.b", "T.a.c"]), answered: 5, asked: 7, failures: 0)
    let bad = StoredAssociation(
      domain: try domain("b.example"), grant: DomainGrant(problem: "It redirects; = \\ [x]"), answered: 1, asked: 1,
      failures: 3)
    let service = service()
    #expect(service.load().isEmpty)
    service.keep(good)
    service.keep(bad)
    settle()
    #expect(service.load() == [bad, good])
    service.forget(bad.domain)
    settle()
    #expect(service.load() == [good])
  }

  @Test(arguments: ["", "nonsense", "[Domain]\nAsked=-1\nAnswered=1\nFailures=0\n", "[Domain]\nAsked=x\n"])
  func aFileThatIsNotUnderstoodIsNone(_ text: String) throws {
    #expect(throws: SegueError.self) { try AssociationService.stored(try domain(), Array(text.utf8)) }
  }
}
