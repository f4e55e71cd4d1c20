import SegueCore
import SegueEngine
import Testing

@Suite struct ReconnectionTests {
  @Test func itIsTriedEverLessOftenAndNotForEver() {
    var reconnection = Reconnection(patience: 60_000)
    var now: Instant = 5
    var times: [UInt64] = []
    while let time = reconnection.failed(now: now), times.count < 1000 {
      times.append(time)
      now = now + time
    }
    #expect(times.prefix(8) == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
    #expect(times.allSatisfy { $0 <= Limits.reconnectTime })
    #expect(times.reduce(0, +) > 60_000)
    #expect(times.count < 30)
    // Once it is there, all begins anew.
    reconnection.succeeded()
    #expect(reconnection.failed(now: now) == 100)
    // Time that goes backwards ends nothing.
    #expect(reconnection.failed(now: 0) == 200)
  }
}
