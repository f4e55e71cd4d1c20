import SegueCore
import Testing

@Suite struct DomainNameTests {
  @Test(arguments: ["example.com", "a.b", "xn--bcher-kva.example", "1and1.com", "a-b.c-d.example", "3.141.example"])
  func names(_ name: String) { #expect(DomainName(name)?.string == name) }

  @Test(arguments: [
    "", ".", "com", "localhost", ".example.com", "example.com.", "a..b", "Example.com", "bücher.example", "-a.example",
    "a-.example", "a_b.example", "192.0.2.1", "example.com:443", "user@example.com", "example.com/", "*.example.com",
    "exa mple.com", "[::1]", "a.b\u{0}", "../etc",
  ])
  func attack48_whatIsNoName(_ name: String) { #expect(DomainName(name) == nil) }

  @Test func lengths() {
    let label = String(repeating: "a", count: 63)
    #expect(DomainName("\(label).com") != nil)
    #expect(DomainName("\(label)a.com") == nil)
    let long = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
    #expect(long.utf8.count == Limits.domainLength)
    #expect(DomainName(long) != nil)
    #expect(DomainName(long + "b") == nil)
  }

  @Test func claims() {
    for text in ["activitycontinuation:example.com", "applinks:example.com", "applinks:*.example.com"] {
      #expect(AssociatedDomain(text)?.string == text)
    }
    #expect(AssociatedDomain("applinks:*.example.com")?.isWildcard == true)
    for text in [
      "example.com", "webcredentials:example.com", "applinks:", "applinks:*", "applinks:*.com", "applinks:a.*.com",
      "applinks:https://example.com", "applinks:example.com:443", "Applinks:example.com", "applinks:*example.com",
      "applinks:example.com?mode=developer",
    ] {
      #expect(AssociatedDomain(text) == nil, "\(text)")
    }
  }
}
