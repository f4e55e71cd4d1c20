import CLinux
import SegueCore

/// The users that may have installed a plugin: no other may be able to change the file, or anything on the path to it
/// (security attack 47).
struct PluginOwners {
  /// The trusted user beside root, for whom the process acts; nil where only root is trusted.
  let user: uid_t?

  /// S_IWGRP and S_IWOTH, which C computes.
  private static let writableByGroup: mode_t = 0o020
  private static let writableByOthers: mode_t = 0o002

  /// Throws `.accessDenied` for a file that another user owns, or that others can write. `isSticky`: also accepts a
  /// directory of root's like /tmp, in which all users can make names but only remove their own.
  func check(_ status: stat, _ path: String, isSticky: Bool = false) throws(SegueError) {
    let path = DisplayText.clean(path, maximum: Limits.pathLength)
    guard isOwner(status.st_uid) else {
      let whose = user.map { $0 == 0 ? "root" : "root or user \($0)" } ?? "root"
      throw SegueError(
        .accessDenied, "\(path) belongs to user \(status.st_uid), and not to \(whose)",
        advice: "Make it root's (chown root \(path)), or install the plugin elsewhere.")
    }
    let writable = status.st_mode & (Self.writableByGroup | Self.writableByOthers)
    guard writable != 0, status.kind != S_IFLNK else { return }
    if isSticky, status.st_uid == 0, status.st_mode & mode_t(S_ISVTX) != 0 { return }
    let who = writable & Self.writableByOthers != 0 ? "everybody" : "its group"
    throw SegueError(.accessDenied, "\(path) can be written by \(who)", advice: "Take that away: chmod go-w \(path)")
  }

  private func isOwner(_ owner: uid_t) -> Bool { owner == 0 || owner == user }
}

extension stat {
  var kind: Int32 { Int32(truncatingIfNeeded: st_mode) & S_IFMT }

  /// Whether both describe the same file, by whatever names.
  func isSameFile(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}
