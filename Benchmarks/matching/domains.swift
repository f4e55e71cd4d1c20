import SegueCore
import SegueEngine
import SegueWeb

/// 10,000 claimed domains, and a domain with 1,000 patterns of which the last one matches, or none.
@MainActor func measureDomains() {
  var index = ApplicationIndex()
  for number in 0..<1_000 {
    guard let id = AppID("org.example.App\(number)") else { continue }
    let domains = (0..<10).compactMap { AssociatedDomain("activitycontinuation:*.d\($0).host\(number).example") }
    index.set(
      id,
      to: InstalledApplication(
        appID: id, name: "App", desktopFile: "/app.desktop", tier: .system, activityTypes: [], domains: domains))
  }
  let hosts = (0..<1_000).compactMap { DomainName("www.shop.d\($0 % 10).host\($0).example") }
  measure("domain", found: 1) { index.applications(claiming: hosts[$0 % hosts.count], for: .continuation).count }

  let components =
    (0..<999).map { "{\"/\": \"/section\($0)/*/page??\"}" } + ["{\"/\": \"/articles/*\", \"?\": {\"q\": \"?*\"}}"]
  let text = """
    {"applinks": {"details": [{"appIDs": ["TEAM1.org.example.Reader"], "components": [\(components.joined(separator: ","))]}]}}
    """
  guard let file = try? AssociationFile(Array(text.utf8)), let app = ApplicationIdentifier("TEAM1.org.example.Reader"),
    let url = WebLinkURL("https://example.com/articles/2026/a-title-of-some-length?q=words")
  else { fatalError("no file") }
  measure("patterns", found: 1) { _ in file.verdict(on: url, for: app) == .opens(line: 1) ? 1 : 0 }
}
