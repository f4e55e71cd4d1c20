import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct FollowedOffersTests {
  private let offline: Offline
  private let offers: FollowedOffers
  private let outcomes = Outcomes()

  init() throws {
    offline = try Offline()
    offers = offline.application.offers
  }

  private func offer(_ number: UInt64, _ title: String) -> ListedOffer {
    ListedOffer(
      id: .init(device: "device", activity: Identifier(high: 1, low: number)), type: .browsingWeb, title: title,
      webHost: nil, appID: offline.application.appID, appName: "Offline", deviceName: "Laptop", place: .device,
      isStored: false, since: .now)
  }

  private func come(_ listed: [ListedOffer]) { offers.came(DoorOffers.encode(listed, now: .now)) }

  @Test func V19_whatLooksTheSameStaysTheSameObject() {
    var changes = 0
    offline.application.delegate.offersChanged = { _ in changes += 1 }
    let (first, second) = (offer(1, "A"), offer(2, "B"))
    come([first, second])
    let before = offers.follow()
    come([first, second])
    #expect(changes == 1)
    come([second])
    let after = offers.follow()
    #expect(changes == 2 && after.count == 1 && after.first === before.last)
    offers.doorLost()
    #expect(changes == 3 && offers.follow().isEmpty)
    offers.came(.string("no list"))
    #expect(changes == 3)
  }

  @Test func V19_withoutTheDaemonNothingIsChosen() throws {
    come([offer(1, "A")])
    let handle = try #require(offers.follow().first)
    try offers.choose(handle, activationToken: nil, outcomes.note)
    #expect(outcomes.codes == [])
    offline.dispatch()
    #expect(outcomes.codes == ["ConnectionUnavailable"])
    let long = String(repeating: "a", count: Limits.identifierLength + 1)
    #expect(throws: SegueError.self) { try offers.choose(handle, activationToken: long, outcomes.note) }
    for _ in 0..<Limits.choicesPerApplication { try offers.choose(handle, activationToken: nil, outcomes.note) }
    #expect(throws: SegueError.self) { try offers.choose(handle, activationToken: nil, outcomes.note) }
    offline.application.close()
    #expect(outcomes.codes.count == 1 + Limits.choicesPerApplication)
  }
}
