import NIOCore
import SegueCore
import Testing

@testable import SegueLink

/// What hardly any credit bounds: how much of it is read, and what each frame counts for.
@Suite struct TollTests {
  @Test func attack34_soMuchAtOnceAndInEachMillisecond() {
    var toll = Toll(LinkSettings(), sealing: 0)
    let rests = [
      toll.took(Limits.tollAtOnce, sealing: 0, now: 1_000), toll.took(1, sealing: 0, now: 1_000),
      toll.took(Limits.tollPerMillisecond - 1, sealing: 0, now: 1_001),
      toll.took(3 * Limits.tollPerMillisecond + 1, sealing: 0, now: 1_001),
      toll.took(0, sealing: 0, now: 1_004), toll.took(0, sealing: 0, now: 1_005),
    ]
    #expect(rests == [0, 1, 0, 4, 1, 0])
    // All of it may come again when there was nothing for long enough, whatever the clock says.
    let quiet = UInt64(Limits.tollAtOnce / Limits.tollPerMillisecond)
    let again = [
      toll.took(Limits.tollAtOnce, sealing: 0, now: 1_005 + quiet), toll.took(1, sealing: 0, now: 1_004),
      toll.took(Limits.tollAtOnce - 1, sealing: 0, now: .max),
    ]
    #expect(again == [0, 1, 0])
  }

  /// Records with next to nothing in them; a part of a large one counts no more when the rest has come.
  @Test func attack34_whatTLSAddsCounts() {
    var toll = Toll(LinkSettings(), sealing: 0)
    let most = Limits.tollAtOnce / Limits.sealingToll
    let rests = [
      toll.took(0, sealing: most, now: 0), toll.took(0, sealing: most + 16_384, now: 0),
      toll.took(0, sealing: most, now: 0), toll.took(0, sealing: most + 1, now: 0),
    ]
    #expect(rests == [0, UInt64(16_384 * Limits.sealingToll / Limits.tollPerMillisecond), 0, 1])
  }

  @Test func attack34_whatIsLargeOrPacedCountsForNothing() throws {
    var mux = Mux(dialler: false, settings: LinkSettings(), peerWindow: Limits.channelWindow)
    let bytes = ByteBuffer(repeating: 1, count: Limits.dataFrameToll)
    for (kind, channel) in [(Frame.Kind.control, 0), (.open, 1), (.data, 1)] as [(Frame.Kind, UInt32)] {
      let toll = try mux.receive(Frame(kind: kind, channel: channel, payload: bytes))
      #expect(toll == 0)
    }
    let small = ByteBuffer(repeating: 1, count: Limits.dataFrameToll - 1)
    let toll = try mux.receive(Frame(kind: .data, channel: 1, payload: small))
    #expect(toll == 1)
  }

  @Test func attack34_whatCostsNoCreditCounts() throws {
    var settings = LinkSettings()
    settings.channels = 1
    var mux = Mux(dialler: false, settings: settings, peerWindow: Limits.channelWindow)
    try mux.receive(Frame(kind: .open, channel: 1))
    let (four, none) = (ByteBuffer(integer: UInt32(1)), ByteBuffer())
    let frames: [(Frame.Kind, UInt32, ByteBuffer)] = [
      (.window, 0, four), (.window, 1, four), (.ping, 0, none), (.pong, 0, four), (.beat, 0, none), (.stop, 1, none),
      (.stop, 1, none), (Frame.Kind(rawValue: 255), 7, four),
      // One channel too many.
      (.open, 3, four), (.finish, 1, none), (.reset, 1, four),
      // The channel has ended.
      (.data, 1, four), (.finish, 1, none), (.reset, 1, four), (.window, 1, four),
    ]
    for (kind, channel, payload) in frames {
      let toll = try mux.receive(Frame(kind: kind, channel: channel, payload: payload))
      #expect(toll == Limits.freeFrameToll + payload.readableBytes, "\(kind) on \(channel)")
    }
  }

  /// Each of these messages costs credit, and is a record of its own.
  @Test func attack34_recordsAreReadNoFasterThanTheirPace() throws {
    var settings = LinkSettings.quick
    settings.tollAtOnce = 0
    settings.tollPerMillisecond = 8
    let (a, b) = try pair(settings: settings)
    defer {
      a.stop()
      b.stop()
    }
    let (count, start) = (20, ContinuousClock.now)
    for number in 0..<count {
      let message = [UInt8(truncatingIfNeeded: number)]
      a.link.sendControl(message, to: b.id)
      let heard = b.wait { if case .control(_, message) = $0 { true } else { false } }
      try #require(heard != nil)
    }
    let spent = (ContinuousClock.now - start) / .milliseconds(1)
    #expect(Double((count - 1) * 22 * Limits.sealingToll) <= Double(settings.tollPerMillisecond) * (spent + 2))
  }
}
