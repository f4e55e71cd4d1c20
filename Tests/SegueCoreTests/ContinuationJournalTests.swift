import SegueCore
import Testing

@Suite struct ContinuationJournalTests {
  typealias Notice = ContinuationJournal.Notice

  private func id(_ number: Int) -> Identifier { Identifier(high: 7, low: UInt64(number)) }

  private func running(_ number: Int) throws -> ContinuationJournal.Running {
    let offer = Offer(
      id: id(1_000 + number), revision: 3, type: .browsingWeb, appID: try #require(AppID("org.segue.Test")),
      title: "Title", webHost: "example.org", timeLeft: 4)
    return ContinuationJournal.Running(
      id: id(number), offer: offer, source: "device", appID: offer.appID, boot: "boot", fetchUntil: 5,
      until: .distantFuture)
  }

  private func notice(_ number: Int) -> Notice {
    Notice(continuation: id(number), activity: id(2_000), inBrowser: number % 2 == 0)
  }

  @Test func X9_theNextDaemonReadsWhatWasWritten() throws {
    var journal = ContinuationJournal()
    #expect(try ContinuationJournal.decode(try journal.encode()) == journal)
    journal.note(try running(1))
    journal.note(try running(2))
    var delivered = try running(1)
    delivered.isDelivered = true
    delivered.until = 99
    journal.note(delivered)
    journal.tell("a device", notice(3))
    do {
      let isNews = journal.receive(notice(4))
      #expect(isNews)
    }
    do {
      let isNews = journal.receive(notice(5))
      #expect(isNews)
    }
    journal.hear(id(5))
    let read = try ContinuationJournal.decode(try journal.encode())
    #expect(read.running.first == delivered)
    #expect(read.running.map { $0.id } == [id(1), id(2)])
    #expect(read.untold == journal.untold && read.unheard == [notice(4)] && read.heard == [id(5)])
    // What a clock cannot reach is written as the latest that a file can hold.
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
    journal.tell("a device", notice(2))
    journal.hear(id(3))
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
      "version": 1, "running": [1, ["id": 2]], "untold": [[], ["x"], ["x", 1]], "unheard": ["x"], "heard": [1],
    ])
    #expect(try ContinuationJournal.decode(odd) == ContinuationJournal())
  }

  @Test func X9_theOriginIsToldUntilItAcknowledges() {
    var journal = ContinuationJournal()
    journal.tell("one", notice(1))
    journal.tell("one", notice(1))
    journal.tell("two", notice(2))
    #expect(journal.untold.map { $0.notice } == [notice(1), notice(2)])
    // Another device cannot acknowledge for it.
    do {
      let isNews = journal.acknowledged(id(1), by: "two")
      #expect(!isNews)
    }
    do {
      let isNews = journal.acknowledged(id(1), by: "one")
      #expect(isNews)
    }
    do {
      let isNews = journal.acknowledged(id(1), by: "one")
      #expect(!isNews)
    }
    journal.forget("two")
    #expect(journal.untold.isEmpty)
  }

  @Test func V11_whatWasSaidBeforeIsNotNews() {
    var journal = ContinuationJournal()
    do {
      let isNews = journal.receive(notice(1))
      #expect(isNews)
    }
    do {
      let isNews = journal.receive(notice(1))
      #expect(!isNews)
    }
    journal.hear(id(1))
    journal.hear(id(1))
    do {
      let isNews = journal.receive(notice(1))
      #expect(!isNews)
    }
    #expect(journal.unheard.isEmpty && journal.heard == [id(1)])
  }

  @Test func X9_theOldestGivesWay() throws {
    var journal = ContinuationJournal()
    let many = 300
    for number in 1...many {
      journal.note(try running(number))
      journal.tell("device", notice(number))
      _ = journal.receive(notice(number))
    }
    #expect(journal.running.map { $0.id } == (many - Limits.continuationsRecorded + 1...many).map { id($0) })
    #expect(journal.untold.map { $0.notice } == (many - Limits.continuationsUntold + 1...many).map { notice($0) })
    #expect(journal.unheard.count == Limits.continuationsUntold)
    for number in 1...many { journal.hear(id(number)) }
    #expect(journal.heard.count == Limits.continuationsRemembered && journal.unheard.isEmpty)
    // However full, it is a file that can be written and read.
    let bytes = try journal.encode()
    #expect(bytes.count < Limits.fileLength / 2)
    #expect(try ContinuationJournal.decode(bytes).heard == journal.heard)
  }
}
