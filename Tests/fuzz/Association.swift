// A domain's association file, after a line with a URL of that domain; the report of the program that fetches the file;
// and what the daemon remembers of it.

import SegueCore
import SegueWeb

@testable import SegueDaemon

func fuzzAssociation(_ bytes: [UInt8]) {
  let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  let url = WebLinkURL(String(decoding: bytes[..<end], as: UTF8.self))
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
  fuzzRemembered(content)
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

/// The file in which the daemon remembers a domain.
private func fuzzRemembered(_ bytes: [UInt8]) {
  guard let domain = DomainName("example.org") else { fatalError("no domain") }
  do throws(SegueError) {
    let stored = try AssociationService.stored(domain, bytes)
    check(stored.grant.applications.count <= Limits.associationApplications, "too many applications")
    if let problem = stored.grant.problem { checkShown(problem) }
    let again = try AssociationService.stored(domain, try AssociationService.bytes(stored))
    check(again == stored, "what is remembered is read as another:\n\(stored)\n\(again)")
  } catch {
    checkShown(error)
  }
}
