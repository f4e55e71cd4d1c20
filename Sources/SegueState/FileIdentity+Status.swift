import Glibc
import SegueEngine

extension FileIdentity {
  /// As stat(2) has it.
  public init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
      size: UInt64(truncatingIfNeeded: status.st_size), changed: Self.nanoseconds(status.st_ctim),
      modified: Self.nanoseconds(status.st_mtim), owner: status.st_uid, mode: status.st_mode,
      links: UInt64(truncatingIfNeeded: status.st_nlink))
  }

  /// A time that no number of nanoseconds holds lies ahead.
  public static func nanoseconds(_ time: timespec) -> Int64 {
    let (seconds, isBeyond) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isPast) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
    return isBeyond || isPast ? .max : sum
  }

  /// Of what is at a path; nil if nothing is there.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
