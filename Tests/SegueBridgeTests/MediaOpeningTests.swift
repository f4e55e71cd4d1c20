import Glibc
import SegueBus
import SegueCore
import Testing

@testable import SegueBridge

@Suite struct MediaOpeningTests {
  private static let uri = "file:///tmp/a%20film.ogv"

  private func place(_ more: [String: Value] = [:]) throws -> MediaPlace {
    var entries: [Value: Value] = [.string("uri"): .url(Self.uri), .string("position"): .double(61)]
    for (key, value) in more { entries[.string(key)] = value }
    return try #require(MediaPlace(entries))
  }

  private func player(
    at position: Double?, _ status: String = "Playing", uri: String = uri, length: Int64 = 200_000_000,
    canSeek: Bool = true
  ) -> PlayerProperties {
    var values: BusDictionary = [
      "Metadata": .dictionary([
        "xesam:url": .string(uri), "mpris:length": .int64(length),
        "mpris:trackid": .objectPath(ObjectPath(constant: "/7")),
      ]), "PlaybackStatus": .string(status), "CanSeek": .bool(canSeek), "MinimumRate": .double(0.5),
      "MaximumRate": .double(2), "Rate": .double(1),
    ]
    values["Position"] = position.map { .int64(Int64($0 * 1_000_000)) }
    return PlayerProperties(values)
  }

  private static let goes: MediaOpening.Effect = .setPosition(track: "/7", 61_000_000)
  private static let opened: MediaOpening.Effect = .ended(isOpen: true)

  @Test func aPlayerIsLaunchedOpensAndGoesToThePlace() throws {
    var opening = MediaOpening(try place())
    #expect(opening.handle(.begins(player: nil)) == [.launch(nil)])
    #expect(opening.handle(.started) == [.read])
    #expect(opening.handle(.read(PlayerProperties())) == [.open(Self.uri), .read])
    // It has not loaded it yet.
    #expect(opening.handle(.read(player(at: 0, length: -1))) == [.read])
    #expect(opening.handle(.read(player(at: 0, canSeek: false))) == [.read])
    #expect(opening.handle(.read(player(at: 0))) == [Self.goes, .read])
    #expect(opening.handle(.read(player(at: 61))) == [.read])
    #expect(opening.handle(.read(player(at: 61.1))) == [Self.opened])
    #expect(opening.handle(.overdue).isEmpty)
  }

  @Test func aPlayerThatIsStartedWithTheAddressIsNotToldItAgain() throws {
    var opening = MediaOpening(try place(), opensArgument: true)
    #expect(opening.handle(.begins(player: nil)) == [.launch(Self.uri)])
    #expect(opening.handle(.started) == [.read])
    // Its window is still being made.
    #expect(opening.handle(.read(PlayerProperties())) == [.read])
    #expect(opening.handle(.read(player(at: 0, length: -1))) == [.read])
    #expect(opening.handle(.read(player(at: 0))) == [Self.goes, .read])
    #expect(opening.handle(.read(player(at: 61))) == [.read])
    #expect(opening.handle(.read(player(at: 61.1))) == [Self.opened])
    // One that runs is told.
    var running = MediaOpening(try place(), opensArgument: true)
    #expect(running.handle(.begins(player: PlayerProperties())) == [.open(Self.uri), .read])
  }

  @Test func aPlayerIsNotBelievedThatItIsThereAtOnce() throws {
    var opening = MediaOpening(try place())
    _ = opening.handle(.begins(player: player(at: 0)))
    #expect(opening.handle(.read(player(at: 61))) == [.read])
    #expect(opening.handle(.read(player(at: 0))) == [.read])
    #expect(opening.handle(.read(player(at: 61))) == [.read])
    #expect(opening.handle(.read(player(at: 61))) == [.read])
    #expect(opening.handle(.read(player(at: 61.2))) == [Self.opened])
  }

  @Test func aPlayerThatIgnoresThePositionIsSoughtAndThenLeftWhereItIs() throws {
    var opening = MediaOpening(try place())
    _ = opening.handle(.begins(player: player(at: 1)))
    var effects: [MediaOpening.Effect] = []
    for _ in 0...Limits.bridgeSeeks where !opening.isEnded { effects += opening.handle(.read(player(at: 1))) }
    #expect(effects.contains(.seek(by: 60_000_000)))
    #expect(effects.last == Self.opened)
  }

