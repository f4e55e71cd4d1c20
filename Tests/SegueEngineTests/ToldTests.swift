import SegueCore
import Testing

@testable import SegueEngine

/// What other devices say that they have continued, the bad ones among them (attack 17).
@Suite struct ToldTests {
  /// This device has an activity on offer, and two others are linked.
  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    try trial.show(3)
    return trial
  }

  private func say(
    _ notice: ContinuedNotice, _ trial: inout Trial, _ device: DeviceID = Trial.other
  )
    -> [Effect]
  {
    trial.handle(.link(.message(device, .continued(notice))))
  }

  @Test func V11_whoHasFetchedIsHeardOnce() throws {
    var trial = try trial()
    let given = try trial.give(9, 3)
    guard case .snapshot? = given.fetchAnswers.first else { throw Failure(given) }
    #expect(given.records.count == 1)
    let told = say(try trial.notice(9, 3), &trial)
    #expect(told.toldContinued == [id(9)] && told.acknowledged == [id(9)] && told.records.count == 1)
    trial.handle(.door(5, .heardContinued(continuation: id(9), nil)))
    // Said again, since the acknowledgement was lost.
    let again = say(try trial.notice(9, 3), &trial)
    #expect(again.toldContinued.isEmpty && again.acknowledged == [id(9)] && again.records.isEmpty)
  }

  @Test func attack17_whoHasFetchedNothingIsNotHeard() throws {
    var trial = try trial()
    try trial.give(9, 3)
    var other = try trial.notice(9, 3)
    other.activity = id(4)
    let wrong = [
      say(try trial.notice(8, 3), &trial), say(other, &trial), say(try trial.notice(9, 3), &trial, Trial.third),
    ]
    for effects in wrong {
      #expect(effects.toldContinued.isEmpty && effects.records.isEmpty && effects.acknowledged.count == 1)
    }
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9)])
  }

  /// Who has fetched an activity of one application makes no other one hear of it.
  @Test func attack17_noOtherApplicationIsTold() throws {
    var trial = try trial()
    let other = try appID("com.example.Other")
    trial.handle(.door(6, .registered(other, .system)))
    try trial.give(9, 3)
    var wrong = try trial.notice(9, 3)
    wrong.appID = other
    let effects = say(wrong, &trial)
    #expect(effects.toldContinued.isEmpty && effects.records.isEmpty && effects.acknowledged == [id(9)])
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9)])
  }

  /// The right is written down while the application saves, and counts from the answer on. So a daemon that is killed
  /// after the answer hears the device, and the answer waits for no disk.
  @Test func attack17_theRightIsWrittenWhileTheApplicationSaves() throws {
    var trial = try trial()
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID())
    let asked = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    let save = try #require(asked.saves.first)
    let written = try #require(asked.record)
    #expect(say(try trial.notice(9, 3), &trial).toldContinued.isEmpty)
    let snapshot = Snapshot(id: id(3), revision: 2, type: try type(), userInfo: [0xa0])
    let answered = trial.handle(.door(5, .saved(save, .success(snapshot))))
    #expect(answered.record == nil)
    // The next daemon does not know whether the answer has left.
    var next = Trial(journal: try ContinuationJournal.decode(try written.encode()))
    try next.pairTwo()
    try next.show(3)
    #expect(say(try next.notice(9, 3), &next).toldContinued == [id(9)])
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9)])
  }

  /// A fetch that has failed gives no right.
  @Test func attack17_whoWasRefusedIsNotHeard() throws {
    var trial = try trial()
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID())
    let asked = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    let save = try #require(asked.saves.first)
    trial.handle(.door(5, .saved(save, .failure(SegueError(.handoffFailed, "It did not go.")))))
    #expect(say(try trial.notice(9, 3), &trial).toldContinued.isEmpty)
  }

  /// After however many others, what was said is not heard again, and nobody else's is forgotten for it.
  @Test func attack17_nothingIsForgottenForAnotherDevice() throws {
    var trial = try trial()
    try trial.give(9, 3)
    try trial.give(10, 3, to: Trial.third)
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9)])
    trial.handle(.door(5, .heardContinued(continuation: id(9), nil)))
    for number in 100..<UInt64(300) {
      _ = say(try trial.notice(number, 3), &trial)
      trial.now = trial.now + 100
    }
    #expect(say(try trial.notice(9, 3), &trial).toldContinued.isEmpty)
    for number in 300..<UInt64(500) { try trial.give(number, 3) }
    #expect(trial.engine.journal.given.count == 1 + Limits.continuationsGiven)
    #expect(say(try trial.notice(10, 3), &trial, Trial.third).toldContinued == [id(10)])
  }

  /// Who talks without end is not answered, and costs nothing else.
  @Test func attack17_whoTellsWithoutEndIsNotAnswered() throws {
    var trial = try trial()
    try trial.give(9, 3)
    func answers(_ count: Int, from device: DeviceID, _ first: UInt64) throws -> Int {
      var answers = 0
      for number in first..<(first + UInt64(count)) {
        let effects = say(try trial.notice(number, 3), &trial, device)
        #expect(effects.records.isEmpty && effects.toldContinued.isEmpty)
        answers += effects.acknowledged.count
      }
      return answers
    }
    #expect(try answers(Limits.strayNotices, from: Trial.third, 1_000) == Limits.strayNotices)
    #expect(try answers(1_000, from: Trial.third, 2_000) == 0)
    // Another device is.
    #expect(try answers(1, from: Trial.other, 1_000) == 1)
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9)])
    // And that one too, after a while.
    trial.now = trial.now + (Limits.strayTime - 1)
    #expect(try answers(1, from: Trial.third, 3_000) == 0)
    trial.now = trial.now + 1
    #expect(try answers(1, from: Trial.third, 1_000) == 1)
  }

  /// A device that fetches and tells without end has the disk only now and then; another one at once.
  @Test func attack17_theJournalIsWrittenNowAndThen() throws {
    var trial = try trial()
    var records = 0
    for number in 100..<UInt64(300) {
      records += try trial.give(number, 3).records.count
      records += say(try trial.notice(number, 3), &trial).records.count
      records += trial.handle(.door(5, .heardContinued(continuation: id(number), nil))).records.count
    }
    #expect(records == Int(Limits.recordBurst))
    #expect(try trial.give(9, 3, to: Trial.third).records.count == 1)
    try trial.give(300, 3)
    // What was not written is, soon.
    #expect(trial.wait(Limits.recordInterval - 1).records.isEmpty)
    let written = trial.wait(1).records
    #expect(written == [trial.engine.journal])
  }

  /// One application is told by one device of one continuation at a time.
  @Test func attack17_aDeviceDoesNotFillTheQueueOfAnApplication() throws {
    var trial = try trial()
    for number in 100..<UInt64(110) { try trial.give(number, 3) }
    try trial.give(9, 3, to: Trial.third)
    var told: [Identifier] = []
    for number in 100..<UInt64(110) { told += say(try trial.notice(number, 3), &trial).toldContinued }
    #expect(told == [id(100)])
    #expect(say(try trial.notice(9, 3), &trial, Trial.third).toldContinued == [id(9)])
    for number in 100..<UInt64(110) {
      let next = trial.handle(.door(5, .heardContinued(continuation: id(number), nil))).toldContinued
      #expect(next == (number < 109 ? [id(number + 1)] : []))
    }
    #expect(trial.engine.journal.unheard.map { $0.device } == [Trial.third])
  }

  /// A process that does not know of it is asked again when nobody else is left, and not before.
  @Test func V11_whoDoesNotKnowIsAskedAgainWhenItIsTheLast() throws {
    var trial = try trial()
    _ = trial.wait(Limits.returnTime)
    trial.handle(.door(6, .registered(try appID(), .system)))
    try trial.give(9, 3)
    try trial.give(10, 3)
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9), id(9)])
    let unknown = SegueError(.notFound, "No such activity.")
    #expect(trial.handle(.door(6, .heardContinued(continuation: id(9), unknown))).toldContinued.isEmpty)
    #expect(trial.engine.journal.unheard.count == 1)
    #expect(say(try trial.notice(10, 3), &trial).toldContinued == [id(10)])
    trial.handle(.door(6, .heardContinued(continuation: id(10), unknown)))
    #expect(trial.handle(.door(5, .left)).toldContinued == [id(9)])
    #expect(trial.handle(.door(6, .heardContinued(continuation: id(9), unknown))).toldContinued == [id(10)])
    trial.handle(.door(6, .heardContinued(continuation: id(10), unknown)))
    #expect(trial.engine.journal.unheard.isEmpty)
  }
}
