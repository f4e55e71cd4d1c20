import SegueCore
import Testing

@Suite struct IPAddressTests {
  private func bytes(_ text: String) -> [UInt8]? { IPAddress(text)?.bytes }

  @Test func numbersAreTheSameHoweverTheyAreWritten() {
    #expect(bytes("192.0.2.17") == [192, 0, 2, 17])
    let long: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
    for text in ["2001:db8::1", "2001:DB8::1", "2001:0db8:0:0:0:0:0:1", "2001:db8:0::0:1"] {
      #expect(bytes(text) == long)
    }
    #expect(bytes("::") == [UInt8](repeating: 0, count: 16))
    #expect(bytes("::1") == [UInt8](repeating: 0, count: 15) + [1])
    #expect(bytes("1::") == [0, 1] + [UInt8](repeating: 0, count: 14))
    #expect(bytes("1:2:3:4:5:6:7::")?.suffix(4) == [0, 7, 0, 0])
    #expect(bytes("1:2:3:4:5:6:7:8")?.suffix(2) == [0, 8])
  }

  @Test(arguments: [
    "", ".", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", "1.2.3.256", "01.2.3.4", "+1.2.3.4", "-0.2.3.4", "1.2.3.4 ",
    "0x1.2.3.4",
    "a.b.c.d", "desk", "٤.2.3.4", ":", ":::", "1:", ":1", "1::2::3", ":1::", "::1:", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4::5:6:7:8", "12345::", "g::", "+1::", "-1::", "fe80::1%eth0", "::ffff:1.2.3.4", "[::1]",
    "1111:2222:3333:4444:5555:6666:7777:88888",
  ])
  func anythingElseIsNone(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test func whatIsOneMachines() {
    for text in [
      "10.0.0.1", "100.64.0.1", "169.254.1.1", "127.0.0.1", "223.255.255.255", "fd00::1", "2001:db8::1", "::1",
    ] {
      #expect(IPAddress(text)?.isUnicast == true, "\(text)")
    }
    for text in [
      "0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "ff02::1", "fe80::1", "febf::1",
    ] {
      #expect(IPAddress(text)?.isUnicast == false, "\(text)")
    }
    // IPv4 as IPv6 has it: what is none as the one is none as the other.
    #expect(IPAddress("::ffff:7f00:1")?.isUnicast == false)
    #expect(IPAddress("::7f00:1")?.isUnicast == false)
    for text in ["127.0.0.1", "127.255.0.9", "::1"] { #expect(IPAddress(text)?.isLoopback == true) }
    for text in ["126.0.0.1", "::2", "::", "1::1"] { #expect(IPAddress(text)?.isLoopback == false) }
  }
}
