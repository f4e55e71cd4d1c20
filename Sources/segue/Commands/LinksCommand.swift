import ArgumentParser
import SegueBus
import SegueControl
import SegueCore
import SegueState

struct LinksCommand: FailingCommand {
  static let configuration = CommandConfiguration(
    commandName: "links",
    abstract: "Have links opened in the applications of their domains, or in the browser.",
    discussion: """
      Without arguments it lists the domains whose links applications here claim. `on` makes Segue the program that the \
      desktop opens https links with: a link goes to the application that its domain names for it, and every other one \
      to the browser that was the default before. `off` takes that back. With a domain, both count for its links alone.

      Examples:
        segue links
        segue links on
        segue links off example.com      its links stay in the browser
      """)

  enum Wish: String, ExpressibleByArgument, CaseIterable { case on, off }

  @Argument(help: "on or off.")
  var wish: Wish?

  @Argument(help: "A domain.")
  var domain: String?

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  /// As the listing has it, with `*.` or without: both mean the domain.
  private var name: DomainName? {
    domain.flatMap { DomainName($0.rest(after: "*.") ?? $0) }
  }

  func validate() throws {
    if let domain, name == nil {
      throw ValidationError("\(DisplayText.quoted(domain)) is not a domain: write it in lower case.")
    }
  }

  func perform() throws(CommandFailure) {
    // The choice for all links is the desktop's, and needs no daemon.
    if let wish, domain == nil { return try chooseHandler(wish) }
    let daemon = try DaemonClient.open()
    defer { daemon.close() }
    guard let wish, let name else { return try list(daemon) }
    try daemon.call(.keepLinks, [.string(name.string), .bool(wish == .off)])
    try Terminal.print(
      wish == .off
        ? "Links to \(name.string) stay in the browser."
        : "Links to \(name.string) go to its application, where one claims them.")
  }

  private func chooseHandler(_ wish: Wish) throws(CommandFailure) {
    try CommandFailure.mapping(.failed) { () throws(SegueError) in
      try WebLinkHandler { environment($0) }.set(on: wish == .on)
    }
    try Terminal.print(
      wish == .on
        ? "Links go to the application that their domain names, and all others to the browser."
        : "Links go to the browser.")
  }

  private func list(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [WebLinkRow] = try daemon.ask(.listLinks)
    let status: DaemonStatus = try daemon.ask(.getStatus)
    try Terminal.print(json ? JSONText.array(rows) : Self.text(rows, isOn: status.opensLinks))
  }

  /// The listing for a person.
  static func text(_ rows: [WebLinkRow], isOn: Bool) -> String {
    let state = isOn ? "Links go through Segue." : "Links go to the browser. To change that: segue links on"
    guard !rows.isEmpty else { return "No application here claims links of a domain.\n" + state }
    var table = Table(["DOMAIN", "APPLICATION", "LINKS"])
    for row in rows {
      table.add([
        DisplayText.clean(row.domain), DisplayText.clean(row.appName),
        row.isOpening ? "open in it" : DisplayText.clean(row.sentence, maximum: Limits.sentenceLength),
      ])
    }
    return (table.lines(fitting: Terminal.width) + [state]).joined(separator: "\n")
  }
}
