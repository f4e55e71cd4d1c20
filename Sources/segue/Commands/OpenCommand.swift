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
      and why. What Segue does not take, as a link that is longer than an activity's may be, goes to the browser as it is.

      Example:
        segue open https://example.com/articles/1
      """)

  @Argument(help: "An http or https URL.")
  var url: String

  private static let schemes = ["http", "https"]

  private var scheme: String? {
    let start = url.utf8.prefix { $0 != UInt8(ascii: ":") }
    guard start.count < url.utf8.count else { return nil }
    let scheme = String(decoding: start, as: UTF8.self).lowercased()
    return Self.schemes.first { $0.isSame(as: scheme) }
  }

  func validate() throws {
    guard scheme != nil else { throw ValidationError("\(DisplayText.quoted(url)) is not a web page's URL.") }
  }

  func perform() throws(CommandFailure) {
    do throws(CommandFailure) { try open() } catch {
      // The daemon shows the failures of applications by itself.
      if !Terminal.isInteractive, error.error.code == .notHandled || error.kind == .unreachable {
        LinkNotice.show(error.error)
      }
      throw error
    }
  }

  private func open() throws(CommandFailure) {
    let page = Self.argument(url)
    let browser = BrowserBehind(page, scheme: scheme ?? "https")
    // A URL that no application may get can be fine for a browser: a long one, one with a user, a host in Unicode, and
    // so on. Segue leaves it to the browser.
    guard WebURL(url) != nil, page.elementsEqual(url.utf8), !BrowserBehind.isBack(page) else {
      return try CommandFailure.mapping(.failed) { () throws(SegueError) in try browser.open() }
    }
    let daemon: DaemonClient
    do throws(CommandFailure) { daemon = try DaemonClient.open() } catch {
      // A user who has clicked a link wants to see its page.
      do throws(SegueError) { try browser.open() } catch let inBrowser {
        Terminal.note(error.text)
        throw CommandFailure(error.kind, inBrowser)
      }
      return
    }
    defer { daemon.close() }
    let token = environment("XDG_ACTIVATION_TOKEN").flatMap { $0.isEmpty ? nil : $0 }
    try daemon.call(
      .openLink, [.string(url), WebLinkOptions(activationToken: token).busValue], timeout: Limits.continueTime)
  }

  /// An argument byte for byte as it was given: Swift replaces bytes that are not UTF-8.
  private static func argument(_ text: String) -> [UInt8] {
    for index in 1..<Int(max(CommandLine.argc, 1)) {
      guard let word = CommandLine.unsafeArgv[index], String(cString: word).isSame(as: text) else { continue }
      return UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
    }
    return Array(text.utf8)
  }
}
