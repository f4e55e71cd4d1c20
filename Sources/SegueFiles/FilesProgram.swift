import Glibc
import SegueCore

/// segue-files: sends files to another device, and takes those that come (docs/sending.md). `segue send --file` and the
/// session bus start it.
public enum FilesProgram {
  private static let usage = """
    usage: segue-files --serve

    Sends files to your other devices, and puts those that come into the folder for
    downloads. The session bus starts it; to send a file: segue send DEVICE --file FILE

    """

  /// Returns the exit status.
  public static func run(_ arguments: [String]) -> Int32 {
    switch arguments {
    case ["--help"], ["-h"]:
      say(usage, to: STDOUT_FILENO)
      return 0
    case ["--version"]:
      say("segue-files \(Version.string)\n", to: STDOUT_FILENO)
      return 0
    default: break
    }
    guard let times = times(arguments) else {
      say(usage, to: STDERR_FILENO)
      return 64
    }
    do throws(SegueError) {
      return try FilesService.run(times)
    } catch {
      say("segue-files: \(error.message)\n" + (error.advice.isEmpty ? "" : "  \(error.advice)\n"), to: STDERR_FILENO)
      return 1
    }
  }

  /// Nil for a command line that is not understood.
  private static func times(_ arguments: [String]) -> FilesTimes? {
    guard arguments.first == "--serve" else { return nil }
    switch arguments.count {
    case 1: return FilesTimes()
    case 3 where arguments[1] == "--times": return FilesTimes(arguments[2])
    default: return nil
    }
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
