import SegueCore
import SegueWeb
import Testing

@Suite struct AssociationReportTests {
  private let content = Array("{\"activitycontinuation\": {\"apps\": [\"T.a.b\"]}}\n\n".utf8)

  @Test func whatIsWrittenIsRead() throws {
    for report in [
      AssociationReport(.plain, "https://example.com/x", content: content),
      AssociationReport(.signed, "The file", content: content), AssociationReport(.refused, "It redirects."),
      AssociationReport(.unreachable, "Nobody."), AssociationReport(.made, "Here", content: [0, 10, 255]),
    ] {
      #expect(AssociationReport(report.bytes) == report)
    }
    #expect(AssociationReport(.plain, "x", content: content).answer == .file(["T.a.b"]))
    #expect(AssociationReport(.refused, "It redirects.").answer == .refused("It redirects."))
    #expect(AssociationReport(.unreachable, "Nobody.").answer == .unreachable("Nobody."))
  }

  /// The process has had to do with a hostile server: what it says is not believed.
  @Test func attack48_aReportThatIsNoneIsNotTaken() {
    let title = "segue-association 1\n"
    for text in [
      "", "segue-association 2\nplain\nx\n{}", title + "plain\nx", title + "granted\nx\n{}", title + "refused\nx\n{}",
      title + "plain\n\n{}", title + "plain\na\u{202E}b\n{}",
      title + "plain\n" + String(repeating: "x", count: Limits.associationReason + 1) + "\n{}",
    ] {
      #expect(AssociationReport(Array(text.utf8)) == nil, "\(text)")
    }
    let longest = title + "refused\n" + String(repeating: "x", count: Limits.associationReason) + "\n"
    #expect(AssociationReport(Array(longest.utf8))?.line.utf8.count == Limits.associationReason)
    let most = [UInt8](repeating: 0x20, count: Limits.associationLength)
    #expect(AssociationReport(AssociationReport(.plain, "x", content: most).bytes)?.content == most)
    let long = [UInt8](repeating: 0x20, count: Limits.associationLength + 1)
    #expect(AssociationReport(AssociationReport(.plain, "x", content: long).bytes) == nil)
    #expect(
      AssociationReport(AssociationReport(.made, "x", content: [UInt8](repeating: 0, count: 300_000)).bytes) == nil)
    // Content is read again.
    let broken = AssociationReport(.signed, "x", content: Array("{\"a\": 1, \"a\": 2}".utf8))
    guard case .refused? = AssociationReport(broken.bytes)?.answer else {
      Issue.record("it was taken")
      return
    }
  }

  @Test func theFormIsToldByTheContent() {
    #expect(AssociationForm(Array(" \n{}".utf8)) == .json)
    #expect(AssociationForm([0x30, 0x82, 1, 2]) == .signed)
    for other in [[], [0x20], Array("[]".utf8), Array("0".utf8), Array("<html>".utf8), [0x30]] {
      #expect(AssociationForm(other) == .neither)
    }
  }
}
