import SegueCore
import Testing

@Suite struct LinkAddressTests {
  @Test func addresses() {
    let good = ["192.0.2.1:1", "[2001:db8::1]:65535", "host.example:4711", "[fe80::1%eth0]:9", "localhost:0"]
    for text in good { #expect(LinkAddress(text)?.description == text) }
    for text in ["", ":", "host", "host:", "host:65536", "host:-1", "ho st:1", "::1:1", "[]:1", "a/b:1", "h:1x"] {
      #expect(LinkAddress(text) == nil, "\(text)")
    }
  }
}
