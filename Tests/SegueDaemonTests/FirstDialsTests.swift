import SegueLink
import Testing

@testable import SegueDaemon

@Suite struct FirstDialsTests {
  private func device(_ number: UInt8) throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: number, count: 32)))
  }

  @Test func theyAreOverWhenEachHasEnded() throws {
    var dials = FirstDials([try device(1), try device(2)], now: 100, time: 50, outageTime: 200)
    #expect(!dials.isOver(now: 100))
    dials.unreached(try device(1))
    #expect(!dials.isOver(now: 149))
    dials.heard(try device(2))
    #expect(dials.isOver(now: 100))
    // One of them may have had it on offer before.
    #expect(dials.unheard == [try device(1)])
    #expect(dials.mayHaveOffered(now: 299) && !dials.mayHaveOffered(now: 300))
    dials.heard(try device(1))
    #expect(!dials.mayHaveOffered(now: 299))
  }

  @Test func theyHaveTheirTime() throws {
    let dials = FirstDials([try device(1)], now: 100, time: 50, outageTime: 200)
    #expect(!dials.isOver(now: 149) && dials.isOver(now: 150))
  }

  @Test func withoutDevicesThereAreNone() {
    let dials = FirstDials([], now: 100, time: 50, outageTime: 200)
    #expect(dials.isOver(now: 100) && !dials.mayHaveOffered(now: 100))
  }
}
