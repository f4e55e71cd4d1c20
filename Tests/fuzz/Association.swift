// A domain's association file, behind a line with a URL of that domain; and the report of the program that fetches it.

import SegueCore
import SegueWeb

func fuzzAssociation(_ bytes: [UInt8]) {
  let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  let url = LinkURL(String(decoding: bytes[..<end], as: UTF8.self))
  let content = Array(bytes[end...].dropFirst())
  if let report = AssociationReport(content) {
    check(AssociationReport(report.bytes) == report, "a report is read as another")
    checkShown(report.line)
    switch report.answer {
    case .file(let applications, let linking):
      check(applications.count <= Limits.associationApplications, "too many applications")
      check(linking.count <= Limits.associationApplications, "too many applications for links")
    case .refused(let reason), .unreachable(let reason): checkShown(reason)
    }
  }
  do throws(SegueError) {
    let file = try AssociationFile(content)
    let lines = content.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    check(AssociationForm(content) == .json, "what is taken is no JSON object")
    check(file.continuing.count <= Limits.associationApplications, "\(file.continuing.count) applications")
    for remark in file.remarks { checkShown(remark) }
    for named in file.continuing + file.linked {
      check((1...lines).contains(named.line), "line \(named.line) of \(lines)")
      check(ApplicationIdentifier(named.application.string) == named.application, "\(named.application.string)")
    }
    let report = AssociationReport(.plain, "The file", content: content)
    let named = AssociationAnswer.file(
      Set(file.continuing.map(\.application.string)), linking: Set(file.linked.map(\.application.string)))
    check(AssociationReport(report.bytes)?.answer == named, "it is reported as another")
    guard let url else { return }
    for named in file.linked {
      switch file.verdict(on: url, for: named.application) {
      case .opens(let line), .excluded(let line): check((1...lines).contains(line), "line \(line) of \(lines)")
      case .unmatched: break
      case .notNamed: fatalError("who is named is not")
      }
    }
  } catch {
    checkShown(error)
  }
}
