import SegueCore
import Testing

@testable import SegueBridge

@Suite struct ReadingTests {
  private static let uri = "file:///tmp/a%20book.pdf"

  private func place(_ more: [String: Value] = ["page": .integer(13)]) throws -> ReadingPlace {
    var entries: [Value: Value] = [.string("uri"): .url(Self.uri)]
    for (key, value) in more { entries[.string(key)] = value }
    return try #require(ReadingPlace(entries))
  }

  private func window(_ page: Int, of pages: Int = 20, _ uri: String = uri) -> ReaderProperties {
    ReaderProperties(file: FileURL(uri), page: page, pages: pages)
  }

  @Test func aWindowIsLaunchedOpensAndGoesToThePage() throws {
    var opening = ReadingOpening(try place())
    #expect(opening.handle(.begins(window: nil)) == [.launch])
    #expect(opening.handle(.read(window(1))).isEmpty)
    #expect(opening.handle(.started) == [.open(page: 13), .read])
    // It has not loaded it yet.
    #expect(opening.handle(.read(ReaderProperties(file: nil, page: 0, pages: 0))) == [.read])
    #expect(opening.handle(.read(window(0, of: 0))) == [.read])
    #expect(opening.handle(.read(window(1))) == [.go(page: 13), .read])
    #expect(opening.handle(.read(window(13))) == [.ended(isOpen: true)])
    #expect(opening.handle(.overdue).isEmpty)
  }

  @Test func aWindowThatHasItGoesOn() throws {
    var opening = ReadingOpening(try place())
    #expect(opening.handle(.begins(window: window(3))) == [.go(page: 13), .read])
    #expect(opening.handle(.read(window(13))) == [.ended(isOpen: true)])
  }

  @Test(arguments: [13, 14, 20]) func O2_aLaterPageStays(page: Int) throws {
    var opening = ReadingOpening(try place())
    #expect(opening.handle(.begins(window: window(page))) == [.ended(isOpen: true)])
  }

  @Test func aReaderThatStaysWhereItIsIsLeftThere() throws {
    var opening = ReadingOpening(try place())
    _ = opening.handle(.begins(window: window(1)))
    var effects: [ReadingOpening.Effect] = []
    for _ in 0...Limits.bridgeSeeks { effects += opening.handle(.read(window(1))) }
    #expect(effects.last == .ended(isOpen: true))
    #expect(effects.count { $0 == .go(page: 13) } == Limits.bridgeSeeks)
  }

  @Test func whatDoesNotOpenInTimeFails() throws {
    for event in [ReadingOpening.Event.overdue, .gone] {
      var opening = ReadingOpening(try place())
      _ = opening.handle(.begins(window: nil))
      #expect(opening.handle(event) == [.ended(isOpen: false)])
    }
  }

  @Test func pagesAreClamped() throws {
    #expect(try place().page(of: 5) == 5)
    #expect(try place(["page": .integer(-1)]).page(of: 5) == 1)
    #expect(try place(["page": .integer(.max)]).page(of: 5) == 1)
    #expect(try place(["page": .double(3)]).page(of: 5) == 1)
    #expect(try place(["fraction": .double(0.5)]).page(of: 20) == 11)
    #expect(try place(["fraction": .double(1)]).page(of: 20) == 20)
    #expect(try place(["fraction": .double(.nan)]).page(of: 20) == 1)
    #expect(try place(["page": .integer(2), "fraction": .double(0.9)]).page(of: 20) == 2)
    #expect(try place().page(of: 0) == 1)
  }

  @Test func O5_aPageOfTheWebIsForABrowser() {
    #expect(ReadingPlace([.string("uri"): .url("https://example.org/a.pdf")]) == nil)
    #expect(ReadingPlace([.string("uri"): .url("file:///a/../b")]) == nil)
  }

  @Test func theStateHasPageAndFraction() {
    let state = window(11).userInfo
    #expect(state?[.string("uri")] == .url(Self.uri))
    #expect(state?[.string("page")] == .integer(11) && state?[.string("fraction")] == .double(0.5))
    #expect(window(0, of: 0).userInfo == [.string("uri"): .url(Self.uri)])
    #expect(ReaderProperties(file: nil, page: 1, pages: 1).userInfo == nil)
  }

  @Test(arguments: [
    ("attributes:\n  metadata::evince::page: 12\n", 13), ("  metadata::evince::page: 0", 1),
    // The name of a file may have lines.
    ("local path: /a\n  metadata::evince::page: 3\nattributes:\n  metadata::evince::page: 4\n", 5),
  ]) func evincesPageIsFound(output: String, page: Int) { #expect(EvinceBridge.page(in: Array(output.utf8)) == page) }

  @Test(arguments: [
    "", "attributes:\n", "  metadata::evince::page: -1\n", "  metadata::evince::page: x\n",
    "  metadata::evince::page: 99999999999\n", "metadata::evince::page: 1\n",
  ]) func aPageThatIsNoneIsNotUsed(output: String) { #expect(EvinceBridge.page(in: Array(output.utf8)) == nil) }
}
