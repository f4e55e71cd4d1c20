import SegueCore
import Testing

@testable import SegueEngine

/// Who may have a file that userInfo names, how many come at once, and how each comes to its end.
@Suite struct FilesTests {
  // MARK: Where they are from

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
    // Told again, or by another, it changes nothing.
    #expect(trial.handle(.door(5, .openedFile(1, nil))).isEmpty)
    trial.handle(.file(.ended(1)))
    #expect(!trial.engine.hasFiles)
  }

  /// Only by the continuation by which the device itself has fetched that activity.
  @Test func attack17_onlyWhoHasFetchedItGetsFiles() throws {
    var trial = try origin()
    try trial.show(4, session: 6)
    #expect(ask(&trial, 20, by: Trial.third).refusal == .accessDenied)
    #expect(ask(&trial, 21, 8).refusal == .accessDenied)
    #expect(ask(&trial, 22, 9, 4).refusal == .accessDenied)
    #expect(ask(&trial, 23).opened == 1)
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
    // What the application has opened goes on, also without it.
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
    // Nobody waits any more on this one.
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
    // The application has still to answer.
    #expect(trial.engine.hasFiles)
    trial.handle(.door(5, .openedFile(asked, nil)))
    #expect(!trial.engine.hasFiles)
  }

  /// The other's waits on.
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

  /// One that does not answer is not asked without end, though the others give up.
  @Test func attack37_anApplicationThatDoesNotReadIsAskedSoOften() throws {
    var trial = try origin()
    for channel in 0..<UInt64(Limits.filesUnanswered) {
      let asked = try #require(ask(&trial, 20 + channel).opened)
      trial.handle(.file(.ended(asked)))
    }
    #expect(ask(&trial, 60).refusal == .limitExceeded)
    trial.handle(.door(5, .openedFile(1, nil)))
    #expect(ask(&trial, 61).opened != nil)
  }

  @Test func attack33_whoReadsNothingIsNotWaitedFor() throws {
    var trial = try origin()
    let opened = try #require(ask(&trial, 20).opened)
    trial.handle(.door(5, .openedFile(opened, nil)))
    #expect(trial.wait(Limits.fileSilenceTime - 1).files.isEmpty)
    trial.handle(.file(.sent(opened)))
    #expect(trial.wait(Limits.fileSilenceTime - 1).files.isEmpty)
    #expect(trial.wait(1).files == [.end(opened, .limitExceeded)])
    #expect(trial.engine.files.isEmpty)
  }

  @Test func anApplicationHasSoLong() throws {
    var trial = try origin()
    _ = ask(&trial, 20)
    #expect(trial.wait(Limits.saveTime).files.refusal == .remoteApplicationTimedOut)
  }

  // MARK: Where they are brought to

  /// Session 5 has claimed continuation 30, of the other device's activity 3; and 31, of the third's.
  private func continuing(_ source: OfferSource = .device(Trial.other), here: Set<String> = []) throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.engine.streams.claimed(
      Streams.Claim(continuation: id(30), session: 5, activity: id(3), source: source, filesHere: here))
    trial.engine.streams.claimed(
      Streams.Claim(continuation: id(31), session: 5, activity: id(4), source: .device(Trial.third)))
    return trial
  }

  private func bring(
    _ trial: inout Trial, _ number: UInt64, _ continuation: UInt64 = 30, url: String = "file:///a",
    session: SessionID = 5
  ) -> [Effect] {
    trial.handle(
      .door(session, .bringFile(continuation: id(continuation), url: url, transfer: number, 100 + number)))
  }

  private let request = FileRequest(continuation: id(30), activity: id(3), url: "file:///a")

  @Test func aFileComes() throws {
    var trial = try continuing()
    #expect(bring(&trial, 1).files == [.bring(1, request, from: Trial.other)])
    let told = trial.handle(.file(.progressed(1, done: 5, of: 10))).files
    #expect(told == [.tell(5, transfer: 1, done: 5, of: 10)])
    let file = BroughtFile(path: "/cache/a", size: 10, digest: [])
    guard case .file(file)? = trial.handle(.file(.brought(1, file))).reply(101) else { throw Failure([]) }
    #expect(trial.engine.files.isEmpty)
  }

  @Test func whatIsHereIsNoCopy() throws {
    var trial = try continuing(here: ["file:///shared/a"])
    guard case .file(let file)? = bring(&trial, 1, url: "file:///shared/a").reply(101) else { throw Failure([]) }
    #expect(file == BroughtFile(path: "/shared/a", size: 0, digest: nil))
    #expect(bring(&trial, 2).files.count == 1)
    trial = try continuing(.here)
    guard case .file? = bring(&trial, 1).reply(101) else { throw Failure([]) }
  }

  @Test func whatCannotBeBrought() throws {
    var trial = try continuing(
      .kept(StoredCopy.Key(device: Trial.other, activity: id(3), kind: .snapshot)))
    #expect(bring(&trial, 1).failure(101)?.code == .notFound)
    #expect(bring(&trial, 2, 99).failure(102)?.code == .notFound)
    trial.handle(.door(6, .registered(try appID(), .system)))
    #expect(bring(&trial, 3, 31, session: 6).failure(103)?.code == .notFound)
    trial.handle(.link(.down(Trial.third)))
    #expect(bring(&trial, 4, 31).failure(104)?.code == .connectionUnavailable)
    trial = try continuing()
    #expect(bring(&trial, 5, url: "file:///a/../b").failure(105)?.code == .invalidArgument)
    _ = bring(&trial, 6)
    #expect(bring(&trial, 6).failure(106)?.code == .invalidArgument)
  }

  @Test func theirFailureIsTheReply() throws {
    var trial = try continuing()
    _ = bring(&trial, 1)
    let effects = trial.handle(.file(.failed(1, SegueError(.accessDenied))))
    #expect(effects.failure(101)?.code == .accessDenied && effects.files == [.drop(1, .accessDenied)])
    // Nothing more follows.
    #expect(trial.handle(.file(.progressed(1, done: 1, of: 2))).isEmpty)
  }

  @Test func soManyAtOnceAndTheOthersInTheirOrder() throws {
    var trial = try continuing()
    for number in 1...UInt64(Limits.filesPerDevice) { #expect(bring(&trial, number).files.count == 1) }
    #expect(bring(&trial, 50).files.isEmpty)
    #expect(bring(&trial, 51).files.isEmpty)
    // Another device's are not in the way.
    #expect(bring(&trial, 52, 31).files.count == 1)
    let waiting = UInt64(Limits.filesPerDevice + 1)
    #expect(
      trial.handle(.file(.failed(1, SegueError(.system)))).files.last == .bring(waiting, request, from: Trial.other))
    // One that waits ends without a word to the other device.
    let cancelled = trial.handle(.door(5, .cancelFile(transfer: 51)))
    #expect(cancelled.failure(151)?.code == .userCancelled && cancelled.files.isEmpty)
  }

  @Test func soManyOfAnApplication() throws {
    var trial = try continuing()
    for number in 1...UInt64(Limits.filesPerApplication) { #expect(bring(&trial, number).failure(100 + number) == nil) }
    #expect(bring(&trial, 99).failure(199)?.code == .limitExceeded)
    trial.handle(.door(5, .cancelFile(transfer: 7)))
    #expect(bring(&trial, 99).failure(199) == nil)
    // Those of a process that has left are nobody's.
    trial.handle(.door(5, .left))
    #expect(trial.engine.files.isEmpty)
  }

  @Test func soManyInAll() throws {
    var files = Files(EngineSettings(device: Trial.own, deviceName: "lap", boot: "boot"))
    var deadlines = Deadlines()
    for number in 1...UInt64(Limits.files + 1) {
      try files.add(
        Files.Wanted(
          session: 1, transfer: number, device: .number(UInt8(number)), request: request, reply: number))
    }
    for _ in 0..<Limits.files { files.ask(try #require(files.next), &deadlines, at: 0) }
    #expect(files.next == nil)
    files.remove(1, &deadlines)
    #expect(files.next == FileID(Limits.files + 1))
    for number in 1...UInt64(Limits.files) {
      let given = Files.Given(
        channel: ChannelID(value: number), device: .number(UInt8(number)), session: number)
      _ = try files.add(given, &deadlines, at: 0)
    }
    #expect(throws: SegueError.self) {
      _ = try files.add(
        Files.Given(channel: ChannelID(value: 99), device: .number(99), session: 99), &deadlines, at: 0)
    }
  }

  @Test func aLostLinkIsWaitedFor() throws {
    var trial = try continuing()
    _ = bring(&trial, 1)
    trial.handle(.file(.progressed(1, done: 5, of: 10)))
    trial.handle(.link(.down(Trial.other)))
    #expect(trial.handle(.file(.interrupted(1))).files.isEmpty)
    #expect(trial.wait(Limits.fileLinkTime - 2_000).files.isEmpty)
    #expect(trial.handle(.link(.up(Trial.other, name: "Desk"))).files == [.bring(1, request, from: Trial.other)])
    // It is lost again before anything came: the time goes on from where it was.
    trial.handle(.link(.down(Trial.other)))
    trial.handle(.file(.interrupted(1)))
    let effects = trial.wait(2_000)
    #expect(effects.failure(101)?.code == .connectionUnavailable)
    #expect(effects.files == [.drop(1, .connectionUnavailable)])
  }

  /// That its channel has ended may be told before or after the new link.
  @Test func aLinkThatIsThereIsTriedAgain() throws {
    var trial = try continuing()
    _ = bring(&trial, 1)
    #expect(trial.handle(.file(.interrupted(1))).files.isEmpty)
    #expect(trial.wait(Limits.fileRetryTime - 1).files.isEmpty)
    #expect(trial.wait(1).files == [.bring(1, request, from: Trial.other)])
    // Each try that brings it further has a time of its own.
    trial.handle(.file(.progressed(1, done: 5, of: 10)))
    trial.handle(.file(.interrupted(1)))
    for _ in 0..<(Limits.fileLinkTime / Limits.fileRetryTime) - 1 {
      #expect(trial.wait(Limits.fileRetryTime).files == [.bring(1, request, from: Trial.other)])
      trial.handle(.file(.interrupted(1)))
    }
    #expect(trial.wait(Limits.fileRetryTime).failure(101)?.code == .connectionUnavailable)
  }

  @Test func whoDoesNotAnswerOrSendsNothing() throws {
    var trial = try continuing()
    _ = bring(&trial, 1)
    #expect(trial.wait(Limits.fetchTime + Limits.returnTime).failure(101)?.code == .remoteApplicationTimedOut)
    _ = bring(&trial, 2)
    trial.handle(.file(.progressed(2, done: 0, of: 10)))
    #expect(trial.wait(Limits.fileSilenceTime - 1).files.isEmpty)
    #expect(trial.wait(1).failure(102)?.code == .connectionUnavailable)
  }

  @Test func attack16_whatARemovedDeviceSendsIsNotWanted() throws {
    var trial = try continuing()
    _ = bring(&trial, 1)
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")]))
    #expect(effects.failure(101)?.code == .connectionUnavailable)
    #expect(effects.files == [.drop(1, .connectionUnavailable)])
    #expect(bring(&trial, 2).failure(102)?.code == .connectionUnavailable)
  }

  private func drops(_ code: SegueError.Code) -> [FileEffect] {
    (1...FileID(Limits.filesPerDevice)).map { .drop($0, code) }
  }

  /// Not even for what has waited until others were there.
  @Test func attack16_aRemovedDeviceIsNotAskedForWhatWaits() throws {
    var trial = try continuing()
    let numbers = 1...UInt64(2 * Limits.filesPerDevice)
    for number in numbers { _ = bring(&trial, number) }
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")]))
    #expect(effects.files == drops(.connectionUnavailable))
    #expect(numbers.allSatisfy { effects.failure(100 + $0)?.code == .connectionUnavailable })
    #expect(!trial.engine.hasFiles)
  }

  /// The place of the one is not for the other's.
  @Test func attack16_devicesThatAreRemovedTogetherAreNotAsked() throws {
    var trial = try continuing()
    let count = UInt8(Limits.files / Limits.filesPerDevice)
    let devices = (10...(10 + count)).map { DeviceID.number($0) }
    trial.handle(.paired(devices.map { Event.PairedName(device: $0, name: "") }))
    var number: UInt64 = 0
    for (index, device) in devices.enumerated() {
      trial.handle(.link(.up(device, name: "")))
      let continuation = 40 + UInt64(index)
      trial.engine.streams.claimed(
        Streams.Claim(continuation: id(continuation), session: 5, activity: id(3), source: .device(device)))
      for _ in 0..<Limits.filesPerDevice {
        number += 1
        #expect(bring(&trial, number, continuation).files.isEmpty == (device == devices.last))
      }
    }
    let left = devices[1..<Int(count)].map { Event.PairedName(device: $0, name: "") }
    #expect(trial.handle(.paired(left)).files == drops(.connectionUnavailable))
  }

  /// What waits for it ends with it, and is nobody's turn.
  @Test func whatAProcessThatHasLeftWaitedForIsNotAskedFor() throws {
    var trial = try continuing()
    trial.handle(.door(6, .registered(try appID(), .system)))
    trial.engine.streams.claimed(
      Streams.Claim(continuation: id(32), session: 6, activity: id(3), source: .device(Trial.other)))
    let numbers = 1...UInt64(2 * Limits.filesPerDevice)
    for number in numbers { _ = bring(&trial, number) }
    #expect(bring(&trial, 50, 32, session: 6).files.isEmpty)
    let effects = trial.handle(.door(5, .left))
    let other = FileRequest(continuation: id(32), activity: id(3), url: "file:///a")
    #expect(
      effects.files == drops(.applicationExited) + [.bring(FileID(numbers.count + 1), other, from: Trial.other)])
    #expect(numbers.allSatisfy { effects.failure(100 + $0)?.code == .applicationExited })
  }

  private struct Failure: Error {
    init(_ effects: [Effect]) {}
  }
}

extension [Effect] {
  fileprivate var files: [FileEffect] { compactMap { if case .file(let effect) = $0 { effect } else { nil } } }
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
