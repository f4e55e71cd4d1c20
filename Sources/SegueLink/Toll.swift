import SegueCore

/// Bounds the traffic of a peer that takes this side's time, and hardly any credit: frames that cost none, data in
/// small pieces, and the bytes that TLS adds beyond the need of frames: nearly empty records, and messages of its own.
/// Reading from a peer that sends more of it than any device needs pauses for a while.
struct Toll {
  private let settings: LinkSettings
  /// The toll so far, less the allowance for the time since then, in bytes.
  private var ahead = 0
  private var last: UInt64 = 0
  /// The uncounted bytes that TLS has added beyond the need of frames: at most a record, which may not be whole yet.
  private var added = 0

  init(_ settings: LinkSettings) { self.settings = settings }

  /// The toll of a frame that costs no credit.
  static func ofFree(_ count: Int) -> Int { Limits.freeFrameToll + count }
  /// The toll of a frame of data: 0, unless it is small.
  static func ofData(_ count: Int) -> Int { max(0, Limits.dataFrameToll - count) }

  /// The bytes and frames of one read.
  struct Read {
    /// Bytes of the socket, and those that TLS let through.
    var sealed = 0
    var opened = 0
    /// The number of frames that ended in it, and their toll.
    var frames = 0
    var toll = 0
  }

  /// Charges a read. Returns for how many milliseconds reading must pause; 0 where it goes on.
  mutating func took(_ read: Read, now: UInt64) -> UInt64 {
    let rate = settings.tollPerMillisecond
    let passed = Int(clamping: now - min(now, last))
    last = now
    ahead -= passed > ahead / rate ? ahead : passed * rate
    let needed = read.frames * Limits.sealingPerFrame + read.opened / Limits.sealingPart
    added = max(0, added + read.sealed - read.opened - needed)
    let tooMuch = max(0, added - Limits.sealedRecordLength)
    added -= tooMuch
    ahead += read.toll + tooMuch * Limits.sealingToll
    let beyond = ahead - settings.tollAtOnce
    return beyond > 0 ? UInt64(clamping: (beyond - 1) / rate + 1) : 0
  }
}
