import SegueCore
import SegueEngine
import Testing

@Suite struct OfferFollowerTests {
  private func offer(
    _ number: UInt64, device: String = "d", title: String? = nil, since: Instant = 0
  ) throws -> ListedOffer {
    ListedOffer(
      id: ListedOffer.ID(device: device, activity: Identifier(high: 0, low: number)), type: .browsingWeb, title: title,
      webHost: nil, appID: try #require(AppID("com.example.Reader")), appName: "Reader", deviceName: "desk",
      place: .device, isStored: false, since: since)
  }

  @Test func theFirstListIsToldEvenIfItIsEmpty() {
    var follower = OfferFollower()
    #expect(follower.handle(.listed([])) == [.tell([])])
  }

  @Test func nothingIsToldBeforeTheLastWasHeard() throws {
    var follower = OfferFollower()
    let (one, two, three) = (try offer(1), try offer(2), try offer(3))
    #expect(follower.handle(.listed([one])) == [.tell([one])])
    #expect(follower.handle(.listed([one, two])) == [])
    #expect(follower.handle(.listed([three])) == [])
    // The last one only.
    #expect(follower.handle(.heard) == [.tell([three])])
    #expect(follower.handle(.heard) == [])
    #expect(follower.handle(.listed([three])) == [])
  }

  @Test func whatLooksTheSameIsNotToldAgain() throws {
    var follower = OfferFollower()
    let known = try offer(1, since: 10_000)
    #expect(follower.handle(.listed([known])) == [.tell([known])])
    _ = follower.handle(.heard)
    for since in [9_000, 11_999] as [Instant] {
      #expect(follower.handle(.listed([try offer(1, since: since)])) == [])
    }
    for other in [
      try offer(1, since: 20_000), try offer(1, device: "e"), try offer(1, title: "Page"), try offer(2),
    ] {
      #expect(follower.handle(.listed([other])) == [.tell([other])])
      #expect(follower.handle(.heard) == [])
    }
    #expect(follower.handle(.listed([])) == [.tell([])])
  }

  @Test func whatChangedAndChangedBackWhileItWasBusyIsNotToldAgain() throws {
    var follower = OfferFollower()
    let (one, two) = (try offer(1), try offer(2))
    #expect(follower.handle(.listed([one])) == [.tell([one])])
    #expect(follower.handle(.listed([two])) == [])
    #expect(follower.handle(.listed([one])) == [])
    #expect(follower.handle(.heard) == [])
  }
}
