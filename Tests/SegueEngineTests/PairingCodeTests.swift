import SegueCore
import SegueEngine
import Testing

struct PairingCodeTests {
  @Test func aCodeThatIsShownFitsItsPicture() throws {
    let texts = ["192.168.178.23:19736", "10.8.0.2:19736", "[2001:db8:1234:5678:9abc:def0:1234:5678]:19736"]
    let addresses = try texts.map { try #require(LinkAddress($0)) }
    func brief(_ addresses: [LinkAddress]) -> PairingCode {
      PairingCode(
        device: Trial.other, secret: [UInt8](repeating: 7, count: 16), expires: 1_800_000_000, addresses: addresses
      ).brief
    }
    for count in 0...3 {
      let code = brief(Array(addresses.prefix(count)))
      #expect(code.text.utf8.count <= Limits.pairingPictureLength)
      #expect(code.addresses == Array(addresses.prefix(min(count, 2))))
      #expect(try PairingCode(code.text) == code)
    }
    #expect(brief([addresses[2], addresses[0]]).addresses == [addresses[2]])
  }
}
