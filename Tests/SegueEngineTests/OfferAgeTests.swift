import SegueCore
import SegueEngine
import Testing

/// How old an offer is: as old as the activity, wherever and however often its device was linked.
struct OfferAgeTests {
  private let id = Identifier(high: 0, low: 1)

  private func offer(age: UInt64?) throws -> Offer {
    var offer = Offer(id: id, revision: 1, type: .browsingWeb, appID: try #require(AppID("org.example.Reader")))
    offer.age = age
    return offer
  }

  private func age(_ offers: RemoteOffers, at now: Instant) throws -> UInt64 {
    let entry = try #require(offers.entry(id))
    return now.time(since: entry.since) + entry.before
  }

  @Test func itIsWhatTheDeviceSays() throws {
    var offers = RemoteOffers()
    _ = offers.replace(.quiet, sequence: 1, offers: [try offer(age: 30_000)], now: 40_000)
    #expect(try age(offers, at: 41_000) == 31_000)
    // Longer than this device's clock runs.
    _ = offers.replace(.quiet, sequence: 2, offers: [try offer(age: 7_200_000)], now: 42_000)
    #expect(try age(offers, at: 43_000) == 7_201_000)
  }

  @Test(arguments: [nil, UInt64(6_000)]) func anotherLinkMakesItNoYounger(_ told: UInt64?) throws {
    var offers = RemoteOffers()
    _ = offers.replace(.quiet, sequence: 1, offers: [try offer(age: told.map { _ in 1_000 })], now: 10_000)
    _ = offers.lose(.quiet, now: 12_000)
    _ = offers.replace(.quiet, sequence: 1, offers: [try offer(age: told)], now: 15_000)
    #expect(try age(offers, at: 15_000) == (told ?? 5_000))
  }

  @Test func theWayHereIsNoChange() throws {
    var offers = RemoteOffers()
    _ = offers.replace(.quiet, sequence: 1, offers: [try offer(age: 1_000)], now: 10_000)
    #expect(!offers.replace(.quiet, sequence: 2, offers: [try offer(age: 2_010)], now: 11_000))
    #expect(offers.replace(.quiet, sequence: 3, offers: [try offer(age: 0)], now: 12_000))
    #expect(try age(offers, at: 12_000) == 0)
  }

  @Test func itCrossesTheLink() throws {
    let message = LinkMessage.offers(sequence: 1, [try offer(age: 5), try offer(age: nil)])
    #expect(try LinkMessage.decode(try message.encode()) == message)
  }
}
