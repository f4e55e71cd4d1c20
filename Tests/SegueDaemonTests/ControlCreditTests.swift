import SegueCore
import Testing

@testable import SegueDaemon

@Suite struct ControlCreditTests {
  private let device = DeviceID(hash: [UInt8](repeating: 1, count: 32), check: [])
  private let other = DeviceID(hash: [UInt8](repeating: 2, count: 32), check: [])
  private let start: Instant = 1_000
  private let list = LinkMessage.offers(sequence: 1, [])
  private let notice = LinkMessage.acknowledged(continuation: Identifier(high: 0, low: 1))

  @Test func attack34_listsOfOffersPastTheBurstAreDueLater() {
    var credit = ControlCredit()
    for count in 1...Int(Limits.announceBurst) {
      credit.heard(list, of: count, from: device, at: start)
      #expect(credit.takeDue(of: device, at: start) == [count])
    }
    credit.heard(list, of: 100, from: device, at: start)
    // Bytes that are no message cost as much.
    credit.heard(nil, of: 200, from: device, at: start)
    #expect(credit.takeDue(of: device, at: start) == [])
    #expect(credit.next(of: device) == start + Limits.announceInterval)
    // A device that keeps the pace is not held up by another one.
    credit.heard(list, of: 7, from: other, at: start)
    #expect(credit.takeDue(of: other, at: start) == [7])
    #expect(credit.next(of: other) == nil)
    #expect(credit.takeDue(of: device, at: start + Limits.announceInterval - 1) == [])
    #expect(credit.takeDue(of: device, at: start + Limits.announceInterval) == [100])
    #expect(credit.next(of: device) == start + 2 * Limits.announceInterval)
    #expect(credit.takeDue(of: device, at: start + 3 * Limits.announceInterval) == [200])
    #expect(credit.next(of: device) == nil)
  }

  @Test func attack17_whatWasContinuedIsHeardNoFasterThanItsPace() {
    var credit = ControlCredit()
    for _ in 0..<Limits.continuedBurst + 2 { credit.heard(notice, of: 1, from: device, at: start) }
    #expect(credit.takeDue(of: device, at: start).count == Int(Limits.continuedBurst))
    #expect(credit.next(of: device) == start + Limits.continuedInterval)
    #expect(credit.takeDue(of: device, at: start + Limits.continuedInterval).count == 1)
    // Neither the lists of this device are held up by it nor what another one has continued.
    credit.heard(list, of: 2, from: device, at: start)
    credit.heard(notice, of: 3, from: other, at: start)
    #expect(credit.takeDue(of: device, at: start) == [2])
    #expect(credit.takeDue(of: other, at: start) == [3])
  }

  @Test func attack33_channelsAreOpenedNoFasterThanTheirPace() {
    var credit = ControlCredit()
    for _ in 0..<Limits.openBurst + 2 { credit.opened(1, by: device, at: start) }
    #expect(credit.takeDue(of: device, at: start).count == Int(Limits.openBurst))
    #expect(credit.next(of: device) == start + Limits.openInterval)
    // Messages are not held up by channels that are to be opened.
    credit.heard(list, of: 2, from: device, at: start)
    credit.heard(notice, of: 3, from: device, at: start)
    #expect(credit.takeDue(of: device, at: start) == [2, 3])
    #expect(credit.takeDue(of: device, at: start + Limits.openInterval) == [1])
    #expect(credit.takeDue(of: device, at: start + 2 * Limits.openInterval) == [1])
    #expect(credit.next(of: device) == nil)
  }

  /// Each of them waited until it was due, links and hours after its own had ended.
  @Test func attack34_nothingWaitsForALinkThatHasEnded() {
    var credit = ControlCredit()
    for _ in 0..<20 {
      credit.drop(device)
      for _ in 0..<7_900 {
        credit.heard(nil, of: 1, from: device, at: start)
        _ = credit.takeDue(of: device, at: start)
      }
      #expect(credit.count(of: device) <= 7_900)
    }
    #expect(credit.count(of: device) == 7_900)
    credit.drop(device)
    #expect(credit.count(of: device) == 0 && credit.next(of: device) == nil)
    // A new link does not begin the burst anew.
    credit.heard(list, of: 1, from: device, at: start)
    #expect(credit.takeDue(of: device, at: start) == [])
  }
}
