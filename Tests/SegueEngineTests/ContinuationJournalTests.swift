import SegueCore
import SegueEngine
import Testing

@Suite struct ContinuationJournalTests {
  typealias Notice = ContinuedNotice

  private func id(_ number: Int) -> Identifier { Identifier(high: 7, low: UInt64(number)) }

  private func running(_ number: Int) throws -> ContinuationJournal.Running {
    let offer = Offer(
      id: id(1_000 + number), revision: 3, type: .browsingWeb, appID: try #require(AppID("org.segue.Test")),
      title: "Title", webHost: "example.org", timeLeft: 4)
    return ContinuationJournal.Running(
      id: id(number), offer: offer, source: .device(.quiet), appID: offer.appID, boot: "boot", fetchUntil: 5,
      until: .distantFuture)
  }

  private func notice(_ number: Int) throws -> Notice {
    Notice(
      continuation: id(number), activity: id(2_000), appID: try #require(AppID("org.segue.Test")),
      inBrowser: number % 2 == 0)
  }

  private func given(
    _ number: Int, _ stage: ContinuationJournal.Given.Stage = .given, to device: DeviceID? = .quiet,
    app: String = "org.segue.Test", revision: UInt64 = 0
  ) -> ContinuationJournal.Given {
    ContinuationJournal.Given(
      device: device, continuation: id(number), activity: id(2_000), appID: AppID(app), stage: stage,
      revision: revision)
  }

  /// An encoder keeps what it has encoded of a list, as long as the list is the same.
  @Test func X9_anEncoderWritesEachJournalAsAFreshOneDoes() throws {
    var (journal, encoder) = (ContinuationJournal(), JournalEncoder())
    let changes: [(inout ContinuationJournal) throws -> Void] = [
      { _ in }, { $0.give(self.given(1)) }, { $0.note(try self.running(1)) },
      { $0.take(self.id(6), of: .quiet, revision: 8) },
      { $0.give(self.given(2, app: "org.segue.Another")) }, { $0.take(self.id(6), of: nil, revision: 9) },
      { $0.tell(.quiet, try self.notice(3)) }, { _ = $0.receive(try self.notice(1), from: .quiet) },
      { $0.hear(self.id(1), from: .quiet) }, { $0.end(self.id(1)) }, { $0.forget(.quiet) },
      { $0 = ContinuationJournal() },
    ]
    for change in changes {
      try change(&journal)
      let bytes = try encoder.encode(journal)
      #expect(try bytes == journal.encode())
    }
  }

  @Test func X9_theNextDaemonReadsWhatWasWritten() throws {
    var journal = ContinuationJournal()
    #expect(try ContinuationJournal.decode(try journal.encode()) == journal)
    journal.note(try running(1))
    journal.note(try running(2))
    var delivered = try running(1)
    delivered.isDelivered = true
    delivered.until = 99
    delivered.revision = 4
    journal.note(delivered)
    journal.tell(.quiet, try notice(3))
    for number in 4...6 { journal.give(given(number)) }
    journal.give(given(8, .kept, revision: 1 << 55))
    for number in 4...5 {
      let isNews = journal.receive(try notice(number), from: .quiet)
      #expect(isNews)
    }
    journal.hear(id(5), from: .quiet)
    journal.take(id(6), of: .quiet, revision: 8)
    journal.take(id(7), of: .quiet, revision: .max)
    let read = try ContinuationJournal.decode(try journal.encode())
    #expect(read.running.first == delivered)
    #expect(read.running.map { $0.id } == [id(1), id(2)])
    #expect(read.untold == journal.untold && read.unheard == journal.unheard)
    #expect(try read.unheard.map { $0.notice } == [notice(4)])
    #expect(read.given == journal.given && read.taken == journal.taken)
    #expect(read.given.map { $0.stage } == [.toldOfBrowser, .heard, .given, .kept])
    // A time that no clock can reach is written as the latest one that a file can hold.
    #expect(read.running.last?.until == Instant(milliseconds: UInt64(Int64.max)))
    journal.end(id(1))
    journal.end(id(1))
    #expect(journal.running.map { $0.id } == [id(2)])
  }

