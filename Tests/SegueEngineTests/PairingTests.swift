import SegueCore
import Testing

@testable import SegueEngine

@Suite struct PairingTests {
  /// A continuation that waits for files, or whose state has arrived, ends when its device is unpaired.
  @Test(arguments: [false, true]) func V14_nothingOfAnUnpairedDeviceIsDelivered(waitsForFiles: Bool) throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    let (fetch, _) = try #require(chosen.fetch)
    var snapshot = Snapshot(id: offer.id, revision: 2, type: offer.type, userInfo: [0xa0])
    if waitsForFiles { snapshot.files = [ContainerFile(url: "file:///a", container: "c", path: "a")] }
    trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    let unpaired = trial.handle(.paired([]))
    guard case .failed(let error)? = unpaired.reply(1) else { throw Failure(unpaired) }
    #expect(error.code == .connectionUnavailable)
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    let claimed = trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    guard case .failed? = claimed.reply(3) else { throw Failure(claimed) }
  }

  /// The list of paired devices is checked at each fetch, and at each message: a link may outlive its device's pairing
  /// for a moment.
  @Test func V14_anUnpairedDeviceFetchesNothing() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(id: id(9), revision: 1, type: try type(), title: nil, webHost: nil, isEligible: true)
    trial.handle(.door(5, .setCurrent(activity, 1)))
    trial.handle(.paired([]))
    trial.now = trial.now + Limits.returnTime
    let request = FetchRequest(continuation: id(1), activity: id(9), appID: try appID())
    let asked = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    guard case .answerFetch(_, .failure(let error))? = asked.first else { throw Failure(asked) }
    #expect(error.code == .accessDenied && asked.saves.isEmpty)
    _ = try trial.offer(7, sequence: 2)
    #expect(trial.engine.list(at: trial.moment).isEmpty)
  }
}
