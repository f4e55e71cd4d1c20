import Glibc
import SegueBus
import SegueCore

/// The daemon that has a folder, as its lock file says.
public struct FolderHolder {
  /// Its process id, or "unknown".
  let process: String
  /// Where its session bus is; empty where that is not known.
  let bus: String

  init(_ file: FileDescriptor) {
    let bytes = file.bytes(maximum: String(pid_t.max).utf8.count + 1 + Limits.urlMaximum, at: 0) ?? []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    let digits = (lines.first ?? []).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    process = digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
    // A line that has no end was cut, or is being written.
    bus = lines.count > 2 ? String(decoding: lines[1], as: UTF8.self) : ""
  }

  /// The text that this process writes of itself.
  static var own: [UInt8] { Array("\(getpid())\n\(Connection.sessionAddress ?? "")\n".utf8) }

  /// Whether it serves another session bus than this process's.
  private var isElsewhere: Bool { !bus.isEmpty && bus != Connection.sessionAddress }

  /// Whether a daemon that has one of these folders serves another session bus than this process's: on this one nobody
  /// will answer. A folder that this process has is none of those.
  public static func isElsewhere(folders: [String]) -> Bool {
    folders.contains { folder in
      FileDescriptor(open("\(folder)/\(FolderLock.name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
        .map { FolderHolder($0).isElsewhere } ?? false
    }
  }

  /// The error of a second process. `variable`: in which two daemons with folders of their own differ.
  func refusal(_ path: String, variable: String) -> SegueError {
    let runs = "Another segued (process \(process)) runs with \(path)."
    guard isElsewhere else {
      return SegueError(
        .nameTaken, runs,
        advice: "Nothing is to be done, unless this one was meant to have another \(variable).")
    }
    return SegueError(
      .nameTaken, "\(runs) It serves another session bus of this user.",
      advice: "Use that bus: export DBUS_SESSION_BUS_ADDRESS='\(bus)'. Or end that segued, and the next command starts "
        + "one here: kill \(process)")
  }
}
