import SegueCore

/// Bounds the traffic of a peer that takes this side's time, and hardly any credit: frames that cost none, data in
/// small pieces, and the bytes that TLS adds beyond the need of frames: nearly empty records, and messages of its own.
/// Reading from a peer that sends more of it than any device needs pauses for a while.
struct ChargeLimit {
  private var allowance: Allowance
  /// What TLS has added beyond what frames need and was not counted: at most a record, which may not be whole yet.
  private var added = 0
  /// The part of a read that has come so far.
  var unpaid = Read()

  init(_ settings: LinkSettings) {
    allowance = Allowance(atOnce: settings.chargeAtOnce, perMillisecond: settings.chargePerMillisecond)
  }

  /// The charge of a frame that costs no credit.
  static func ofFree(_ count: Int) -> Int { Limits.freeFrameCharge + count }
  /// The charge of a frame of data: 0, unless it is small.
  static func ofData(_ count: Int) -> Int { max(0, Limits.dataFrameCharge - count) }

  /// The bytes and frames of one read.
  struct Read {
    /// Bytes of the socket, and those that TLS let through.
    var sealed = 0
    var opened = 0
    /// The number of frames that ended in it, and their charge.
    var frames = 0
    var charge = 0
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
    return allowance.take(read.charge + tooMuch * Limits.sealingCharge, at: Instant(milliseconds: now))
  }
}
