import SegueCore
import Testing

@testable import SegueEngine

/// Files that another device's userInfo names: how many are brought at once, in which order, and how each transfer
/// ends.
@Suite struct FileBringingTests {
  /// Session 5 has claimed continuation 30, of the other device's activity 3; and 31, of the third's.
  private func continuing(_ source: OfferSource = .device(Trial.other), here: TextSet = []) throws -> Trial {
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
    // No more effects follow.
    #expect(trial.handle(.file(.progressed(1, done: 1, of: 2))).isEmpty)
  }

  @Test func soManyAtOnceAndTheOthersInTheirOrder() throws {
    var trial = try continuing()
    for number in 1...UInt64(Limits.filesPerDevice) { #expect(bring(&trial, number).files.count == 1) }
    #expect(bring(&trial, 50).files.isEmpty)
    #expect(bring(&trial, 51).files.isEmpty)
    // Another device's files are not in the way.
    #expect(bring(&trial, 52, 31).files.count == 1)
    let waiting = UInt64(Limits.filesPerDevice + 1)
    #expect(
      trial.handle(.file(.failed(1, SegueError(.system)))).files.last == .bring(waiting, request, from: Trial.other))
    // A file that waits is cancelled without a message to the other device.
    let cancelled = trial.handle(.door(5, .cancelFile(transfer: 51)))
    #expect(cancelled.failure(151)?.code == .userCancelled && cancelled.files.isEmpty)
  }

  @Test func soManyOfAnApplication() throws {
    var trial = try continuing()
    for number in 1...UInt64(Limits.filesPerApplication) { #expect(bring(&trial, number).failure(100 + number) == nil) }
    #expect(bring(&trial, 99).failure(199)?.code == .limitExceeded)
    trial.handle(.door(5, .cancelFile(transfer: 7)))
    #expect(bring(&trial, 99).failure(199) == nil)
    // The files of a process that has left are removed.
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
        channel: ChannelID(value: number), device: .number(UInt8(number)), session: number, url: "file:///a")
      _ = try files.add(given, &deadlines, at: 0)
    }
    #expect(throws: SegueError.self) {
      _ = try files.add(
        Files.Given(channel: ChannelID(value: 99), device: .number(99), session: 99, url: "file:///a"), &deadlines,
        at: 0)
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
    // The link is lost again before any byte came: the time goes on from where it was.
    trial.handle(.link(.down(Trial.other)))
    trial.handle(.file(.interrupted(1)))
    let effects = trial.wait(2_000)
    #expect(effects.failure(101)?.code == .connectionUnavailable)
    #expect(effects.files == [.drop(1, .connectionUnavailable)])
  }

  @Test func allOfADeviceThatIsGoneEndTogether() throws {
    var trial = try continuing()
    let last = UInt64(Limits.filesPerDevice + 3)
    for number in 1...last { _ = bring(&trial, number) }
    _ = bring(&trial, 70, 31)
    trial.handle(.link(.down(Trial.other)))
    for number in 1...UInt64(Limits.filesPerDevice) { trial.handle(.file(.interrupted(number))) }
    _ = trial.wait(1)
    trial.handle(.file(.progressed(FileID(last + 1), done: 1, of: 2)))
    let ended = trial.wait(Limits.fileLinkTime - 1)
    #expect((1...last).allSatisfy { ended.failure(100 + $0)?.code == .connectionUnavailable })
    // No other file is requested, and the third device's goes on.
    #expect(ended.files.allSatisfy { if case .drop = $0 { true } else { false } })
    #expect(ended.failure(170) == nil && !trial.engine.files.isEmpty)
  }

  /// The end of its channel may be reported before or after the new link.
  @Test func aLinkThatIsThereIsTriedAgain() throws {
    var trial = try continuing()
    _ = bring(&trial, 1)
    #expect(trial.handle(.file(.interrupted(1))).files.isEmpty)
    #expect(trial.wait(Limits.fileRetryTime - 1).files.isEmpty)
    #expect(trial.wait(1).files == [.bring(1, request, from: Trial.other)])
    // Each try that makes progress has a time of its own.
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

  /// The device is not asked for the files that waited for others, either.
  @Test func attack16_aRemovedDeviceIsNotAskedForWhatWaits() throws {
    var trial = try continuing()
    let numbers = 1...UInt64(2 * Limits.filesPerDevice)
    for number in numbers { _ = bring(&trial, number) }
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.third, name: "tower")]))
    #expect(effects.files == drops(.connectionUnavailable))
    #expect(numbers.allSatisfy { effects.failure(100 + $0)?.code == .connectionUnavailable })
    #expect(!trial.engine.hasFiles)
  }

  /// The place that one device loses is not given to another one that is removed, too.
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

  /// The files that wait for their turn end with their process, and get no turn.
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
