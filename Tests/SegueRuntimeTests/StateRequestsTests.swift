import SegueCore
import Testing

@testable import SegueRuntime

/// Questions for the states of an earlier run (semantics C17), where nobody answers.
@Suite struct StateRequestsTests {
  private let offline: Offline
  private let states: StateRequests

  private final class Answers {
    var codes: [String] = []

    func note(_ result: Result<[Activity], SegueError>) {
      switch result {
      case .success(let activities): codes.append("\(activities.count)")
      case .failure(let error): codes.append(error.code.name)
      }
    }
  }

  private let answers = Answers()

  init() throws {
    offline = try Offline()
    states = offline.application.states
  }

  /// The windows of an application do not wait where it is known that nobody will answer.
  @Test func C17_withoutABusTheAnswerComesAtOnce() throws {
    try states.begin(nil, nil, maximum: 1, answers.note)
    for _ in 0..<100 where answers.codes.isEmpty { _ = offline.application.wait(milliseconds: 1_000) }
    #expect(answers.codes == ["ConnectionUnavailable"])
    // And one that is asked then.
    try states.begin(nil, nil, maximum: 1, answers.note)
    for _ in 0..<100 where answers.codes.count == 1 { _ = offline.application.wait(milliseconds: 1_000) }
    #expect(answers.codes == ["ConnectionUnavailable", "ConnectionUnavailable"])
  }

  @Test func C17_whatWaitsEndsWithTheApplication() throws {
    try states.begin(.browsingWeb, "window", maximum: 1, answers.note)
    #expect(answers.codes.isEmpty)
    offline.application.close()
    #expect(answers.codes == ["ConnectionUnavailable"])
  }

  @Test func questionsForStatesAtOnce() throws {
    let longest = String(repeating: "a", count: Limits.identifierLength)
    for _ in 0..<Limits.stateRequests { try states.begin(nil, longest, maximum: 1, answers.note) }
    #expect(throws: SegueError.self) { try states.begin(nil, nil, maximum: 1, answers.note) }
    offline.application.close()
    #expect(answers.codes.count == Limits.stateRequests)
    #expect(throws: SegueError.self) { try states.begin(nil, longest + "a", maximum: 1, answers.note) }
  }
}