  @Test func X9_whatIsDamagedIsRefusedOrLeftOut() throws {
    for bytes: [UInt8] in [[], [0xff], try CBOR.encode("text"), try CBOR.encode([:]), try CBOR.encode(["version": 2])] {
      #expect(throws: SegueError.self) { try ContinuationJournal.decode(bytes) }
    }
    var journal = ContinuationJournal()
    journal.note(try running(1))
    journal.tell(.quiet, try notice(2))
    journal.give(given(3))
    journal.take(id(4), of: .quiet, revision: 5)
    var bytes = try journal.encode()
    for index in bytes.indices {
      let byte = bytes[index]
      for other in [0, 0x7f, 0xff, byte ^ 1] as [UInt8] {
        bytes[index] = other
        _ = try? ContinuationJournal.decode(bytes)
      }
      bytes[index] = byte
    }
    #expect(try ContinuationJournal.decode(bytes) == ContinuationJournal.decode(try journal.encode()))
    let odd = try CBOR.encode([
      "version": 1, "running": [1, ["id": 2]], "untold": [[], ["x"], ["x", 1]], "unheard": ["x"],
      "apps": [1, "x"], "given": [1, [1], ["x", 1], ["here", .data([UInt8](repeating: 1, count: 48))]],
      "taken": ["x", ["x", .data([UInt8](repeating: 1, count: 31))]],
    ])
    #expect(try ContinuationJournal.decode(odd) == ContinuationJournal())
  }

  @Test func X9_theOriginIsToldUntilItAcknowledges() throws {
    var journal = ContinuationJournal()
    journal.tell(.quiet, try notice(1))
    journal.tell(.quiet, try notice(1))
    journal.tell(.loud, try notice(2))
    #expect(journal.untold.map { $0.notice.continuation } == [id(1), id(2)])
    // Another device cannot acknowledge for it.
    do {
      let isNews = journal.acknowledged(id(1), by: .loud)
      #expect(!isNews)
    }
    do {
      let isNews = journal.acknowledged(id(1), by: .quiet)
      #expect(isNews)
    }
    do {
      let isNews = journal.acknowledged(id(1), by: .quiet)
      #expect(!isNews)
    }
    journal.forget(.loud)
    #expect(journal.untold.isEmpty)
  }

  @Test func V11_whatWasSaidBeforeIsNotNews() throws {
    var journal = ContinuationJournal()
    journal.give(given(1))
    journal.give(given(1, to: .loud))
    func isNews(_ number: Int, from device: DeviceID) throws -> Bool {
      journal.receive(try notice(number), from: device)
    }
    #expect(try isNews(1, from: .quiet))
    #expect(try !isNews(1, from: .quiet))
    journal.hear(id(1), from: .quiet)
    journal.hear(id(1), from: .quiet)
    // Fetched once more, it was said all the same.
    journal.give(given(1))
    #expect(try !isNews(1, from: .quiet))
    #expect(journal.unheard.isEmpty && journal.given.map { $0.stage } == [.heard, .given])
    // The same id from another device is another continuation.
    #expect(try isNews(1, from: .loud))
  }

  /// A device's notice counts only for a continuation that was given to that device.
  @Test func attack17_onlyWhatWasGivenIsNews() throws {
    var journal = ContinuationJournal()
    journal.give(given(1))
    var wrong = [try notice(2), try notice(1), try notice(1)]
    wrong[1].activity = id(2_001)
    wrong[2].appID = try #require(AppID("org.segue.Other"))
    for notice in wrong {
      let isNews = journal.receive(notice, from: .quiet)
      #expect(!isNews)
    }
    let isNews = journal.receive(try notice(1), from: .loud)
    #expect(!isNews && journal.unheard.isEmpty && journal.given == [given(1)])
  }

  /// A stored activity is continued under ids that the continuing device makes up later: each state only a limited
  /// number of times, however often it is fetched, and each id once.
  @Test func attack17_whatIsKeptIsToldOfSoOften() throws {
    var journal = ContinuationJournal()
    journal.give(given(1, .kept, revision: 7))
    func isNews(_ number: Int) throws -> Bool { journal.receive(try notice(number), from: .quiet) }
    for number in 100..<100 + Limits.continuationsOfKept {
      #expect(try isNews(number))
      #expect(try !isNews(number))
    }
    #expect(try !isNews(5))
    journal = try ContinuationJournal.decode(try journal.encode())
    #expect(try !isNews(5))
    for revision in [7, 6] as [UInt64] {
      journal.give(given(2, .kept, revision: revision))
      #expect(try !isNews(5))
    }
    journal.give(given(2, .kept, revision: 8))
    #expect(try isNews(5))
    // A fetch for a continuation uses up its own right first.
    journal.give(given(8))
    #expect(try isNews(8))
    #expect(journal.given.first { $0.stage == .kept }?.uses == 1)
  }

