import Glibc
import SegueCore

/// How the session bus starts a browser in which a page is to be continued: this process becomes it.
public enum BrowserProgram {
  /// Does not return where one is installed. Throws `launchFailed` where none is, `invalidArgument` for a name that is
  /// none.
  public static func start(_ name: String) throws(SegueError) -> Never {
    guard let browser = Browser(rawValue: name) else {
      throw SegueError(
        .invalidArgument, "\(DisplayText.quoted(name)) is no browser that takes part.",
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
