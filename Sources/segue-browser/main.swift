import Glibc
import SegueBrowser
import SegueCore

// The program that a browser starts for the Segue extension, and talks to over standard input and output:
// docs/browser-protocol.md.

func run(_ arguments: [String]) throws(SegueError) -> Int32 {
  // How the session bus starts the browser.
  if arguments.first == "--start", arguments.count == 2 { try BrowserProgram.start(arguments[1]) }
  return try BrowserHost.run(startedWith: arguments)
}

do throws(SegueError) {
  exit(try run(Array(CommandLine.arguments.dropFirst())))
} catch {
  let text = "segue-browser: \(error.message)\n" + (error.advice.isEmpty ? "" : "  \(error.advice)\n")
  _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(1)
}
