import SegueCore

@testable import SegueLink

extension Acknowledgement {
  /// Everything that was sent has arrived.
  static let all = Acknowledgement(isComplete: true, isEmpty: true, last: 0, timeout: 1_000, received: 0)
  /// No part of it has arrived.
  static let none = Acknowledgement(isComplete: false, isEmpty: false, last: 0, timeout: 1_000, received: 0)
}

/// One side of a link between simulated devices.
final class IdleEnd {
  var heart: Heartbeat
  unowned let device: IdleDevice
  /// The other side.
  weak var peer: IdleEnd?
  /// How long TCP waits for an acknowledgement.
  let timeout: UInt64
  /// Whether heartbeats of the peer wake nobody here.
  var isQuiet = true
  /// When this side has something to do.
  var wake: UInt64
  /// When a heartbeat came that waits in the socket.
  var waiting: UInt64?
  var isAcknowledged = true
  /// When TCP's user time-out ends the connection.
  var end: UInt64?
  /// When this side gave the other up.
  var lost: UInt64?
  var heartbeats = 0
  var pings = 0

  init(_ device: IdleDevice, isFirst: Bool, timeout: UInt64, now: UInt64) {
    self.device = device
    self.timeout = timeout
    heart = Heartbeat(LinkSettings(), isFirst: isFirst, now: now)
    wake = heart.earliest
  }
}

/// A simulated device, whose links share a timer as `HeartbeatTimer` has it.
final class IdleDevice {
  var ends: [IdleEnd] = []
  var rhythm = Rhythm()
  /// How often it has woken.
  var wakes = 0
  /// A process that hangs: its system acknowledges, and it does nothing.
  var isHung = false

  var wake: UInt64 {
    if isHung { return .max }
    return ends.filter { $0.lost == nil }.map { min($0.wake, $0.end ?? .max) }.min() ?? .max
  }
}

/// Devices with idle links, in simulated time. What one side sends, the other has a millisecond later, until the network is
/// cut.
struct IdleNetwork {
  private(set) var devices: [IdleDevice]
  private(set) var now: UInt64 = 0
  var isCut = false
  /// Whether TCP has a probe for a lost tail, so that its timer rings a time-out later.
  var probesTail = true

  init(devices count: Int) { devices = (0..<count).map { _ in IdleDevice() } }

  /// Makes a link that has just come up.
  @discardableResult mutating func link(_ one: Int, _ other: Int, timeout: UInt64) -> (IdleEnd, IdleEnd) {
    let ends = [one, other].map { IdleEnd(devices[$0], isFirst: $0 == one, timeout: timeout, now: now) }
    (ends[0].peer, ends[1].peer) = (ends[1], ends[0])
    for end in ends { end.device.ends.append(end) }
    return (ends[0], ends[1])
  }

  mutating func run(until end: UInt64) {
    while true {
      for device in devices where device.wake <= now { tick(device) }
      guard now < end else { return }
      now = min(end, max(now + 1, devices.map { $0.wake }.min() ?? .max))
    }
  }

  /// The owner of one side sends something, which the other does not answer.
  func send(_ end: IdleEnd) {
    guard end.lost == nil else { return }
    look(end)
    end.heart.sent(now)
    end.end = nil
    end.wake = min(end.wake, end.heart.earliest)
    carry(from: end, isHeartbeat: false)
  }

  private func tick(_ device: IdleDevice) {
    device.wakes += 1
    for end in device.ends where end.end.map({ $0 <= now }) == true && end.lost == nil { end.lost = now }
    let up = device.ends.filter { $0.lost == nil }
    device.rhythm.tick(up, now, step: { step($0) }) { end, gathers in
      if end.heart.join(now, gathers: gathers) { _ = step(end) }
    }
  }

  private func look(_ end: IdleEnd) {
    guard let moment = end.waiting, moment <= now else { return }
    end.waiting = nil
    hear(end, moment)
  }

  private func hear(_ end: IdleEnd, _ moment: UInt64) {
    end.heart.heard(moment)
    end.end = nil
    end.wake = end.heart.earliest
  }

  private func step(_ end: IdleEnd) -> Bool {
    look(end)
    var isSending = false
    while end.lost == nil {
      let acknowledgement = Acknowledgement(
        isComplete: end.isAcknowledged, isEmpty: end.isAcknowledged, last: 0, timeout: end.timeout, received: 0)
      switch end.heart.step(now, acknowledgement) {
      case .heartbeat(let patience):
        isSending = true
        end.heartbeats += 1
        // The kernel's timers are late by some milliseconds.
        if isCut { end.end = patience.map { now + (probesTail ? 2 : 1) * end.timeout + $0 + 25 } }
        carry(from: end, isHeartbeat: true)
      case .ping:
        end.pings += 1
        end.end = nil
        carry(from: end, isHeartbeat: false)
        if !isCut, let peer = end.peer, !peer.device.isHung { carry(from: peer, isHeartbeat: false) }
      case .lost: end.lost = now
      case .wait(let until):
        end.wake = until
        return isSending
      }
    }
    return isSending
  }

  private func carry(from end: IdleEnd, isHeartbeat: Bool) {
    end.isAcknowledged = !isCut
    guard !isCut, let peer = end.peer, !peer.device.isHung else { return }
    if isHeartbeat, peer.isQuiet {
      peer.waiting = now + 1
    } else {
      peer.waiting = nil
      if isHeartbeat { peer.device.wakes += 1 }
      hear(peer, now)
    }
  }
}

/// The same numbers in every run.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
