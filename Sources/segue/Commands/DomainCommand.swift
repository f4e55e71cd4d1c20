import ArgumentParser
import Glibc
import SegueControl
import SegueCore
import SegueState
import SegueWeb

struct DomainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "domain",
    abstract: "For developers: judge and sign a domain's association file.",
    discussion: """
      The file says which applications continue the domain's pages and open its links. docs/web.md tells more.

      Examples:
        segue domain check example.com --app org.example.Reader
        segue domain check ./apple-app-site-association --url https://example.com/page
        segue domain sign ./file --key server.key --certificate server.pem --chain chain.pem --output signed
      """,
    subcommands: [Check.self, Sign.self])
}

extension DomainCommand {
  struct Check: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say line by line what an association file grants, and what is wrong with it.",
      discussion: """
        A domain's file is fetched as the daemon fetches it; a file of this machine is named with a slash in its path. \
        The exit status is 1 if the file, or the application or URL that was asked for, is refused.
        """)

    @Argument(help: "A domain; or a file, by a path with a slash in it.", completion: .file())
    var subject: String

    @Option(help: "The domain that a signed file is for.")
    var host: String?

    @Option(help: "Say whether this application is named: an application id, with or without its team.")
    var app: String?

    @Option(help: "Say which applications open this link.")
    var url: String?

    @Flag(help: "Print JSON: an array of objects.")
    var json = false

    func validate() throws {
      if !isFile, DomainName(subject) == nil {
        throw ValidationError(
          "\(DisplayText.quoted(subject)) is not a domain: write it in lower case, or a file's path with a slash in it."
        )
      }
      if let host, DomainName(host) == nil { throw ValidationError("\(DisplayText.quoted(host)) is not a domain.") }
      if let url, WebLinkURL(url) == nil {
        throw ValidationError("\(DisplayText.quoted(url)) is not an https URL of a host with a name.")
      }
      if let app, AppID(app) == nil, ApplicationIdentifier(app) == nil {
        throw ValidationError("\(DisplayText.quoted(app)) is not an application id.")
      }
    }

    private var isFile: Bool { subject.utf8.contains(UInt8(ascii: "/")) }

    func perform() throws(CommandFailure) {
      let findings = try CommandFailure.mapping(.failed) { () throws(SegueError) in
        AssociationFindings(try report(), app: app, url: url.flatMap { WebLinkURL($0) }).all
      }
      try Findings.show(findings, asJSON: json)
    }

    private func report() throws(SegueError) -> AssociationReport {
      guard isFile else { return try AssociationProcess.run(["fetch", subject]) }
      return try AssociationProcess.run(["open"] + (host.map { [$0] } ?? []), input: subject)
    }
  }

  struct Sign: FailingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make the signed form of an association file, with the key and certificate of the domain's server.")

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(help: "The server's key, PEM, without a passphrase.", completion: .file())
    var key: String

    @Option(help: "The server's certificate, PEM.", completion: .file())
    var certificate: String

    @Option(help: "The certificates that lead from it to a root, PEM.", completion: .file())
    var chain: String?

    @Option(help: "The file to write; it is replaced.", completion: .file())
    var output: String

    func perform() throws(CommandFailure) {
      let paths = [key, certificate] + (chain.map { [$0] } ?? [])
      let report = try CommandFailure.mapping(.failed) { () throws(SegueError) in
        try AssociationProcess.run(["sign"] + paths.map { AbsolutePath.of($0) }, input: file)
      }
      guard report.outcome == .made else {
        throw CommandFailure(
          .failed,
          SegueError(
            .invalidArgument, report.line, advice: "Judge the file with: segue domain check \(ShellText.quote(file))"))
      }
      try CommandFailure.mapping(.failed) { () throws(SegueError) in
        try File.replace(AbsolutePath.of(output), report.content, mode: 0o644)
      }
      try Terminal.print(
        """
        The signed file is \(DisplayText.clean(output, maximum: Limits.shownPath)).
        Have the server give it at /.well-known/apple-app-site-association, without a redirect.
        """)
    }
  }
}
