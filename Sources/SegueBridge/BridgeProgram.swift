import Glibc
import SegueCore

/// segue-bridge: acts for programs that do not take part by themselves (docs/bridges.md).
public enum BridgeProgram {
  private static let usage = """
    usage: segue-bridge

    Acts for the programs that you have enabled with `segue bridge enable`: what
    they show is on offer on your other devices, and what is continued here
    opens in them. The session starts it, and the session bus.

    """

  /// Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    switch arguments {
    case ["--help"], ["-h"]:
      say(usage, to: 1)
      return 0
    case ["--version"]:
      say("segue-bridge \(Version.string)\n", to: 1)
      return 0
    case []: break
    default:
      say(usage, to: 2)
      return 64
    }
    do throws(SegueError) {
      return try BridgeProcess.run()
    } catch {
      say("segue-bridge: \(error.message)\n" + (error.advice.isEmpty ? "" : "  \(error.advice)\n"), to: 2)
      return 1
    }
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
