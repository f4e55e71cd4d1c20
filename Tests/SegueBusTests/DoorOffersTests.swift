import SegueBus
import SegueCore
import Testing

@Suite struct DoorOffersTests {
  private func offer(_ place: ListedOffer.Place, title: String? = "Grüße", since: Instant = 400) throws -> ListedOffer {
    ListedOffer(
      id: ListedOffer.ID(device: "0123", activity: Identifier(high: 1, low: 2)), type: .browsingWeb, title: title,
      webHost: title.map { _ in "example.org" }, appID: try #require(AppID("com.example.Reader")), appName: "Reader",
      deviceName: "desk", place: place, isStored: place != .device, since: since)
  }

  @Test func everyAttributeSurvives() throws {
    for place in [.device, .here, .kept] as [ListedOffer.Place] {
      let offers = [try offer(place), try offer(place, title: nil)]
      // The other end's clock is another one: what crosses is the age.
      var told = try DoorOffers.decode(DoorOffers.encode(offers, now: 1_000), now: 5_000)
      #expect(told.map { $0.since } == [4_400, 4_400] as [Instant])
      for index in told.indices { told[index].since = 400 }
      #expect(told == offers)
    }
    #expect(try DoorOffers.decode(DoorOffers.encode([], now: 0), now: 0) == [])
  }

  @Test func aMomentToComeIsNow() throws {
    let told = try DoorOffers.decode(DoorOffers.encode([try offer(.device, since: 9_000)], now: 1_000), now: 100)
    #expect(told.first?.since == 100)
    // And one from before this clock began is its beginning.
    let old = try DoorOffers.decode(DoorOffers.encode([try offer(.device, since: 0)], now: 1_000), now: 100)
    #expect(old.first?.since == 0)
  }

  @Test func whatIsNoListOfOffersIsRefused() throws {
    let attributes: [(String, BusValue)] = [
      ("device", .string("d")), ("activity", .string(Identifier(high: 0, low: 1).hex)),
      ("type", .string("org.t.page")), ("app-id", .string("org.t.App")),
    ]
    let good = BusDictionary(attributes)
    let list = { (dictionaries: [BusDictionary]) in
      BusValue.array(elementSignature: "a{sv}", dictionaries.map { .dictionary($0) })
    }
    #expect(try DoorOffers.decode(list([good]), now: 0).count == 1)
    #expect(throws: SegueError.self) { try DoorOffers.decode(nil, now: 0) }
    #expect(throws: SegueError.self) { try DoorOffers.decode(.strings(["a"]), now: 0) }
    #expect(throws: SegueError.self) { try DoorOffers.decode(list([[:]]), now: 0) }
    for (key, value) in [
      ("device", BusValue.uint32(1)), ("device", .string(String(repeating: "d", count: Limits.nameLength + 1))),
      ("activity", .string("12")), ("type", .string("page")), ("app-id", .string("App")),
      ("title", .string(String(repeating: "t", count: Limits.titleMaximum + 1))), ("web-host", .bool(true)),
    ] {
      let bad = BusDictionary(attributes.filter { $0.0 != key } + [(key, value)])
      #expect(throws: SegueError.self) { try DoorOffers.decode(list([bad]), now: 0) }
    }
    let many = Array(repeating: good, count: Limits.offersPerApplication + 1)
    #expect(try DoorOffers.decode(list(many), now: 0).count == Limits.offersPerApplication)
  }
}
