import SegueCore
import Testing

@Suite struct DocumentURLTests {
  @Test func C15_theDocumentThatUserInfoNames() {
    #expect(FileURL(documentIn: [.string("SegueDocumentURL"): .url("file:///a/b%20c.txt")])?.path == "/a/b c.txt")
    // Only a file's URL, and only as a URL.
    #expect(FileURL(documentIn: [.string("SegueDocumentURL"): .string("file:///a")]) == nil)
    #expect(FileURL(documentIn: [.string("SegueDocumentURL"): .url("http://a/b")]) == nil)
    #expect(FileURL(documentIn: [:]) == nil)
  }

  @Test func name() {
    #expect(FileURL("file:///a/b%20c.txt")?.name == "b c.txt")
    #expect(FileURL("file:///")?.name == "")
  }
}
