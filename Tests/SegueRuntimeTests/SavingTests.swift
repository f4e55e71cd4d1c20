import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct SavingTests {
  private let offline: Offline
  private let saving: Saving

  /// The daemon's questions, and what was said to them.
  private final class Answers {
    private(set) var titles: [String?] = []
    private(set) var codes: [String] = []

    func note(_ answer: Result<BusDictionary, SegueError>) {
      switch answer {
      case .success(let dictionary): titles.append(try? DoorSnapshot.decode(dictionary).title)
      case .failure(let error): codes.append(error.code.name)
      }
    }
  }

  init() throws {
    offline = try Offline()
    saving = offline.application.saving
  }

  private let request = DoorSaveRequest(BusDictionary())

  @Test func S11_whatIsNotOnOfferIsNotSaved() throws {
    let (activity, answers) = (offline.activity(), Answers())
    saving.save(activity.id, request, answers.note)
    #expect(answers.codes == ["NotFound"])
    offline.application.makeCurrent(activity)
    try activity.setTitle("A")
    saving.save(activity.id, request, answers.note)
    #expect(answers.titles == ["A"])
  }

  @Test func S9_twoQuestionsShareOneRound() throws {
    let (activity, answers) = (offline.activity(), Answers())
    let (saving, request) = (saving, request)
    var rounds = 0
    offline.application.delegate.didUpdate = { _, activity in
      rounds += 1
      saving.save(activity.id, request, answers.note)
      try? activity.setTitle("round \(rounds)")
    }
    offline.application.makeCurrent(activity)
    try activity.setNeedsSave(true)
    saving.save(activity.id, request, answers.note)
    #expect(rounds == 1)
    #expect(answers.titles == ["round 1", "round 1"])
    #expect(activity.saveReason == .none)
  }

  @Test func X8_theApplicationMayRefuseAVersion() {
    let (activity, answers) = (offline.activity(), Answers())
    offline.application.makeCurrent(activity)
    for verdict in [VersionVerdict.refused, .mismatch] {
      activity.delegate.checkVersion = { _, _ in verdict }
      saving.save(activity.id, request, answers.note)
    }
    #expect(answers.codes == ["AccessDenied", "VersionMismatch"])
    // It is ended where it is asked.
    activity.delegate.checkVersion = { activity, _ in
      activity.application.invalidate(activity)
      return .agrees
    }
    saving.save(activity.id, request, answers.note)
    #expect(answers.codes.last == "NotFound" && answers.titles.isEmpty)
  }

  @Test func S10_whoeverEndsTheActivityInARoundIsAnsweredSo() throws {
    let answers = Answers()
    let endings: [(Activity) -> Void] = [{ $0.application.invalidate($0) }, { $0.application.close() }]
    for end in endings {
      let activity = offline.activity()
      offline.application.delegate.didUpdate = { _, activity in end(activity) }
      offline.application.makeCurrent(activity)
      try activity.setNeedsSave(true)
      saving.save(activity.id, request, answers.note)
    }
    #expect(answers.codes == ["Invalidated", "ApplicationExited"])
  }

  @Test(arguments: [0, 1]) func E4_userInfoIsAdvisedToBeSoSmall(_ more: Int) throws {
    let (activity, answers) = (offline.activity(), Answers())
    var lines: [String] = []
    offline.application.delegate.log = { _, line in lines.append(line) }
    offline.application.makeCurrent(activity)
    // A map, a key of one byte, and the head of a text take six bytes.
    try activity.setUserInfo(["a": .string(String(repeating: "x", count: Limits.userInfoAdvised - 6 + more))])
    for _ in 0..<2 { saving.save(activity.id, request, answers.note) }
    offline.dispatch()
    #expect(answers.titles.count == 2)
    #expect(lines.count { $0.contains("takes \(Limits.userInfoAdvised + more) bytes") } == more)
  }
}
