import SegueCore
import Testing

@testable import SegueEngine

/// The reports of other devices that they have continued an activity, bad ones included (attack 17).
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
    // The report is repeated, since the acknowledgement was lost.
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

  /// A device that has fetched an activity of one application cannot notify another application.
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

  /// The right is recorded while the application saves, and counts from the answer on. So a daemon that is killed after
  /// the answer accepts the device's report, and the answer waits for no disk.
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

  /// A failed fetch gives no right.
  @Test func attack17_whoWasRefusedIsNotHeard() throws {
    var trial = try trial()
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID())
    let asked = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    let save = try #require(asked.saves.first)
    trial.handle(.door(5, .saved(save, .failure(SegueError(.handoffFailed, "It did not go.")))))
    #expect(say(try trial.notice(9, 3), &trial).toldContinued.isEmpty)
  }

  /// After however many reports of another device, a repeated one is not delivered again, and no other device's right
  /// is lost.
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

  /// A device that reports without end is not answered, and causes no other cost.
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
    #expect(try answers(Limits.unsolicitedNotices, from: Trial.third, 1_000) == Limits.unsolicitedNotices)
    #expect(try answers(1_000, from: Trial.third, 2_000) == 0)
    // Another device is still answered.
    #expect(try answers(1, from: Trial.other, 1_000) == 1)
    #expect(say(try trial.notice(9, 3), &trial).toldContinued == [id(9)])
    // The first device is answered too, after a while.
    trial.now = trial.now + (Limits.unsolicitedTime - 1)
    #expect(try answers(1, from: Trial.third, 3_000) == 0)
    trial.now = trial.now + 1
    #expect(try answers(1, from: Trial.third, 1_000) == 1)
  }

  /// The reports of a device that fetches and reports without end are written only now and then; those of another one
  /// at once.
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
    // The changes that were not written are, soon.
    #expect(trial.wait(Limits.recordInterval - 1).records.isEmpty)
    let written = trial.wait(1).records
    #expect(written == [trial.engine.journal])
  }

  /// An application is notified of one continuation of each device at a time.
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

  /// A process that does not have the activity is asked again when no other one is left, and not before.
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
