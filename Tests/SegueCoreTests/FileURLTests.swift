import SegueCore
import Testing

struct FileURLTests {
  @Test(arguments: [
    ("file:///home/u/a.txt", "/home/u/a.txt"),
    ("file://localhost/home/u/a.txt", "/home/u/a.txt"),
    ("FILE://LocalHost/a", "/a"),
    ("file:///a%20b/%C3%A9", "/a b/é"),
    ("file:///a b/é", "/a b/é"),
    ("file:///a/", "/a"),
    ("file:///", "/"),
    ("file:///a%25", "/a%"),
    ("file:///a%3fb%23", "/a?b#"),
    ("file:///...", "/..."),
  ])
  func R8_aPath(_ url: String, _ path: String) {
    #expect(FileURL(url)?.path == path)
  }

  @Test(arguments: [
    "", "file:", "file://", "file:/a", "file:a", "/a", "http:///a", "file://host/a", "file://localhosta/a",
    "file://localhost", "file://user@localhost/a", "file://localhost:80/a", "file:///a/../b", "file:///a/./b",
    "file:///a/%2e%2E/b", "file:///..", "file:///a//b", "file:////a", "file:///a//", "file:///a%2fb", "file:///a%2F..",
    "file:///a%00", "file:///a%", "file:///a%4", "file:///a%zz", "file:///a%FF", "file:///a?q", "file:///a#f",
    "file:///a\nb", "file:///" + String(repeating: "n", count: 256), "file:///" + String(repeating: "nn/", count: 1400),
  ])
  func R8_noPath(_ url: String) {
    #expect(FileURL(url) == nil)
  }

  @Test func R8_aPathAndItsURL() throws {
    for path in ["/", "/a", "/a b/ü#?%;&=+@:!$'()*,\\/~._-", "/\u{1}"] {
      let url = try #require(FileURL(path: path))
      #expect(url.path == path)
      if !path.contains("\u{1}") { #expect(FileURL(url.string) == url) }
      #expect(Value.isURL(url.string))
      #expect(url.string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
    #expect(FileURL(path: "/a ü")?.string == "file:///a%20%C3%BC")
    #expect(FileURL(path: "/a/")?.path == "/a")
    for path in ["", "a", "./a", "/a/..", "//", "/a//b", "/a\0"] { #expect(FileURL(path: path) == nil) }
  }
}
