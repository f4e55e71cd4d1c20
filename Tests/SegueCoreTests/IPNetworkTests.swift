import SegueCore
import Testing

@Suite struct IPNetworkTests {
  @Test(arguments: [
    ("192.0.2.1/24", "192.0.2.255", true), ("192.0.2.1/24", "192.0.3.1", false), ("192.0.2.1/25", "192.0.2.128", false),
    ("192.0.2.1/32", "192.0.2.1", true), ("192.0.2.1/32", "192.0.2.0", false), ("0.0.0.0/0", "203.0.113.9", true),
    ("192.0.2.1/0", "::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
    ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "192.0.2.1", false), ("::/0", "2001:db8::1", true),
    ("2001:db8::1/128", "2001:db8::1", true), ("10.255.0.1/12", "10.240.0.1", true),
    ("10.255.0.1/12", "10.239.0.1", false),
  ])
  func aNetworkContainsWhatBeginsAsItDoes(_ network: String, _ address: String, _ isIn: Bool) throws {
    #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == isIn)
  }

  @Test(arguments: [
    "", "/", "192.0.2.1", "192.0.2.1/", "/24", "192.0.2.1/33", "::/129", "192.0.2.1/-1", "192.0.2.1/+1",
    "192.0.2.1/1/2",
    "192.0.2.1/0024", "192.0.2/24", "host/24",
  ])
  func whatIsNoNetwork(_ text: String) { #expect(IPNetwork(text) == nil) }
}
