import SegueCore
import Testing

@testable import SegueDaemon

/// On which interfaces a device listens, and so is announced (network.md D2).
@Suite struct InterfacesTests {
  private let lan: MachineInterface

  init() throws {
    let networks = try ["192.0.2.7/24", "2001:db8::7/64", "fe80::7/64"].map { try #require(IPNetwork($0)) }
    lan = MachineInterface(index: 3, name: "eth0", networks: networks)
  }

  @Test(arguments: [
    ("0.0.0.0:1", ["192.0.2.7"]), ("[::]:1", ["192.0.2.7", "2001:db8::7", "fe80::7"]),
    ("192.0.2.7:1", ["192.0.2.7"]), ("192.0.2.8:1", []), ("[2001:db8::7]:1", ["2001:db8::7"]),
    // With the interface's name, or its number.
    ("[fe80::7%eth0]:1", ["fe80::7"]), ("[fe80::7%3]:1", ["fe80::7"]), ("[fe80::7%eth1]:1", []),
    ("[fe80::8%eth0]:1", []), ("desk:1", []),
  ]) func D2_anInterfaceIsListenedOnAtTheAddressesThatAreNamed(listening: String, addresses: [String]) throws {
    let found = lan.networks(of: try #require(LinkAddress(listening)))
    #expect(found.map { $0.address.text } == addresses)
  }
}
