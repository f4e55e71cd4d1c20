import ArgumentParser
import CLinux
import Glibc
import SegueBus
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

  /// In a browser that needs no daemon to be found: the user's, or Debian's choice. Returns where there is none.
  private func openInBrowser() {
    let named = environment("BROWSER").map { $0.split(separator: ":").map(String.init) } ?? []
    for browser in named + ["x-www-browser", "sensible-browser"] {
      // What is no program is not there, and the next one is tried.
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>?.self, capacity: 3) { arguments in
        arguments[0] = strdup(browser)
        arguments[1] = strdup(url)
        arguments[2] = nil
        guard let base = arguments.baseAddress else { return }
        execvp(browser, base)
        free(arguments[0])
        free(arguments[1])
      }
    }
  }
}
