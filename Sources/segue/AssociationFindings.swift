import SegueControl
import SegueCore
import SegueWeb

/// The grants of an association file, line by line, and its errors.
struct AssociationFindings {
  private(set) var all: [Finding] = []

  /// `app`: only whether this one is named. `url`: which applications open it.
  init(_ report: AssociationReport, app: String?, url: WebLinkURL?) {
    guard report.outcome == .plain || report.outcome == .signed else {
      add(.error, report.line, Self.advice)
      return
    }
    do throws(SegueError) {
      add(try AssociationFile(report.content), report, app, url)
    } catch {
      add(.error, error.message, Self.advice)
    }
  }

  private mutating func add(_ file: AssociationFile, _ report: AssociationReport, _ app: String?, _ url: WebLinkURL?) {
    add(.note, "\(report.line) is \(report.outcome == .signed ? "signed by the host" : "plain JSON").")
    func isWanted(_ application: ApplicationIdentifier) -> Bool {
      app.map { $0 == application.string || $0 == application.appID.string } ?? true
    }
    let continuing = file.continuing.filter { isWanted($0.application) }
    for named in continuing {
      add(.note, "Line \(named.line): \(named.application.string) continues pages of the domain.")
    }
    if let app, continuing.isEmpty {
      add(
        .error, "The file does not name \(app) in \"activitycontinuation\": it continues no page of the domain.",
        "Add \"<team>.\(app)\" to the list \"apps\" there.")
    }
    for named in file.linked where isWanted(named.application) {
      guard let url else {
        add(.note, "Line \(named.line): \(named.application.string) opens links that its patterns match.")
        continue
      }
      add(file.verdict(on: url, for: named.application), named.application)
    }
    if url != nil, !file.linked.contains(where: { isWanted($0.application) }) {
      add(.warning, "The file names no such application in \"applinks\".")
    }
    for remark in file.remarks { add(.warning, remark) }
  }

  private static let advice = "docs/web.md shows such a file, and how it is signed."

  private mutating func add(_ verdict: WebLinkVerdict, _ application: ApplicationIdentifier) {
    let name = application.string
    switch verdict {
    case .opens(let line): add(.note, "Line \(line): \(name) opens this link.")
    case .excluded(let line): add(.note, "Line \(line): \(name) does not open this link, which is excluded here.")
    case .unmatched: add(.note, "\(name) does not open this link: no pattern of its matches.")
    case .notNamed: break
    }
  }

  private mutating func add(_ severity: Finding.Severity, _ message: String, _ advice: String = "") {
    all.append(Finding(severity: severity, message: message, advice: advice))
  }
}
