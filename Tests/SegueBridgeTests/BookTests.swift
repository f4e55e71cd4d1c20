import Glibc
import SegueBus
import SegueCore
import SegueWeb
import Testing

@testable import SegueBridge

@Suite struct BookTests {
  private func book(_ name: String, _ opened: String = "1") -> Book {
    guard let file = FileURL(path: "/books/" + name) else { preconditionFailure(name) }
    return Book(file: file, title: name, opened: opened)
  }

  // MARK: Places

  @Test func aPlaceIsTheStandardsAndCalibres() throws {
    let place = try #require(BookPlace(calibre: "epubcfi(/8/2/4/58/1:301)"))
    #expect(place.cfi == "epubcfi(/6/8!/4/58/1:301)")
    #expect(BookPlace(cfi: place.cfi) == place && place.calibre == "epubcfi(/8/2/4/58/1:301)")
    // The spine's entry may have an assertion, and steps too.
    #expect(
      BookPlace(cfi: "epubcfi(/6/8[chap03]!/4[body]/10[p^[5]/3:10)")?.calibre == "epubcfi(/8/2/4[body]/10[p^[5]/3:10)")
  }

  @Test func O5_aPlaceThatIsNoneIsNotUsed() {
    for text in [
      "", "epubcfi()", "epubcfi(/6/8)", "epubcfi(/6/7!/4)", "epubcfi(/6/8!4)", "epubcfi(/6/8!/4 --x)",
      "epubcfi(/6/8!/4,/2,/6)",
      "epubcfi(/6/8!/4'\u{0}')", "epubcfi(/6/-8!/4)", "epubcfi(/6/0!/4)", "--open-at=x", "search:word",
      "epubcfi(/4/8!/4)",
      "epubcfi(/6/99999999999999999999!/4)", "epubcfi(/6/8!/" + String(repeating: "4", count: Limits.bridgePlace) + ")",
    ] {
      #expect(BookPlace(cfi: text) == nil, "\(text)")
    }
    for text in ["epubcfi(/8/4/2)", "epubcfi(/8)", "epubcfi(/8/22)", "ref:1.2"] {
      #expect(BookPlace(calibre: text) == nil, "\(text)")
    }
  }

  @Test func placesAreInTheOrderOfTheBook() throws {
    let places = try [
      "epubcfi(/6/2!/4/2)", "epubcfi(/6/8!/4/2)", "epubcfi(/6/8!/4/2[a9]/1:3)", "epubcfi(/6/8!/4/2/1:20)",
      "epubcfi(/6/8!/4/10/1:1)", "epubcfi(/6/10!/2)",
    ].map { try #require(BookPlace(cfi: $0)) }
    #expect(places.reversed().sorted() == places)
  }

  // MARK: What is open

  @Test func theBookThatWasUsedLastIsInFront() {
    var desk = OpenBooks()
    desk.take([BookViewer(process: 1, file: book("a").file), BookViewer(process: 2, file: book("b").file)])
    #expect(desk.front == nil)
    desk.take([book("b"), book("a")])
    #expect(desk.front?.title == "b")
    desk.use(book("a").file)
    #expect(desk.front?.title == "a")
    desk.ended(1)
    #expect(desk.front?.title == "b")
    desk.ended(2)
    #expect(desk.front == nil)
  }

  @Test func aBookThatIsRememberedIsNotOpen() {
    var desk = OpenBooks()
    desk.take([book("a")])
    desk.take([BookViewer(process: 1, file: nil)])
    // The viewer shows what its user has read last, and none of it.
    #expect(desk.front == nil && !desk.has(book("a").file))
    desk.take([book("b"), book("a")])
    #expect(desk.front?.title == "b")
    // The same one is opened anew.
    desk.take([book("a", "2"), book("b")])
    #expect(desk.front?.title == "a")
    desk.ended(1)
    #expect(desk.front == nil && !desk.has(book("a").file))
  }

  @Test func noMoreBooksThanTheLimit() {
    var desk = OpenBooks()
    desk.take((0...Limits.bridgePlayers).map { book("\($0)") })
    desk.take((0...Limits.bridgePlayers).map { BookViewer(process: Int32($0), file: book("\($0)").file) })
    #expect(desk.files.count == Limits.bridgePlayers && desk.processes.count == Limits.bridgePlayers)
  }

  // MARK: Files

  private func node(_ text: String) throws -> JSONNode {
    try JSONReader.read(Array(text.utf8), .init(length: 4096, depth: 8, values: 4096, isOfJavaScript: true))
  }

  @Test func calibresFilesAreReadAsItWritesThem() throws {
    let books = CalibreFiles.books(
      try node(
        #"{"session_data": {"standalone_recently_opened": [{"key": "x", "pathtoebook": "/b/a book.epub", "#
          + #""timestamp": "2026", "title": "A Book"}, {"pathtoebook": "a.epub"}, {"pathtoebook": 7}, 7, {}]}}"#))
    #expect(books == [Book(file: try #require(FileURL(path: "/b/a book.epub")), title: "A Book", opened: "2026")])
    #expect(CalibreFiles.books(try node("[]")).isEmpty)
    let place = CalibreFiles.place(
      try node(
        #"[{"type": "bookmark", "pos": "epubcfi(/2/2/4)"}, {"pos": "epubcfi(/8/2/4)", "pos_type": "epubcfi", "#
          + #""type": "last-read"}]"#))
    #expect(place?.cfi == "epubcfi(/6/8!/4)")
    #expect(CalibreFiles.place(try node("{}")) == nil)
    // As calibre 6.13 has named it.
    #expect(
      CalibreFiles.name(of: try #require(FileURL(path: "/tmp/br/home/a book.epub")))
        == "74a03c72ee1bc5fed4366d283f6c8dbe0cc63b37d892bbc54f307a41dac656a4.json")
  }

  @Test func aFileThatIsDamagedOrTooLargeIsNone() throws {
    var name = Array("/tmp/segue-books-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&name).map { String(cString: $0) })
    let path = folder + "/" + CalibreFiles.settings
    defer {
      unlink(path)
      rmdir(folder)
    }
    let good = #"{"session_data": {"standalone_recently_opened": [{"pathtoebook": "/a.epub"}]}}"#
    for (text, count) in [
      (good, 1), (good + "x", 0), (good + String(repeating: " ", count: Limits.bridgeRecord), 0),
      (
        String(repeating: "[", count: Limits.bridgeDepth + 1) + String(repeating: "]", count: Limits.bridgeDepth + 1), 0
      ),
    ] {
      let file = try #require(fopen(path, "w"))
      fputs(text, file)
      fclose(file)
      #expect(CalibreFiles(folder: folder).books().count == count)
    }
  }

  @Test func aFileHasItsDigestUntilItChanges() throws {
    let path = "/tmp/segue-digest-\(getpid())"
    defer { unlink(path) }
    let url = try #require(FileURL(path: path))
    var digests = FileDigest()
    let missing = digests.digest(of: url)
    #expect(missing == nil)
    for (text, digest) in [
      ("a", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
      ("ab", "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603"),
    ] {
      let file = try #require(fopen(path, "w"))
      fputs(text, file)
      fclose(file)
      let found = digests.digest(of: url)
      #expect(found == "sha256:" + digest)
    }
    let other: [Value: Value] = [.string("digest"): .string("sha256:00")]
    let (fitsAny, fitsOther) = (digests.fits([:], url), digests.fits(other, url))
    #expect(fitsAny && !fitsOther)
    try #require(truncate(path, Limits.bridgeFile + 1) == 0)
    let large = digests.digest(of: url)
    #expect(large == nil)
    // It cannot be told.
    let fitsLarge = digests.fits(other, url)
    #expect(fitsLarge)
  }
}
