import SegueCore

/// Bounds what a peer sends that takes this side's time, and hardly any credit: frames that cost none, data in crumbs, and
/// what TLS adds beyond what frames need: records with next to nothing in them, and messages of its own. A peer that sends
/// more of it than anybody needs is not read for a while.
struct Toll {
  private var allowance: Allowance
  /// What TLS has added beyond what frames need and was not counted: at most a record, which may not be whole yet.
  private var added = 0
  /// The part of a read that has come so far.
  var unpaid = Read()

  init(_ settings: LinkSettings) {
    allowance = Allowance(atOnce: settings.tollAtOnce, perMillisecond: settings.tollPerMillisecond)
  }

  /// What a frame that costs no credit counts for.
  static func ofFree(_ count: Int) -> Int { Limits.freeFrameToll + count }
  /// What a frame of data counts for: nothing, unless it is small.
  static func ofData(_ count: Int) -> Int { max(0, Limits.dataFrameToll - count) }

  /// What one read has brought.
  struct Read {
    /// Bytes of the socket, and those that TLS let through.
    var sealed = 0
    var opened = 0
    /// How many frames ended in it, and what they count for.
    var frames = 0
    var toll = 0
  }

  /// The read is over, of so many bytes of the socket. Returns as `took`.
  mutating func pay(sealed count: Int, now: UInt64) -> UInt64 {
    defer { unpaid = Read() }
    unpaid.sealed = count
    return took(unpaid, now: now)
  }

  /// Something was read. Returns for how many milliseconds nothing more is to be read; 0 where reading goes on.
  mutating func took(_ read: Read, now: UInt64) -> UInt64 {
    let needed = read.frames * Limits.sealingPerFrame + read.opened / Limits.sealingPart
    added = max(0, added + read.sealed - read.opened - needed)
    let tooMuch = max(0, added - Limits.sealedRecordLength)
    added -= tooMuch
    return allowance.take(read.toll + tooMuch * Limits.sealingToll, at: Instant(milliseconds: now))
  }
}
