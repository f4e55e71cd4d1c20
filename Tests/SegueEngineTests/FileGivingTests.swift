import SegueCore
import Testing

@testable import SegueEngine

/// The right to a file that userInfo names, and how many files a device gets at once.
@Suite struct FileGivingTests {
  /// An application that has activity 3 on offer, as session 5, and has given it to the other device by continuation 9.
  private func origin(policy: Policy = Policy()) throws -> Trial {
    var trial = Trial(policy: policy)
    try trial.pairTwo()
    try trial.show(3)
    _ = trial.wait(Limits.returnTime)
    try trial.give(9, 3)
    return trial
  }

  private func ask(
    _ trial: inout Trial, _ channel: UInt64, by device: DeviceID = Trial.other, _ continuation: UInt64 = 9,
    _ activity: UInt64 = 3
  ) -> [FileEffect] {
    let request = FileRequest(continuation: id(continuation), activity: id(activity), url: "file:///a")
    return trial.handle(.link(.fileAsked(ChannelID(value: channel), device, request))).files
  }

  @Test func theApplicationOpensTheFile() throws {
    var trial = try origin()
    let request = FileRequest(continuation: id(9), activity: id(3), url: "file:///a")
    #expect(ask(&trial, 20) == [.open(1, ChannelID(value: 20), request, 5)])
    #expect(trial.handle(.door(5, .openedFile(1, nil))).files == [.send(1)])
    // A second answer, or one of another process, changes nothing.
    #expect(trial.handle(.door(5, .openedFile(1, nil))).isEmpty)
    trial.handle(.file(.ended(1)))
    #expect(!trial.engine.hasFiles)
  }

  /// A file is given only by the continuation by which the device itself has fetched that activity.
  @Test func attack17_onlyWhoHasFetchedItGetsFiles() throws {
    var trial = try origin()
    try trial.show(4, session: 6)
    #expect(ask(&trial, 20, by: Trial.third).refusal == .accessDenied)
    #expect(ask(&trial, 21, 8).refusal == .accessDenied)
    #expect(ask(&trial, 22, 9, 4).refusal == .accessDenied)
    #expect(ask(&trial, 23).opened == 1)
  }

  /// The user has withheld the application since the activity was given.
  @Test func V17_whatIsWithheldHasNoFiles() throws {
    var policy = Policy()
    policy.sharing.applications = [try appID()]
    let before = try origin()
    var trial = Trial(policy: policy, journal: before.engine.journal)
    try trial.pair()
    try trial.show(3)
    #expect(ask(&trial, 20).refusal == .handoffFailed)
  }

  @Test func itsReasonCrosses() throws {
    var trial = try origin()
    for (code, told) in [
      (SegueError.Code.accessDenied, SegueError.Code.accessDenied), (.notFound, .notFound),
      (.invalidArgument, .invalidArgument), (.connectionUnavailable, .notFound), (.protocolViolation, .notHandled),
    ] {
      let opened = try #require(ask(&trial, 20).opened)
      #expect(trial.handle(.door(5, .openedFile(opened, SegueError(code)))).files.refusal == told)
    }
    #expect(trial.engine.files.isEmpty)
  }

  @Test func whatHasEndedHasNoFiles() throws {
    var trial = try origin()
    let opened = try #require(ask(&trial, 20).opened)
    trial.handle(.door(5, .openedFile(opened, nil)))
    #expect(trial.handle(.door(5, .invalidate(id(3)))).files.isEmpty)
    #expect(ask(&trial, 21).refusal == .notFound)
    // A file that the application has opened is still sent after the application has ended.
    #expect(trial.handle(.door(5, .left)).files.isEmpty)
    #expect(trial.engine.hasFiles)
  }

  @Test func anApplicationThatLeavesOpensNothing() throws {
    var trial = try origin()
    _ = ask(&trial, 20)
    #expect(trial.handle(.door(5, .left)).files.refusal == .notFound)
    #expect(trial.engine.files.isEmpty)
  }

