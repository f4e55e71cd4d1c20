import SegueCore
import SegueEngine
import Testing

@Suite struct DiscoverySettingsTests {
  @Test func theSettingsOfDiscovery() throws {
    func read(_ text: String) throws -> DiscoverySettings {
      var settings = DiscoverySettings()
      try settings.read(try KeyFile(Array("[Discovery]\n\(text)\n".utf8)))
      return settings
    }
    let usual = try read("")
    #expect(usual.isOn && usual.skippedNetworks == [])
    #expect(
      usual.isOutside("eth0") && usual.isOutside("wg0") && !usual.isOutside("docker0") && !usual.isOutside("br-1"))
    let given = try read("Enabled=false\nSkipInterfaces=wg;\nSkipNetworks=192.0.2.0/24;fd00::/8;")
    #expect(!given.isOn && given.isOutside("docker0") && !given.isOutside("wg0"))
    #expect(given.skippedNetworks == [IPNetwork("192.0.2.0/24"), IPNetwork("fd00::/8")].compactMap { $0 })
    for bad in ["Enabled=perhaps", "SkipInterfaces=;", "SkipNetworks=home;", "SkipNetworks=192.0.2.0;"] {
      #expect(throws: SegueError.self) { try read(bad) }
    }
  }
}
