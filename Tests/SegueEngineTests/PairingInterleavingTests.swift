import SegueCore
import Testing

@testable import SegueEngine

/// Every order in which two devices, their users, their disks and the network can act while they pair.
@Suite struct PairingInterleavingTests {
  private enum Act: CaseIterable {
    case deliverFirst, deliverSecond, writeFirst, writeSecond, failFirst, failSecond, typeRight, typeWrong, confirm,
      deny
    case cancelFirst, cancelSecond, killFirst, killSecond, cut
  }

  private static let cancelled = SegueError(.userCancelled, "Cancelled.")
  private static let full = SegueError(.system, "The disk is full.")

  private func act(_ act: Act, _ trial: inout PairingTrial) -> Bool {
    func deliver(_ index: Int) -> Bool {
      guard !trial.ends[index].inbox.isEmpty, !trial.ends[index].isDead else { return false }
      trial.deliver(to: index)
      return true
    }
    func write(_ index: Int, _ error: SegueError?) -> Bool {
      guard trial.ends[index].writing != nil, !trial.ends[index].isDead else { return false }
      trial.write(index, error: error)
      return true
    }
    func end(_ index: Int) -> Bool {
      guard !trial.ends[index].isDead, trial.ends[index].outcome == nil else { return false }
      trial.handle(.ended(Self.cancelled), index)
      return true
    }
    func kill(_ index: Int) -> Bool {
      guard !trial.ends[index].isDead else { return false }
      trial.ends[index].isDead = true
      // The messages on their way to the other end still arrive; then it sees the connection close.
      return true
    }
    switch act {
    case .deliverFirst: return deliver(0)
    case .deliverSecond: return deliver(1)
    case .writeFirst: return write(0, nil)
    case .writeSecond: return write(1, nil)
    case .failFirst: return write(0, Self.full)
    case .failSecond: return write(1, Self.full)
    case .typeRight, .typeWrong:
      guard trial.ends[1].isAskedForDigits, !trial.ends[1].isDead, trial.ends[0].shown != nil else { return false }
      trial.type(right: act == .typeRight)
      return true
    case .confirm, .deny:
      guard trial.ends[0].isAsked, !trial.ends[0].isDead else { return false }
      trial.confirm(act == .confirm)
      return true
    case .cancelFirst: return end(0)
    case .cancelSecond: return end(1)
    case .killFirst: return kill(0)
    case .killSecond: return kill(1)
    case .cut:
      guard !trial.isCut else { return false }
      trial.isCut = true
      return true
    }
  }

  /// The ends that are alive learn that the connection is closed, after all messages have arrived.
  private func close(_ trial: inout PairingTrial) {
    trial.settle()
    for index in 0...1 { trial.handle(.closed, index) }
    trial.settle()
  }

  private func check(_ trial: PairingTrial, secrets: Bool) {
    var rest = trial
    for index in 0...1 where rest.ends[index].isDead { rest.ends[index].writing = nil }
    for index in 0...1 where rest.ends[index].isDead { rest.ends[index].inbox = [] }
    close(&rest)
    for (index, end) in rest.ends.enumerated() {
      // No device is remembered without a confirmation; and none that was paired before is forgotten, however the
      // session ends.
      if end.pin != nil, !secrets, !end.wasPaired { #expect(rest.typedRight && rest.confirmed) }
      if end.wasPaired { #expect(end.pin != nil) }
      guard !end.isDead else { continue }
      switch end.outcome {
      case .paired(let peer)?:
        #expect(end.pin == peer && peer.device == rest.ends[1 - index].crypto.device)
        // An end that reports success is right about the other one, unless the other one's disk is lost.
        #expect(rest.ends[1 - index].pin?.device == end.crypto.device)
      case .failed(_, let remembered, _)?:
        // A device that is remembered in spite of a failure is reported.
        if !end.wasPaired { #expect(end.pin == remembered) }
      case nil: Issue.record("end \(index) waits for ever")
      }
    }
  }

  @Test(arguments: [false, true], [[false, false], [true, false], [false, true], [true, true]])
  func attack14_noOrderPinsWhatNobodyConfirmed(withCode: Bool, wasPaired: [Bool]) {
    let secret: [UInt8]? = withCode ? [UInt8](repeating: 5, count: 16) : nil
    var seen: Set<String> = []
    var open = [PairingTrial(secrets: [secret, secret], wasPaired: wasPaired)]
    var states = 0
    while let trial = open.popLast() {
      guard seen.insert(trial.key).inserted else { continue }
      states += 1
      check(trial, secrets: withCode)
      for act in Act.allCases {
        var next = trial
        if self.act(act, &next) { open.append(next) }
      }
    }
    #expect(states > 200, "\(states)")
  }
}
