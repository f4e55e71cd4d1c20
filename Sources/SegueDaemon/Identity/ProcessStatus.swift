import Glibc
import SegueCore

/// The fields of /proc/PID/stat for which anybody asks.
struct ProcessStatus {
  /// The process that has started it, or has taken it over.
  let parent: Int32?
  /// When it began, since the start of the system.
  let start: Instant?

  /// Nil if the bytes are none of such a file.
  init?(_ bytes: [UInt8]) {
    // The second field is the program's name, in parentheses, and may itself hold spaces and parentheses.
    guard let name = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(name + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 20)
    func number<Number: FixedWidthInteger>(_ field: Int) -> Number? {
      fields.count > field ? Number(String(decoding: fields[field], as: UTF8.self)) : nil
    }
    parent = number(1)
    start = number(19).map { Self.instant(ticks: $0) }
  }

  private static func instant(ticks: UInt64) -> Instant {
    let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    return Instant(milliseconds: ticks / perSecond &* 1000 &+ ticks % perSecond &* 1000 / perSecond)
  }
}
