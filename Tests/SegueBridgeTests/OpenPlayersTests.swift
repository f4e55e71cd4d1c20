import SegueBus
import SegueCore
import SegueState
import Testing

@testable import SegueBridge

@Suite struct OpenPlayersTests {
  private static let programs = BridgedProgram.all
  private static let vlc = "org.mpris.MediaPlayer2.vlc"
  private static let mpv = "org.mpris.MediaPlayer2.mpv"

  private func playing(_ path: String, _ status: String = "Playing", position: Int64 = 0) -> PlayerProperties {
    PlayerProperties([
      "Metadata": .dictionary([
        "xesam:url": .string("file://" + path), "mpris:length": .int64(200_000_000),
        "mpris:trackid": .objectPath(ObjectPath(constant: "/1")),
      ]), "PlaybackStatus": .string(status), "Position": .int64(position),
    ])
  }

  private func desk(_ events: OpenPlayers.Event...) -> OpenPlayers {
    var desk = OpenPlayers(Self.programs)
    for event in events { _ = desk.handle(event) }
    return desk
  }

  @Test(arguments: [
    "org.mpris.MediaPlayer2.kdeconnect.mpris_000001", "org.mpris.MediaPlayer2.playerctld",
    "org.mpris.MediaPlayer2.GSConnect.x", "org.mpris.MediaPlayer2.Valent.Player0",
    "org.mpris.MediaPlayer2.plasma-browser-integration", "org.mpris.MediaPlayer2.firefox.instance_1_7",
    "org.mpris.MediaPlayer2.chromium.instance10", "org.mpris.MediaPlayer2.vlcx", "org.mpris.MediaPlayer2.vlc.other",
  ])
  func namesThatAreNoPlayerOfOursAreLeftOut(name: String) {
    var desk = desk()
    #expect(desk.program(of: name) == nil)
    #expect(desk.handle(.named(name, owner: ":1.7")).isEmpty)
  }

  @Test func aPlayerIsReadOnceAndAnnounced() {
    var desk = desk()
    #expect(desk.handle(.named(Self.vlc, owner: ":1.1")) == [.follow(owner: ":1.1")])
    // It has two names, and is one player.
    #expect(desk.handle(.named(Self.vlc + ".instance7", owner: ":1.1")).isEmpty)
    #expect(
      desk.handle(.read(owner: ":1.1", playing("/a%20film.ogv"))) == [
        .announce(program: "vlc", .shows(title: "a film.ogv")), .announce(program: "vlc", .inFront),
      ])
    #expect(desk.handle(.named(Self.vlc, owner: nil)).isEmpty)
    #expect(
      desk.handle(.named(Self.vlc + ".instance7", owner: nil)) == [
        .leave(owner: ":1.1"), .announce(program: "vlc", .ended),
      ])
  }

  @Test func onlyPlayingAndSeekingAreUses() {
    var desk = desk(.named(Self.vlc, owner: ":1.1"), .read(owner: ":1.1", playing("/a")))
    #expect(desk.handle(.read(owner: ":1.1", playing("/a", "Paused"))) == [.announce(program: "vlc", .aged)])
    #expect(desk.handle(.read(owner: ":1.1", playing("/a", "Paused"))).isEmpty)
    #expect(desk.handle(.read(owner: ":1.1", playing("/a"))) == [.announce(program: "vlc", .used)])
    #expect(desk.handle(.moved(owner: ":1.1")) == [.announce(program: "vlc", .used)])
    #expect(desk.handle(.read(owner: ":1.1", playing("/b"))).first == .announce(program: "vlc", .shows(title: "b")))
  }

  @Test func theOneThatPlaysIsInFrontThenTheOneUsedLast() {
    var desk = desk(
      .named(Self.vlc, owner: ":1.1"), .named(Self.vlc + ".instance2", owner: ":1.2"),
      .read(owner: ":1.1", playing("/a")), .read(owner: ":1.2", playing("/b", "Paused")))
    #expect(desk.announced(by: Self.programs[0])?.owner == ":1.1")
    _ = desk.handle(.read(owner: ":1.1", playing("/a", "Paused")))
    // It was opened later.
    #expect(desk.announced(by: Self.programs[0])?.owner == ":1.2")
    _ = desk.handle(.moved(owner: ":1.1"))
    #expect(desk.announced(by: Self.programs[0])?.owner == ":1.1")
    _ = desk.handle(.named(Self.mpv, owner: ":1.3"))
    _ = desk.handle(.process(owner: ":1.3", 7))
    #expect(
      desk.handle(.read(owner: ":1.3", playing("/c"))) == [
        .announce(program: "mpv", .shows(title: "c")), .announce(program: "mpv", .inFront),
      ])
  }

  @Test func O6_aLibraryInsideComesFirst() {
    var desk = desk(.named(Self.mpv, owner: ":1.1"), .read(owner: ":1.1", playing("/a")))
    // Which process it is, and so whether a library takes part in it, is not known yet.
    #expect(desk.announced(by: Self.programs[1]) == nil)
    _ = desk.handle(.process(owner: ":1.1", 7))
    #expect(desk.announced(by: Self.programs[1]) != nil)
    #expect(desk.handle(.inside(program: "mpv", [7])) == [.announce(program: "mpv", .ended)])
    #expect(desk.handle(.inside(program: "mpv", [8])).first == .announce(program: "mpv", .shows(title: "a")))
  }

  @Test func whatCannotGoToAnotherDeviceIsNotAnnounced() {
    for url in [
      "", "cdda://", "dvd:///dev/sr0", "file://other/a", "file:///a/../b", "https://me:secret@example.org/a",
    ] {
      var desk = desk(.named(Self.vlc, owner: ":1.1"))
      let properties = PlayerProperties(["Metadata": .dictionary(["xesam:url": .string(url)])])
      #expect(desk.handle(.read(owner: ":1.1", properties)).isEmpty)
    }
  }

  @Test func noMorePlayersThanTheLimit() {
    var desk = desk()
    let more = 3
    let followed = (0..<Limits.bridgePlayers + more).flatMap { number in
      desk.handle(.named(Self.vlc + ".instance\(number)", owner: ":1.\(number)"))
    }
    #expect(followed.count == Limits.bridgePlayers)
  }

  @Test func aPlayerThatIsSilentIsNotAnnounced() {
    var desk = desk(.named(Self.vlc, owner: ":1.1"), .read(owner: ":1.1", playing("/a")))
    #expect(desk.handle(.silent(owner: ":1.1")) == [.announce(program: "vlc", .ended)])
  }
}
