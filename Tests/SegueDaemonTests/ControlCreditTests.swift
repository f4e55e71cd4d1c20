import SegueCore
import Testing

@testable import SegueDaemon

@Suite struct ControlCreditTests {
  private let device = DeviceID(hash: [UInt8](repeating: 1, count: 32), check: [])
  private let other = DeviceID(hash: [UInt8](repeating: 2, count: 32), check: [])

  @Test func attack34_listsOfOffersPastTheBurstAreDueLater() {
    let start: Instant = 1_000
    var credit = ControlCredit()
    for _ in 0..<Limits.announceBurst {
      #expect(credit.due(for: .offers(sequence: 1, []), of: device, at: start) == start)
    }
    #expect(credit.due(for: .offers(sequence: 1, []), of: device, at: start) == start + Limits.announceInterval)
    // What is no message is no cheaper, and who keeps the pace is not held up by another.
    #expect(credit.due(for: nil, of: device, at: start) == start + 2 * Limits.announceInterval)
    #expect(credit.due(for: .offers(sequence: 1, []), of: other, at: start) == start)
    // A new link does not begin the burst anew.
    credit.began(device)
    #expect(credit.due(for: nil, of: device, at: start) == start + 3 * Limits.announceInterval)
  }

  @Test func attack17_whatWasContinuedIsHeardNoFasterThanItsPace() {
    let start: Instant = 1_000
    let message = LinkMessage.acknowledged(continuation: Identifier(high: 0, low: 1))
    var credit = ControlCredit()
    for _ in 0..<Limits.continuedBurst { #expect(credit.due(for: message, of: device, at: start) == start) }
    #expect(credit.due(for: message, of: device, at: start) == start + Limits.continuedInterval)
    #expect(credit.due(for: message, of: device, at: start) == start + 2 * Limits.continuedInterval)
    // Neither the lists of this device are held up by it nor what another one has continued.
    #expect(credit.due(for: .offers(sequence: 1, []), of: device, at: start) == start)
    #expect(credit.due(for: message, of: other, at: start) == start)
  }

  @Test func eachLinkHasANumberOfItsOwn() {
    var credit = ControlCredit()
    credit.began(device)
    let first = credit.number(of: device)
    credit.began(device)
    #expect(credit.number(of: device) != first)
  }
}
