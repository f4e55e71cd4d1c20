import Glibc
import SegueBus
import SegueCore
import Testing

@testable import SegueBridge

@Suite struct WatchedFolderTests {
  /// A folder of its own, gone with the test.
  private final class Place {
    let path: String

    init() throws {
      var name = Array("/tmp/segue-watch-XXXXXX".utf8CString)
      path = try #require(mkdtemp(&name).map { String(cString: $0) })
    }

    deinit {
      for name in ["a", "one/two/three/b", "one/two/three", "one/two", "one", "other"] {
        remove(path + "/" + name)
      }
      rmdir(path)
    }

    func write(_ name: String) {
      guard let file = fopen(path + "/" + name, "w") else { return }
      fclose(file)
    }
  }

  private func wait(on loop: EventLoop, until isOver: () -> Bool) {
    let end = Instant.now + 10_000
    while !isOver(), Instant.now.time(until: end) > 0 { loop.wait(milliseconds: 100) }
  }

  @Test func aFileThatIsWrittenInItIsTold() throws {
    let (place, loop) = (try Place(), try EventLoop())
    var names: [String?] = []
    let watched = try WatchedFolder(place.path, on: loop) { names.append($0) }
    place.write("a")
    wait(on: loop) { names.count >= 2 }
    // Made, and closed.
    #expect(names == ["a", "a"])
    watched.cancel()
  }

  @Test func aFolderThatComesLaterIsWatchedFromThenOn() throws {
    let (place, loop) = (try Place(), try EventLoop())
    var names: [String?] = []
    let watched = try WatchedFolder(place.path + "/one/two/three", on: loop) { names.append($0) }
    mkdir(place.path + "/other", 0o700)
    mkdir(place.path + "/one", 0o700)
    mkdir(place.path + "/one/two", 0o700)
    mkdir(place.path + "/one/two/three", 0o700)
    wait(on: loop) { !names.isEmpty }
    #expect(names == [nil])
    place.write("one/two/three/a")
    wait(on: loop) { names.count >= 3 }
    #expect(names == [nil, "a", "a"])
    // It goes, and comes back.
    unlink(place.path + "/one/two/three/a")
    rmdir(place.path + "/one/two/three")
    mkdir(place.path + "/one/two/three", 0o700)
    wait(on: loop) { names.last == .some(nil) }
    place.write("one/two/three/b")
    wait(on: loop) { names.last == "b" }
    #expect(names.last == "b")
    watched.cancel()
  }
}
