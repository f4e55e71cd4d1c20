import SegueCore

/// When a device gets back the credit for a control message. A list of offers costs this device work, so that whoever
/// sends lists faster than a device announces them runs out of credit, and waits. A list of addresses, an
/// introduction and what is no message count as one. That something was continued costs little, and may be said often;
/// without a bound it would take all of a processor.
struct ControlCredit {
  private var lists: [DeviceID: Pace] = [:]
  private var notices: [DeviceID: Pace] = [:]
  /// Counts the links: what a message on a former one has cost is nothing to the next.
  private var numbers: [DeviceID: UInt64] = [:]

  mutating func began(_ device: DeviceID) { numbers[device, default: 0] &+= 1 }

  func number(of device: DeviceID) -> UInt64 { numbers[device] ?? 0 }

  mutating func due(for message: LinkMessage?, of device: DeviceID, at now: Instant) -> Instant {
    switch message {
    case .continued, .acknowledged:
      let usual = Pace(burst: Limits.continuedBurst, interval: Limits.continuedInterval)
      return notices[device, default: usual].due(at: now)
    case .offers, .addresses, .introduce, nil:
      let usual = Pace(burst: Limits.announceBurst, interval: Limits.announceInterval)
      return lists[device, default: usual].due(at: now)
    }
  }
}
