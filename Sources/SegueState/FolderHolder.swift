import Glibc
import SegueBus
import SegueCore

/// The daemon that has a directory, as its lock file names it.
public struct FolderHolder {
  /// The daemon's process id, or "unknown".
  let process: String
  /// The address of the daemon's session bus; empty if it is not known.
  let bus: String

  init(_ file: FileDescriptor) {
    let bytes = file.bytes(maximum: String(pid_t.max).utf8.count + 1 + Limits.urlMaximum, at: 0) ?? []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    let digits = (lines.first ?? []).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    process = digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
    // A line without an end was cut, or is being written.
    bus = lines.count > 2 ? String(decoding: lines[1], as: UTF8.self) : ""
  }

  /// The text that this process writes about itself.
  static var own: [UInt8] { Array("\(getpid())\n\(Connection.sessionAddress ?? "")\n".utf8) }

  /// Whether the daemon serves another session bus than this process's.
  private var isElsewhere: Bool { !bus.isEmpty && bus != Connection.sessionAddress }

  /// Whether a daemon that has one of these directories serves another session bus than this process's, so that no
  /// daemon will answer on this one. A directory that this process itself has does not count.
  public static func isElsewhere(folders: [String]) -> Bool {
    folders.contains { folder in
      FileDescriptor(open("\(folder)/\(FolderLock.name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
        .map { FolderHolder($0).isElsewhere } ?? false
    }
  }

  /// The error of a second process. `variable`: the environment variable by which two daemons get different
  /// directories.
  func refusal(_ path: String, variable: String) -> SegueError {
    let runs = "Another segued (process \(process)) is running with \(path)."
    guard isElsewhere else {
      return SegueError(
        .nameTaken, runs,
        advice: "Nothing needs to be done, unless this one was meant to have another \(variable).")
    }
    return SegueError(
      .nameTaken, "\(runs) It serves another session bus of this user.",
      advice: "Use that bus: export DBUS_SESSION_BUS_ADDRESS='\(bus)'. Or end that segued, and the next command starts "
        + "one here: kill \(process)")
  }
}
