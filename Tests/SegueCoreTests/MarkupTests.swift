import SegueCore
import Testing

@Suite struct MarkupTests {
  @Test(arguments: [
    ("a", "a"), ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"), ("&amp;", "&amp;amp;"), ("", ""),
    ("e\u{301}<", "e\u{301}&lt;"),
  ])
  func plainTextStaysPlain(_ text: String, _ markup: String) { #expect(text.asMarkup == markup) }
}
