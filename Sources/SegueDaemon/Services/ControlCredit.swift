import SegueCore
import SegueEngine

/// When a device gets back the credit for its control messages and for the channels that it opens. A list of offers
/// costs this device work, so a device that sends lists faster than devices announce them runs out of credit, and
/// waits. A list of addresses, an introduction, a proposal and a malformed message each count as a list. A notice of a continuation
/// costs little, and may be sent often; without a bound, notices would take all of a processor. So would channels that
/// are opened and dropped.
///
/// The paces outlive a link, but waiting credit does not: a new link has credit of its own.
struct ControlCredit {
  /// One of each device's allowances, and what waits for it in the order in which it is due.
  private struct Paced {
    private var allowance: Allowance
    private var waiting: [(due: Instant, count: Int)] = []
    private var first = 0

    init(burst: UInt64, interval: UInt64) { allowance = Allowance(burst: burst, interval: interval) }

    var next: Instant? { first < waiting.count ? waiting[first].due : nil }
    var count: Int { waiting.count - first }

    mutating func add(_ count: Int, at now: Instant) { waiting.append((now + allowance.take(at: now), count)) }

    mutating func takeDue(at now: Instant) -> [Int] {
      let end = waiting[first...].firstIndex { $0.due > now } ?? waiting.count
      defer {
        first = end
        // Moved together when half of it is gone, so that each is moved once or so.
        if first * 2 >= waiting.count {
          waiting.removeFirst(first)
          first = 0
        }
      }
      return waiting[first..<end].map { $0.count }
    }

    mutating func drop() { (waiting, first) = ([], 0) }
  }

  private struct Device {
    var lists = Paced(burst: Limits.announceBurst, interval: Limits.announceInterval)
    var notices = Paced(burst: Limits.continuedBurst, interval: Limits.continuedInterval)
    var opens = Paced(burst: Limits.openBurst, interval: Limits.openInterval)

    var next: Instant? { [lists.next, notices.next, opens.next].compactMap { $0 }.min() }
    var count: Int { lists.count + notices.count + opens.count }

    mutating func takeDue(at now: Instant) -> [Int] {
      lists.takeDue(at: now) + notices.takeDue(at: now) + opens.takeDue(at: now)
    }

    mutating func drop() {
      lists.drop()
      notices.drop()
      opens.drop()
    }
  }

  private var devices: [DeviceID: Device] = [:]

  /// Counts a received message of so many bytes; nil: a malformed one.
  mutating func heard(_ message: LinkMessage?, of count: Int, from device: DeviceID, at now: Instant) {
    switch message {
    case .continued, .acknowledged: devices[device, default: Device()].notices.add(count, at: now)
    case .offers, .addresses, .introduce, .propose, .proposed, nil:
      devices[device, default: Device()].lists.add(count, at: now)
    }
  }

  /// The device has opened a channel, with a request of so many bytes.
  mutating func opened(_ count: Int, by device: DeviceID, at now: Instant) {
    devices[device, default: Device()].opens.add(count, at: now)
  }

  /// The lengths of what the device gets back now.
  mutating func takeDue(of device: DeviceID, at now: Instant) -> [Int] { devices[device]?.takeDue(at: now) ?? [] }

  /// When there is more; nil where nothing waits.
  func next(of device: DeviceID) -> Instant? { devices[device]?.next }

  /// How much waits.
  func count(of device: DeviceID) -> Int { devices[device]?.count ?? 0 }

  /// A link of the device has begun or ended.
  mutating func drop(_ device: DeviceID) { devices[device]?.drop() }
}
