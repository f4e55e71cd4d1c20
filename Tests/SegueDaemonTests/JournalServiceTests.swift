import Foundation
import Logging
import SegueBus
import SegueCore
import SegueEngine
import SegueState
import Testing

@testable import SegueDaemon

/// The journal on the disk, as the daemon writes it.
@Suite struct JournalServiceTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/segue-\(UUID())"
  private let loop: EventLoop
  private let service: JournalService
  private let names = ["first", "second", "third"]

  init() throws {
    loop = try EventLoop()
    service = JournalService(JournalFile(try StateFolder(folder)), loop: loop, log: Log(Logger(label: "test")))
    _ = service.read()
  }

  /// The applications that the file names.
  private func written() throws -> [String] {
    let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/continuations"))
    return names.filter { bytes.range(of: Data("org.example.\($0)".utf8)) != nil }
  }

  private func write() throws {
    for (number, name) in names.enumerated() {
      var journal = ContinuationJournal()
      let offer = try copy(UInt64(number), app: "org.example.\(name)").offer
      journal.note(
        ContinuationJournal.Running(
          id: id(9), offer: offer, source: .here, appID: offer.appID, boot: "boot", fetchUntil: .distantFuture,
          until: .distantFuture))
      service.write(journal)
    }
  }

  @Test func whatItHadBeforeIsOverwrittenSoon() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write()
    #expect(try written() == ["second", "third"])
    while try written().count > 1 { loop.wait(milliseconds: -1) }
    #expect(try written() == ["third"])
  }

  @Test func theDaemonsEndOverwritesAtOnce() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write()
    service.close()
    #expect(try written() == ["third"])
    #expect(loop.dispatch() == 0)
  }
}
