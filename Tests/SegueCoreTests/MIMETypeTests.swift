import SegueCore
import Testing

@Suite struct MIMETypeTests {
  @Test func mimeTypes() {
    for type in ["text/plain", "application/vnd.oasis.opendocument.text", "image/svg+xml", "x-content/unix-software"] {
      #expect(MIMEType(type)?.string == type)
    }
    #expect(MIMEType("Text/HTML") == MIMEType("text/html"))
    let long = "a/" + String(repeating: "b", count: 254)
    for type in ["", "text", "text/", "/plain", "a/b/c", "a/b; charset=x", "a/b c", "a/ä", "a=b/c", "a/\u{1}", long] {
      #expect(MIMEType(type) == nil, "\(type)")
    }
  }
}
