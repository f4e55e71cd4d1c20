import NIOCore
import SegueCore
import Testing

@testable import SegueLink

/// Traffic that hardly any credit bounds: how much of it is read, and the charge of each frame.
@Suite struct ChargeLimitTests {
  @Test func attack34_soMuchAtOnceAndInEachMillisecond() {
    var charge = ChargeLimit(LinkSettings())
    func took(_ count: Int, now: UInt64) -> UInt64 { charge.took(ChargeLimit.Read(charge: count), now: now) }
    let rests = [
      took(Limits.chargeAtOnce, now: 1_000), took(1, now: 1_000),
      took(Limits.chargePerMillisecond - 1, now: 1_001), took(3 * Limits.chargePerMillisecond + 1, now: 1_001),
      took(0, now: 1_004), took(0, now: 1_005),
    ]
    #expect(rests == [0, 1, 0, 4, 1, 0])
    // All of it may come again when there was nothing for long enough, whatever the clock says.
    let quiet = UInt64(Limits.chargeAtOnce / Limits.chargePerMillisecond)
    let again = [
      took(Limits.chargeAtOnce, now: 1_005 + quiet), took(1, now: 1_004), took(Limits.chargeAtOnce - 1, now: .max),
    ]
    #expect(again == [0, 1, 0])
  }

  /// A message of TLS's own carries nothing, and nor does a part of a record; one record is free, since it may be such.
  @Test func attack34_whatTLSAddsCounts() {
    var settings = LinkSettings()
    settings.chargeAtOnce = 0
    settings.chargePerMillisecond = Limits.sealingCharge
    var charge = ChargeLimit(settings)
    let record = Limits.sealedRecordLength
    let rests = [
      charge.took(ChargeLimit.Read(sealed: record), now: 0),
      charge.took(ChargeLimit.Read(sealed: 1), now: 0),
      charge.took(ChargeLimit.Read(sealed: 100), now: 1),
      // The record was whole, and the next one is free.
      charge.took(ChargeLimit.Read(sealed: 22, opened: record), now: 101),
      charge.took(ChargeLimit.Read(sealed: record + 1), now: 101),
    ]
    #expect(rests == [0, 1, 100, 0, 1])
  }

  /// As Segue sends them: many a frame in a record of its own, and long ones in records of 16 KiB.
  @Test func attack34_whatFramesNeedCountsForNothing() {
    var settings = LinkSettings()
    settings.chargeAtOnce = 0
    var charge = ChargeLimit(settings)
    let records = 10_000
    let rests = [
      charge.took(ChargeLimit.Read(sealed: records * 32, opened: records * 10, frames: records), now: 0),
      charge.took(ChargeLimit.Read(sealed: records * (22 + 16_384), opened: records * 16_384), now: 0),
      // An allowance that was not needed is not saved up.
      charge.took(ChargeLimit.Read(sealed: Limits.sealedRecordLength), now: 0),
      charge.took(ChargeLimit.Read(sealed: 1), now: 0),
    ]
    #expect(rests == [0, 0, 0, 1])
  }

  @Test func attack34_whatIsLargeOrPacedCountsForNothing() throws {
    var mux = Mux(dialler: false, settings: LinkSettings(), peerWindow: Limits.channelWindow)
    let bytes = ByteBuffer(repeating: 1, count: Limits.dataFrameCharge)
    for (kind, channel) in [(Frame.Kind.control, 0), (.open, 1), (.data, 1)] as [(Frame.Kind, UInt32)] {
      let charge = try mux.receive(Frame(kind: kind, channel: channel, payload: bytes))
      #expect(charge == 0)
    }
    let small = ByteBuffer(repeating: 1, count: Limits.dataFrameCharge - 1)
    let charge = try mux.receive(Frame(kind: .data, channel: 1, payload: small))
    #expect(charge == 1)
  }

  @Test func attack34_whatCostsNoCreditCounts() throws {
    var settings = LinkSettings()
    settings.channels = 1
    var mux = Mux(dialler: false, settings: settings, peerWindow: Limits.channelWindow)
    try mux.receive(Frame(kind: .open, channel: 1))
    let (four, none) = (ByteBuffer(integer: UInt32(1)), ByteBuffer())
    let frames: [(Frame.Kind, UInt32, ByteBuffer)] = [
      (.window, 0, four), (.window, 1, four), (.ping, 0, none), (.pong, 0, four), (.heartbeat, 0, none),
      (.stop, 1, none), (.stop, 1, none), (Frame.Kind(rawValue: 255), 7, four),
      // One channel too many.
      (.open, 3, four), (.finish, 1, none), (.reset, 1, four),
      // The channel has ended.
      (.data, 1, four), (.finish, 1, none), (.reset, 1, four), (.window, 1, four),
    ]
    for (kind, channel, payload) in frames {
      let charge = try mux.receive(Frame(kind: kind, channel: channel, payload: payload))
      #expect(charge == Limits.freeFrameCharge + payload.readableBytes, "\(kind) on \(channel)")
    }
  }

  /// Each of these bytes is a frame of its own.
  @Test func attack34_crumbsAreReadNoFasterThanTheirPace() throws {
    var settings = LinkSettings.quick
    settings.chargeAtOnce = 0
    settings.chargePerMillisecond = 64
    let (a, b) = try pair(settings: settings)
    defer {
      a.stop()
      b.stop()
    }
    let channel = a.link.openChannel(to: b.id, first: [])
    let (count, start) = (20, ContinuousClock.now)
    for number in 0..<count {
      let smallWrite = [UInt8(truncatingIfNeeded: number)]
      a.link.send(smallWrite, on: channel)
      let heard = b.waitTold { if case .channel(_, .data(smallWrite)) = $0 { true } else { false } }
      try #require(heard != nil)
    }
    let spent = (ContinuousClock.now - start) / .milliseconds(1)
    let charge = (count - 1) * (Limits.dataFrameCharge - 1)
    #expect(Double(charge) <= Double(settings.chargePerMillisecond) * (spent + 2))
  }
}
