/// The first dials after the daemon's start: of which paired devices nothing is known yet. Pure.
///
/// Whoever asks what there is before they are over would be told that there is nothing. What was on offer before the
/// start, and is of a device that cannot be reached now, is not known to this daemon; its choice waits as in an outage
/// (semantics X9).
public struct FirstDials {
  /// Devices that have not said what they have on offer since the start.
  public private(set) var unheard: Set<DeviceID>
  /// Those of them whose first dials are under way.
  private var dialled: Set<DeviceID>
  /// When they count as over, whatever is under way.
  public let until: Instant
  private let choicesUntil: Instant

  /// `time`: how long they take at the longest; `outageTime`: for how long what was on offer before the start can be
  /// chosen.
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

  /// Whether something that is not known may have been on offer before the start.
  public func mayHaveOffered(now: Instant) -> Bool { !unheard.isEmpty && now < choicesUntil }
}
