import Foundation
import SegueCore
import Testing

@testable import SegueFiles

/// The words about files that are sent, and how far they are believed.
@Suite struct SentFileTests {
  private let file = SentFile(url: "file:///home/u/a%20b", name: "a b", size: 7)

  @Test func X12_theStateSaysWhatTheFilesAre() throws {
    let other = SentFile(url: "file:///home/u/c", name: "c", size: 0)
    #expect(try SentFile.list(SentFile.userInfo([file, other])) == [file, other])
    #expect(SentFile.title(["a"]) == "a" && SentFile.title(["a", "b"]) == "2 files")
  }

  @Test func X12_aStateThatLiesIsRefused() {
    let hostile: [[Value: Value]] = [
      [:], ["files": .string("a")], ["files": .array([])], ["files": .array([.string("a")])],
      ["files": .array([.dictionary(["url": .string("file:///a"), "name": .string("a")])])],
      ["files": .array([.dictionary(["url": .url("https://a.example"), "name": .string("a")])])],
      ["files": .array([.dictionary(["url": .url("file:///a")])])],
      SentFile.userInfo([file, file]),
      SentFile.userInfo((0...Limits.sentFiles).map { SentFile(url: "file:///\($0)", name: "a", size: 0) }),
    ]
    for userInfo in hostile { #expect(throws: SegueError.self) { try SentFile.list(userInfo) } }
  }

  @Test func X12_theReportHasBounds() throws {
    var report = FilesReport()
    report.count = 3
    report.failures = (0..<Limits.sentFiles).map { _ in String(repeating: "x", count: 1000) }
    let bytes = report.bytes
    #expect(bytes.count <= Limits.fileReport)
    let read = try #require(FilesReport(bytes: bytes))
    #expect(read.count == 3 && read.failures.count == Limits.sentFiles)
    #expect(FilesReport(bytes: []) == nil && FilesReport(bytes: [0xA0]) == nil)
    let many = Value.dictionary(["count": .integer(1_000_000), "failures": .array([])])
    #expect(FilesReport(bytes: try CBOR.encode(many)) == nil)
  }

  @Test func X12_onlyRegularFilesAreSent() throws {
    let folder = "/tmp/sg-\(getpid())-\(UInt32.random(in: .min ... .max))"
    try #require(mkdir(folder, 0o700) == 0)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("text".utf8).write(to: URL(fileURLWithPath: folder + "/a"))
    try #require(mkfifo(folder + "/fifo", 0o600) == 0 && symlink(folder + "/a", folder + "/link") == 0)
    #expect(try OwnFiles.look([folder + "/a"]).map(\.size) == [4])
    // A link is followed, and the same file is sent once.
    #expect(try OwnFiles.look([folder + "/link", folder + "/a"]).map(\.name) == ["a"])
    for path in [folder, folder + "/fifo", folder + "/nothing", "/dev/null", ""] {
      #expect(throws: SegueError.self) { try OwnFiles.look([path]) }
    }
    #expect(throws: SegueError.self) { try OwnFiles.look([]) }
    #expect(throws: SegueError.self) {
      try OwnFiles.look([String](repeating: folder + "/a", count: Limits.sentFiles + 1))
    }
  }

  @Test func X12_timesAreNumbers() {
    #expect(FilesTimes("1,2,3,4")?.notice == 3)
    for text in ["", "1,2,3", "1,2,3,a", "1,2,3,-4", "1,2,3,900001", "1,2,3,4,5"] { #expect(FilesTimes(text) == nil) }
  }

  @Test func X12_theNoticeSaysWhatCame() {
    let (summary, body) = FileNotices.texts(
      ["<b>.txt"], paths: ["/home/u/Downloads/<b>.txt"], reasons: [], from: "desk", capabilities: ["body-markup"])
    #expect(summary == "<b>.txt from desk" && body == "In /home/u/Downloads")
    let (failed, reason) = FileNotices.texts(
      ["a"], paths: [], reasons: ["a: <i>no"], from: "desk\n", capabilities: ["body-markup"])
    #expect(failed == "a from desk  could not be brought" && reason == "a: &lt;i&gt;no")
    let (_, plain) = FileNotices.texts(["a"], paths: [], reasons: ["a: <i>no"], from: "desk", capabilities: [])
    #expect(plain == "a: <i>no")
    let many = FileNotices.texts(
      ["a"], paths: ["/d/a", "/d/b"], reasons: ["1", "2", "3", "4"], from: "desk", capabilities: [])
    #expect(many.summary == "2 files from desk" && many.body == "In /d\n1\n2\n3\nand 1 more")
  }
}
