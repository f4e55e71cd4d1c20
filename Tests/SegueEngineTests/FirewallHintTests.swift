import SegueCore
import Testing

@testable import SegueEngine

/// The hint at a firewall that may be in the way (network.md D4).
@Suite struct FirewallHintTests {
  private func hint(
    reached: Bool = false, reachedUs: Bool = false, isUnreached: Bool = true, dialled: [String] = ["10.0.0.7:19736"],
    own: [String] = ["10.0.0.1:19736"]
  ) throws -> String? {
    var contact = Contact()
    contact.reached = reached ? LinkAddress("10.0.0.7:19736") : nil
    contact.reachedUs = reachedUs ? 1 : nil
    func list(_ texts: [String]) throws -> [LinkAddress] { try texts.map { try #require(LinkAddress($0)) } }
    return FirewallHint.sentence(
      contact, dialled: try list(dialled), own: try list(own), isUnreached: isUnreached)
  }

  @Test func D4_neitherHasReachedTheOtherOnOneNetwork() throws {
    let sentence = try #require(try hint())
    #expect(sentence.contains("neither device has ever reached the other"))
    #expect(
      sentence.hasSuffix(
        "on one of the two, run: sudo ufw allow segue, or: sudo firewall-cmd --add-service=segue --permanent && sudo "
          + "firewall-cmd --reload"))
    #expect(try hint(dialled: ["[fd00::7]:1"], own: ["10.0.0.1:1", "[fd00::1]:1"]) != nil)
    // The other device may be anywhere.
    for dialled in [["10.0.1.7:1"], ["[fd00:1::7]:1"], ["desk:1"], []] { #expect(try hint(dialled: dialled) == nil) }
    #expect(try hint(dialled: ["127.0.0.1:1"], own: ["127.0.0.1:2"]) == nil)
    #expect(try hint(own: []) == nil)
  }

  @Test func D4_itReachesThisOneAndIsNotReached() throws {
    let sentence = try #require(try hint(reachedUs: true, dialled: ["192.0.2.7:4711"]))
    #expect(sentence.contains("It has reached this device, but was never reached from here"))
    #expect(sentence.contains("on that device, run: sudo ufw allow 4711/tcp, or: "))
    #expect(sentence.contains("sudo firewall-cmd --add-port=4711/tcp "))
    #expect(try #require(try hint(reachedUs: true)).contains("sudo ufw allow segue"))
    // The other device was never dialled.
    #expect(try hint(reachedUs: true, dialled: []) == nil)
  }

  @Test func D4_nothingIsSaidWithoutASign() throws {
    #expect(try hint(isUnreached: false) == nil)
    #expect(try hint(reachedUs: true, isUnreached: false) == nil)
    #expect(try hint(reached: true) == nil)
    #expect(try hint(reached: true, reachedUs: true) == nil)
  }
}
