import SegueCore

/// The first dials after the daemon's start, and which paired devices have not been heard since. Pure.
///
/// Until the dials are over, a list of offers would be empty for no good reason, so requests for it wait. An offer from
/// before the start, of a device that cannot be reached now, is not known to this daemon. If it is chosen, the choice
/// waits as in an outage (semantics X9).
public struct FirstDials {
  /// The devices that have not said since the start what they have on offer.
  public private(set) var unheard: Set<DeviceID>
  /// The devices of `unheard` whose first dials are under way.
  private var dialled: Set<DeviceID>
  /// When the first dials count as over, even if some are still under way.
  public let until: Instant
  private let choicesUntil: Instant

  /// `time`: how long the first dials take at most. `outageTime`: how long after the start an offer from before it can
  /// be chosen.
  public init(_ devices: some Sequence<DeviceID>, now: Instant, time: UInt64, outageTime: UInt64) {
    unheard = Set(devices)
    dialled = unheard
    until = now + time
    choicesUntil = now + outageTime
  }

  /// There is a link to the device, and it has said what it has on offer.
  public mutating func heard(_ device: DeviceID) {
    unheard.remove(device)
    dialled.remove(device)
  }

  public mutating func unreached(_ device: DeviceID) { dialled.remove(device) }

  public func isOver(now: Instant) -> Bool { dialled.isEmpty || now >= until }

  /// Whether there may be an offer from before the start that has not been heard of.
  public func mayHaveOffered(now: Instant) -> Bool { !unheard.isEmpty && now < choicesUntil }
}
