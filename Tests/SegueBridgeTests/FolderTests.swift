import Glibc
import SegueBus
import SegueCore
import Testing

@testable import SegueBridge

@Suite struct FolderTests {
  private func front(_ steps: [[String]]) -> String? {
    var desk = OpenFolders()
    for step in steps { desk.take(step) }
    return desk.front?.string
  }

  @Test func theFolderThatIsNewIsInFront() {
    let (one, two, three) = ("file:///a", "file:///b", "file:///c")
    #expect(front([[]]) == nil)
    #expect(front([[two, one]]) == two)
    #expect(front([[one], [two, one]]) == two)
    // The user goes on in the other window.
    #expect(front([[two, one], [two, three]]) == three)
    // Nothing but its window has gone.
    #expect(front([[one], [two, one], [one]]) == one)
    #expect(front([[one], []]) == nil)
    // A window that is closed leaves the one in front where it is.
    #expect(front([[one], [two, one], [two]]) == two)
  }

  @Test func whatIsNoFolderOfThisDeviceIsNotOnOffer() {
    #expect(front([["file:///a"], ["trash:///", "file:///a"]]) == nil)
    #expect(front([["sftp://me@host/a"]]) == nil)
    #expect(front([["file:///a/../b"]]) == nil)
  }

  @Test func noMoreFoldersThanTheLimit() {
    var desk = OpenFolders()
    desk.take((0...Limits.bridgeLocations).map { "file:///\($0)" })
    #expect(desk.has(FileURL("file:///\(Limits.bridgeLocations - 1)")))
    #expect(!desk.has(FileURL("file:///\(Limits.bridgeLocations)")))
  }

  @Test func locationsAreThoseOfAllWindows() {
    let window = { (name: String, places: [String]) in
      BusValue.structure([.string(name), .array(elementSignature: "s", places.map { .string($0) })])
    }
    let value = BusValue.array(
      elementSignature: "{sas}", [window("/2", ["file:///b", "file:///c"]), window("/1", ["file:///a"])])
    #expect(OpenFolders.locations(value) == ["file:///b", "file:///c", "file:///a"])
    #expect(OpenFolders.locations(.string("file:///a")).isEmpty)
    #expect(OpenFolders.locations(.array(elementSignature: "s", [.string("file:///a")])).isEmpty)
  }

  @Test func O5_selectedNamesAreNamesInTheFolder() throws {
    let names = ["hostname", "../etc", "passwd/", "..", ".", "", "nowhere"].map { Value.string($0) } + [.integer(1)]
    let place = try #require(
      FolderPlace([.string("uri"): .url("file:///etc"), .string("selected"): .array(names)]))
    #expect(place.selected == ["hostname", "nowhere"])
    #expect(place.item?.path == "/etc/hostname")
    #expect(FolderPlace([.string("uri"): .url("https://example.org/")]) == nil)
    #expect(try #require(FolderPlace([.string("uri"): .url("file:///etc/")])).item == nil)
    let many = Array(repeating: Value.string("a"), count: Limits.bridgeLocations + 1)
    let large = try #require(FolderPlace([.string("uri"): .url("file:///"), .string("selected"): .array(many)]))
    #expect(large.selected.count == Limits.bridgeLocations && large.item == nil)
  }

  @Test func O5_aFolderIsNoFileAndNoneOfTheKernel() {
    #expect(OpenAddress("file:///etc")?.isFolder == true)
    for path in ["/etc/hostname", "/proc", "/proc/self/fd", "/sys/kernel", "/nowhere", "/dev/null"] {
      #expect(OpenAddress("file://" + path)?.isFolder == false, "\(path)")
    }
    #expect(OpenAddress("https://example.org/")?.isFolder == false)
  }
}