  /// The daemon was started anew, and the application is not back yet.
  @Test func anApplicationThatComesBackIsWaitedFor() throws {
    let before = try origin()
    var trial = Trial(journal: before.engine.journal)
    try trial.pair()
    #expect(ask(&trial, 20).isEmpty && trial.engine.hasFiles)
    // The device no longer waits on this channel.
    #expect(ask(&trial, 21).isEmpty)
    trial.handle(.file(.abandoned(ChannelID(value: 21))))
    for channel in 22..<UInt64(21 + Limits.filesPerDevice) { #expect(ask(&trial, channel).isEmpty) }
    #expect(ask(&trial, 30).refusal == .limitExceeded)
    try trial.show(3)
    #expect(trial.engine.files.givenInOrder.count == Limits.filesPerDevice)
    #expect(trial.engine.files.given(1)?.channel == ChannelID(value: 20))
  }

  @Test func anApplicationThatDoesNotComeBackIsNot() throws {
    let before = try origin()
    var trial = Trial(journal: before.engine.journal)
    try trial.pair()
    _ = ask(&trial, 20)
    #expect(trial.wait(Limits.returnTime).files.refusal == .notFound)
    #expect(trial.engine.files.isEmpty)
  }

  @Test func attack16_theFilesOfARemovedDeviceEnd() throws {
    var trial = try origin()
    let open = try #require(ask(&trial, 20).opened)
    trial.handle(.door(5, .openedFile(open, nil)))
    let asked = try #require(ask(&trial, 21).opened)
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")])).files
    #expect(effects.contains(.end(open, .accessDenied)) && effects.refusal == .accessDenied)
    #expect(trial.engine.files.given(asked) == nil && trial.engine.files.givenInOrder.isEmpty)
    #expect(ask(&trial, 22).refusal == .accessDenied)
    // The application still has to answer.
    #expect(trial.engine.hasFiles)
    trial.handle(.door(5, .openedFile(asked, nil)))
    #expect(!trial.engine.hasFiles)
  }

  /// The request of the other device still waits.
  @Test func attack16_whatWaitsForAnApplicationEndsWithItsDevice() throws {
    var before = try origin()
    try before.give(10, 3, to: Trial.third)
    var trial = Trial(journal: before.engine.journal)
    try trial.pairTwo()
    #expect(ask(&trial, 20).isEmpty && ask(&trial, 21, by: Trial.third, 10).isEmpty)
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")])).files
    #expect(effects.count == 1 && effects.refusal == .accessDenied)
    try trial.show(3)
    #expect(trial.engine.files.givenInOrder.compactMap { trial.engine.files.given($0)?.channel.value } == [21])
  }

  @Test func attack33_aDeviceGetsSoManyAtOnce() throws {
    var trial = try origin()
    for channel in 0..<UInt64(Limits.filesPerDevice) {
      let opened = try #require(ask(&trial, 20 + channel).opened)
      trial.handle(.door(5, .openedFile(opened, nil)))
    }
    #expect(ask(&trial, 40).refusal == .limitExceeded)
    trial.handle(.file(.ended(1)))
    #expect(ask(&trial, 41).opened != nil)
  }

  /// An application that does not answer is not asked without end, though the requesting devices give up; on behalf of
  /// each device it is asked only so often that another one is served.
  @Test func attack37_anApplicationThatDoesNotReadIsAskedSoOften() throws {
    var trial = try origin()
    try trial.give(10, 3, to: Trial.third)
    for (device, continuation) in [(Trial.other, 9), (Trial.third, 10)] as [(DeviceID, UInt64)] {
      for channel in 0..<UInt64(Limits.filesUnansweredPerDevice) {
        let asked = try #require(ask(&trial, 20 * continuation + channel, by: device, continuation).opened)
        trial.handle(.file(.ended(asked)))
      }
      #expect(ask(&trial, 20 * continuation + 10, by: device, continuation).refusal == .limitExceeded)
    }
    // After that, the application is asked nothing more on behalf of any device.
    try trial.pairFourth()
    try trial.give(11, 3, to: Trial.fourth)
    #expect(ask(&trial, 60, by: Trial.fourth, 11).refusal == .limitExceeded)
    trial.handle(.door(5, .openedFile(1, nil)))
    #expect(ask(&trial, 61).opened != nil)
  }

  @Test func attack33_whoReadsNothingIsNotWaitedFor() throws {
    var trial = try origin()
    let opened = try #require(ask(&trial, 20).opened)
    trial.handle(.door(5, .openedFile(opened, nil)))
    #expect(trial.wait(Limits.fileSilenceTime - 1).files.isEmpty)
    trial.handle(.file(.sent(opened, done: 0, of: 1)))
    #expect(trial.wait(Limits.fileSilenceTime - 1).files.isEmpty)
    #expect(trial.wait(1).files == [.end(opened, .limitExceeded)])
    #expect(trial.engine.files.isEmpty)
  }

  @Test func anApplicationHasSoLong() throws {
    var trial = try origin()
    _ = ask(&trial, 20)
    #expect(trial.wait(Limits.saveTime).files.refusal == .remoteApplicationTimedOut)
  }
}

extension [FileEffect] {
  fileprivate var opened: FileID? {
    for case .open(let id, _, _, _) in self { return id }
    return nil
  }
  fileprivate var refusal: SegueError.Code? {
    for case .refuse(_, let error) in self { return error.code }
    return nil
  }
}
