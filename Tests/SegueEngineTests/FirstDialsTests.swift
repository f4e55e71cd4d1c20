import SegueCore
import SegueEngine
import Testing

@Suite struct FirstDialsTests {
  private func device(_ number: UInt8) -> DeviceID { .number(number) }

  @Test func theyAreOverWhenEachHasEnded() throws {
    var dials = FirstDials([device(1), device(2)], now: 100, time: 50, outageTime: 200)
    #expect(!dials.isOver(now: 100))
    dials.unreached(device(1))
    #expect(!dials.isOver(now: 149))
    dials.heard(device(2))
    #expect(dials.isOver(now: 100))
    // One of them may have had it on offer before.
    #expect(dials.unheard == [device(1)])
    #expect(dials.mayHaveOffered(now: 299) && !dials.mayHaveOffered(now: 300))
    dials.heard(device(1))
    #expect(!dials.mayHaveOffered(now: 299))
  }

  @Test func theyHaveTheirTime() throws {
    let dials = FirstDials([device(1)], now: 100, time: 50, outageTime: 200)
    #expect(!dials.isOver(now: 149) && dials.isOver(now: 150))
  }

  @Test func withoutDevicesThereAreNone() {
    let dials = FirstDials([], now: 100, time: 50, outageTime: 200)
    #expect(dials.isOver(now: 100) && !dials.mayHaveOffered(now: 100))
  }
}