  @Test func O2_aFurtherPlaceStays() throws {
    var opening = MediaOpening(try place())
    #expect(opening.handle(.begins(player: player(at: 120, "Paused"))) == [Self.opened])
  }

  @Test func theSameFilmAtAnEarlierPlaceOnlyGoesOn() throws {
    var opening = MediaOpening(try place())
    #expect(opening.handle(.begins(player: player(at: 30, "Paused"))) == [Self.goes, .read])
    _ = opening.handle(.read(player(at: 61, "Paused")))
    #expect(opening.handle(.read(player(at: 61, "Paused"))) == [.play, Self.opened])
  }

  @Test func speedAndPauseAreTaken() throws {
    var opening = MediaOpening(try place(["rate": .double(1.5), "playing": .bool(false)]))
    #expect(
      opening.handle(.begins(player: player(at: 61))) == [.setRate(1.5), .pause, Self.opened])
    var fast = MediaOpening(try place(["rate": .double(9)]))
    #expect(fast.handle(.begins(player: player(at: 61))) == [Self.opened])
  }

  @Test func aLiveStreamHasNoPlace() throws {
    var opening = MediaOpening(try place(["live": .bool(true)]))
    #expect(opening.handle(.begins(player: PlayerProperties())) == [.open(Self.uri), .read])
    #expect(opening.handle(.read(player(at: nil, length: -1, canSeek: false))) == [Self.opened])
  }

  @Test func aPlaceBeyondTheEndIsBeforeIt() throws {
    var opening = MediaOpening(try place(["position": .double(1e300)]))
    #expect(
      opening.handle(.begins(player: player(at: 0, length: 100_000_000)))
        == [.setPosition(track: "/7", 99_000_000), .read])
  }

  @Test func whatDoesNotOpenInTimeFails() throws {
    for event in [MediaOpening.Event.overdue, .gone] {
      var opening = MediaOpening(try place())
      _ = opening.handle(.begins(player: nil))
      #expect(opening.handle(event) == [.ended(isOpen: false)])
      var other = MediaOpening(try place())
      _ = other.handle(.begins(player: PlayerProperties()))
      #expect(other.handle(.read(PlayerProperties())) == [.read])
      #expect(other.handle(event) == [.ended(isOpen: false)])
    }
  }

  @Test func O5_onlyFilesAndPagesAreOpened() {
    for uri in [
      "", "ftp://example.org/a", "file://other/a", "file:///a/../b", "edl://x", "/etc/hostname", "--script=x", "dvd://",
      "file:///etc/hostname?x", "file:///etc/%0ahostname%00", "https://me@example.org/", "javascript:1",
      "file:///" + String(repeating: "a", count: Limits.bridgeText),
    ] {
      #expect(MediaPlace([.string("uri"): .string(uri)]) == nil, "\(uri)")
    }
    #expect(MediaPlace([:]) == nil)
    #expect(OpenAddress("file:///dev/zero")?.isThere == false)
    #expect(OpenAddress("file:///tmp")?.isThere == false)
    #expect(OpenAddress("file:///nowhere")?.isThere == false)
    #expect(OpenAddress("file:///etc/hostname")?.isThere == true)
    #expect(OpenAddress("https://example.org/a")?.isThere == true)
  }

  @Test func O5_filesOfTheKernelAreNotOpened() throws {
    let link = "/tmp/segue-link-to-the-kernel-\(getpid())"
    try #require(symlink("/proc/self/status", link) == 0)
    defer { unlink(link) }
    // They count as regular, and some never end.
    for path in ["/proc/self/pagemap", "/proc/kmsg", "/sys/kernel/notes", link] {
      #expect(OpenAddress("file://" + path)?.isThere == false, "\(path)")
    }
  }

  @Test func numbersAreClamped() throws {
    #expect(try place(["position": .double(-1)]).position == nil)
    #expect(try place(["position": .double(.nan)]).position == nil)
    #expect(try place(["duration": .double(50)]).position == 50_000_000)
    #expect(try place(["rate": .double(1000)]).rate == 10)
    #expect(try place(["rate": .double(.infinity)]).rate == nil)
  }
}
