import Glibc
import SegueCore

/// segue-browser: the program that a browser starts for the Segue extension, and talks to over standard input and output
/// (docs/browser-protocol.md).
public enum BrowserProgram {
  /// Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    do throws(SegueError) {
      if arguments.first == "--start", arguments.count == 2 { try start(arguments[1]) }
      return try BrowserHost.run(startedWith: arguments)
    } catch {
      let text = "segue-browser: \(error.message)\n" + (error.advice.isEmpty ? "" : "  \(error.advice)\n")
      _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      return 1
    }
  }

  /// The session bus starts a browser so, in which a page is to be continued: this process becomes it.
  ///
  /// Does not return where one is installed. Throws `launchFailed` where none is, `invalidArgument` for a name that is
  /// none.
  static func start(_ name: String) throws(SegueError) -> Never {
    guard let browser = Browser(rawValue: name) else {
      throw SegueError(
        .invalidArgument, "\(DisplayText.quoted(name)) is not a browser that takes part.",
        advice: "Say one of these: \(Browser.allCases.map { $0.rawValue }.joined(separator: ", ")).")
    }
    for program in browser.programs {
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
      execvp(program, &arguments)
    }
    throw SegueError(
      .launchFailed, "None of \(browser.programs.joined(separator: ", ")) can be started.",
      advice: "Install one of these where the session bus finds it.")
  }
}
