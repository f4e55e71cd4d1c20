import SegueCore

/// Unauthenticated connections: how many may be held, from where, and which must go for a new one. Times in
/// milliseconds of a steady clock.
///
/// The oldest goes, not the newest: a paired device needs milliseconds, so connections that hold their slots for
/// seconds lose them. Everything here has a bound, the memory of failures too.
struct UnauthenticatedPeers {
  /// How a connection ends to be unauthenticated.
  enum Outcome {
    /// It has shown a pinned key, or a pairing key.
    case proved
    /// It got the nonce that it needs for a proof, and has gone.
    case asked
    case failed
  }

  private struct Source {
    var failures = 0
    var until: UInt64 = 0
    var seen: UInt64
  }

  private let settings: LinkSettings
  /// The connections in the order of their arrival.
  private var held: [(token: UInt64, source: String)] = []
  private var sources: [String: Source] = [:]

  init(settings: LinkSettings) { self.settings = settings }

  var count: Int { held.count }

  /// Takes a new connection; returns the one that must be closed for it.
  mutating func admit(_ token: UInt64, from source: String, now: UInt64) -> UInt64? {
    var victim: UInt64?
    let isPunished = sources[source].map { now < $0.until } ?? false
    let limit = isPunished ? 1 : settings.unauthenticatedPerSource
    if held.count(where: { $0.source == source }) >= limit {
      victim = held.first { $0.source == source }?.token
    } else if held.count >= settings.unauthenticatedConnections {
      victim = held.first?.token
    }
    if let victim { held.removeAll { $0.token == victim } }
    held.append((token, source))
    return victim
  }

  /// Removes a connection that has authenticated or ended.
  mutating func leave(_ token: UInt64, from source: String, _ outcome: Outcome, now: UInt64) {
    held.removeAll { $0.token == token }
    switch outcome {
    case .proved: sources[source] = nil
    case .asked: break
    case .failed: punish(source, now)
    }
  }

  private mutating func punish(_ source: String, _ now: UInt64) {
    if sources[source] == nil, sources.count >= Limits.unauthenticatedSources,
      let oldest = sources.min(by: { $0.value.seen < $1.value.seen })?.key
    {
      sources[oldest] = nil
    }
    var entry = sources[source] ?? Source(seen: now)
    // Failures long ago are forgiven.
    if now > entry.seen + settings.penaltyTime { entry.failures = 0 }
    entry.failures += 1
    entry.seen = now
    if entry.failures >= settings.failures { entry.until = now + settings.penaltyTime }
    sources[source] = entry
  }

  /// The key of one source: an IPv4 address, or the upper 64 bits of an IPv6 address, below which one host may vary the
  /// rest at will. Link-local addresses share those bits, and are taken whole.
  static func source(ip bytes: [UInt8]) -> String {
    guard bytes.count == 16 else { return bytes.hex }
    if bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) { return Array(bytes[12...]).hex }
    if bytes[0] == 0xfe, bytes[1] & 0xc0 == 0x80 { return bytes.hex }
    return Array(bytes[..<8]).hex
  }
}