  /// The one whose state is older may have taken longer.
  @Test func V15_whatWasContinuedIsRememberedAtItsLastRevision() {
    var journal = ContinuationJournal()
    journal.take(id(1), of: .quiet, revision: 7)
    journal.take(id(1), of: .loud, revision: 2)
    journal.take(id(1), of: .quiet, revision: 6)
    #expect(journal.revisionTaken(of: id(1), of: .quiet) == 7 && journal.revisionTaken(of: id(1), of: .loud) == 2)
    #expect(journal.revisionTaken(of: id(2), of: .quiet) == nil && journal.taken.count == 2)
    journal.forget(.quiet)
    #expect(journal.revisionTaken(of: id(1), of: .quiet) == nil && journal.revisionTaken(of: id(1), of: .loud) == 2)
  }

  /// However full, it is a file that can be written and read.
  @Test func X9_theOldestGivesWay() throws {
    var journal = ContinuationJournal()
    let many = 300
    for number in 1...many {
      journal.note(try running(number))
      journal.tell(.quiet, try notice(number))
      for device in [DeviceID?.some(.quiet), .loud, nil] { journal.give(given(number, to: device)) }
      journal.take(id(number), of: .quiet, revision: 1)
    }
    #expect(journal.running.map { $0.id } == (many - Limits.continuationsRecorded + 1...many).map { id($0) })
    let last = try (many - Limits.continuationsUntold + 1...many).map { try notice($0) }
    #expect(journal.untold.map { $0.notice } == last)
    let kept = (many - Limits.continuationsGiven + 1...many).map { given($0) }
    #expect(journal.given.filter { $0.device == .quiet } == kept)
    #expect(journal.given.count == 3 * Limits.continuationsGiven)
    #expect(journal.taken.map { $0.activity } == (many - Limits.continuedOffers + 1...many).map { id($0) })
    #expect(try journal.encode().count < Limits.fileLength / 2)
    let read = try ContinuationJournal.decode(try journal.encode())
    #expect(read.taken == journal.taken && read.untold == journal.untold)
    #expect(read.given.filter { $0.device == .quiet } == kept && read.given.count == journal.given.count)
  }

  /// Every device has fetched, for applications of every name, as often as is remembered.
  @Test func X9_aFullRecordFitsItsFile() throws {
    var journal = ContinuationJournal()
    for device in 0...UInt8(Limits.devices) {
      let device = DeviceID(
        hash: [UInt8](repeating: device, count: DeviceID.byteCount),
        check: [UInt8](repeating: device % 32, count: DeviceID.checkDigits))
      for number in 0..<Limits.continuationsGiven {
        let app = "org." + String(repeating: "a", count: 200) + "\(number)"
        journal.give(given(number, to: device, app: app))
        var notice = try notice(number)
        notice.appID = try #require(AppID(app))
        _ = journal.receive(notice, from: device)
      }
    }
    #expect(journal.unheard.count == (Limits.devices + 1) * Limits.continuationsGiven)
    let bytes = try journal.encode()
    #expect(bytes.count < Limits.fileLength / 2)
    #expect(try ContinuationJournal.decode(bytes).unheard.count == journal.unheard.count)
  }

  /// A device that says much, or has much on offer, does not crowd out the others.
  @Test func X9_theOldestOfWhoHasTheMostGivesWay() throws {
    var journal = ContinuationJournal()
    for number in 1...3 {
      journal.tell(.quiet, try notice(number))
      journal.give(given(number))
      journal.take(id(number), of: .quiet, revision: 1)
    }
    for number in 1_001...2_000 {
      journal.tell(.loud, try notice(number))
      journal.give(given(number, to: .loud))
      journal.take(id(number), of: .loud, revision: 1)
    }
    #expect(journal.untold.count(where: { $0.device == .quiet }) == 3)
    #expect(journal.given.count(where: { $0.device == .quiet }) == 3)
    #expect(journal.taken.count(where: { $0.device == .quiet }) == 3)
    #expect(journal.untold.count == Limits.continuationsUntold)
    #expect(journal.given.count == 3 + Limits.continuationsGiven && journal.taken.count == Limits.continuedOffers)
    #expect(journal.taken.last?.activity == id(2_000) && journal.given.last?.continuation == id(2_000))
  }
}
