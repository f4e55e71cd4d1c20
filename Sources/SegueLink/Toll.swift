import SegueCore

/// Bounds what a peer sends that takes this side's time, and hardly any credit: frames that cost none, data in crumbs, and
/// records of TLS with next to nothing in them. A peer that sends more of it than anybody needs is not read for a while.
struct Toll {
  private let settings: LinkSettings
  /// What has come, less what the time since then has made up for, in bytes.
  private var ahead = 0
  private var last: UInt64 = 0
  /// What TLS had added to all that came before.
  private var sealing: Int

  /// `sealing`: what TLS has added to what has come before, in bytes.
  init(_ settings: LinkSettings, sealing: Int) {
    self.settings = settings
    self.sealing = sealing
  }

  /// What a frame that costs no credit counts for.
  static func ofFree(_ count: Int) -> Int { Limits.freeFrameToll + count }
  /// What a frame of data counts for: nothing, unless it is small.
  static func ofData(_ count: Int) -> Int { max(0, Limits.dataFrameToll - count) }

  /// Something was read. Returns for how many milliseconds nothing more is to be read; 0 where reading goes on.
  ///
  /// `frames`: what the frames in it count for. `sealing`: as above, with it; a part of a record counts until it is whole.
  mutating func took(_ frames: Int, sealing: Int, now: UInt64) -> UInt64 {
    let rate = settings.tollPerMillisecond
    let passed = Int(clamping: now - min(now, last))
    last = now
    ahead -= passed > ahead / rate ? ahead : passed * rate
    ahead = max(0, ahead + frames + (sealing - self.sealing) * Limits.sealingToll)
    self.sealing = sealing
    let tooMuch = ahead - settings.tollAtOnce
    return tooMuch > 0 ? UInt64(clamping: (tooMuch - 1) / rate + 1) : 0
  }
}
