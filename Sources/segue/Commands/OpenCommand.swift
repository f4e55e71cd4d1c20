import ArgumentParser
import Glibc
import SegueControl
import SegueCore
import SegueState

struct OpenCommand: FailingCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open a link: in the application that its domain names, or else in the browser.",
    discussion: """
      This is what the desktop runs for https links after `segue links on`. `segue explain URL` says where a link goes, \
      and why.

      Example:
        segue open https://example.com/articles/1
      """)

  @Argument(help: "An http or https URL.")
  var url: String

  func validate() throws {
    guard WebURL(url) != nil else { throw ValidationError("\(DisplayText.quoted(url)) is no web page's URL.") }
  }

  func perform() throws(CommandFailure) {
    let daemon: Daemon
    do throws(CommandFailure) { daemon = try Daemon.open() } catch {
      // Who has clicked a link wants to see its page.
      openInBrowser()
      throw error
    }
    defer { daemon.close() }
    let token = environment("XDG_ACTIVATION_TOKEN").flatMap { $0.isEmpty ? nil : $0 }
    try daemon.call(
      .openLink, [.string(url), LinkOptions(activationToken: token).busValue], timeout: Limits.continueTime)
  }

  /// Which link a browser was started for: one that only hands the link to the desktop again would have it come back for
  /// ever. Another link, from what that browser has started, is opened.
  private static let mark = "SEGUE_OPENS_LINK"

  /// In a browser that needs no daemon to be found: the user's, or Debian's choice. Returns where there is none.
  private func openInBrowser() {
    guard environment(Self.mark) != url else { return }
    setenv(Self.mark, url, 1)
    let named = environment("BROWSER").map { $0.split(separator: ":").map(String.init) } ?? []
    for browser in named + ["x-www-browser", "sensible-browser"] {
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(browser), strdup(url), nil]
      // Where it is no program, the next one is tried.
      execvp(browser, &arguments)
      for argument in arguments { free(argument) }
    }
  }
}
