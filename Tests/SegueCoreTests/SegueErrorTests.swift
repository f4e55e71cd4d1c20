import Foundation
import SegueCore
import Testing

@Suite struct SegueErrorTests {
  @Test func E_namesLeadBackToTheirCodes() {
    for code in SegueError.Code.all {
      #expect(SegueError.Code(busName: SegueError.Code.busPrefix + code.name) == code)
      #expect(InterfaceName(SegueError.Code.busPrefix + code.name) != nil)
    }
    #expect(Set(SegueError.Code.all).count == SegueError.Code.all.count)
    #expect(Set(SegueError.Code.all.map { $0.name }).count == SegueError.Code.all.count)
    for foreign in [
      "", "System", "org.segue.Error.", "org.segue.Error.None", "org.segue.error.System",
      "org.freedesktop.DBus.Error.NoReply", "org.segue.Error.System.x",
    ] { #expect(SegueError.Code(busName: foreign) == nil) }
  }

  /// A code of a newer peer.
  private static let newer = SegueError.Code(rawValue: 9_999)

  @Test func E1_namesAndNumbersAreThoseOfTheABI() throws {
    let header = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../include/segue/error.h")
    // SEGUE_ERROR_NOT_FOUND = 9002: NotFound is 9002.
    let constants = try String(contentsOf: header, encoding: .utf8).matches(of: /SEGUE_ERROR_([A-Z_]+) = (\d+)/)
    let declared = constants.map { match in
      match.1.split(separator: "_").map { $0.prefix(1) + $0.dropFirst().lowercased() }.joined() + " \(match.2)"
    }
    #expect(Set(declared) == Set(SegueError.Code.all.map { "\($0.name) \($0.rawValue)" }))
    #expect(declared.count == SegueError.Code.all.count)
    // It is told as what it is for us: some error.
    #expect(Self.newer.name == "System")
  }

  @Test(arguments: SegueError.Code.all + [newer])
  func E1_noErrorIsWithoutSentenceAndAdvice(_ code: SegueError.Code) {
    // An error whose maker left both out, or whose sender on another device sent neither.
    for error in [SegueError(code), SegueError(code, "", advice: "")] {
      #expect(error.message.hasSuffix("."))
      #expect(error.advice.count > 10)
      #expect(!error.hasOwnAdvice)
    }
    let own = SegueError(code, "No.", advice: "Wait.").about("a")
    #expect((own.message, own.advice, own.hasOwnAdvice) == ("a: No.", "Wait.", true))
  }

  @Test func E1_eachCodeHasAdviceOfItsOwn() {
    let codes = SegueError.Code.all + [Self.newer]
    #expect(Set(codes.map { SegueError($0).advice }).count == codes.count)
    #expect(Set(codes.map { SegueError($0).message }).count == codes.count)
  }
}

@Suite struct LimitsTests {
  @Test func whatIsBelowAnotherStaysBelow() {
    #expect(Limits.userInfoAdvised < Limits.userInfoInline)
    #expect(Limits.userInfoInline < Limits.userInfoMaximum)
    #expect(Limits.userInfoMaximum < Limits.decodedLength)
    #expect(Limits.userInfoInline < Limits.queuedBytes)
    #expect(Limits.keyLength < Limits.valueLength)
    #expect(Limits.valueLength < Limits.userInfoMaximum)
    #expect(Limits.titleAdvised < Limits.titleMaximum)
    #expect(Limits.frameLengthBeforeWelcome < Limits.frameLength)
    #expect(Limits.unauthenticatedPerSource < Limits.unauthenticatedConnections)
  }

  @Test func whoWaitsLongerHearsOfWhoWaitsLess() {
    // A save that times out is still told to the fetch, and a fetch to the claim.
    #expect(Limits.saveTime < Limits.fetchTime)
    #expect(Limits.fetchTime + Limits.containerTime < Limits.claimTime)
    #expect(Limits.launchTime + Limits.claimTime <= Limits.ticketTime)
    #expect(Limits.notRespondingTime < Limits.launchTime)
    #expect(Limits.busTime < Limits.callTime)
    #expect(Limits.dialTime < Limits.dialTimeMaximum)
  }

  @Test func X10_lossIsNoticedWithinSixSeconds() {
    #expect(Limits.silenceTime <= 6_000)
    #expect(Limits.heartbeatTime < Limits.silenceTime)
    #expect(Limits.pingTime + Limits.pongTime <= 6_000)
    #expect(Limits.dialTimeMaximum <= 30_000)
  }

  @Test func V13_aBurstIsOverWithinASecond() {
    #expect(Limits.announceInterval <= 1_000)
  }
}

@Suite struct IdentifierTests {
  private let id = Identifier(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)

  @Test func theTextIsTheBytesInOrder() {
    #expect(id.hex == "00112233445566778899aabbccddeeff")
    #expect(id.bytes == (0...15).map { UInt8($0 * 17) })
    #expect(Identifier(hex: id.hex) == id)
    #expect(Identifier(bytes: id.bytes) == id)
  }

  @Test(arguments: [0, 1, 15, 17, 32])
  func onlySixteenBytes(_ count: Int) {
    #expect(Identifier(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test(arguments: [
    "", "0", "00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeef",
    "00112233445566778899aabbccddeeff0", "0x112233445566778899aabbccddeeff", " 0112233445566778899aabbccddeeff",
    "00112233445566778899aabbccddee\u{0}f", "00112233-4455-6677-8899-aabbccddeeff",
  ])
  func malformedText(_ text: String) {
    #expect(Identifier(hex: text) == nil)
  }

  @Test func C16_noTwoAreAlike() {
    #expect(Set((0..<10_000).map { _ in Identifier.random() }).count == 10_000)
  }
}

@Suite struct AppIDNameTests {
  @Test func theLibraryOwnsASubName() throws {
    let id = try #require(AppID("com.example.Reader"))
    #expect(id.busName.string == "com.example.Reader")
    #expect(id.segueName.string == "com.example.Reader.Segue")
    #expect(BusName(id.segueName.string) == id.segueName)
    #expect(!id.segueName.isUnique)
    #expect(AppID(id.segueName.string)?.segueName.string == "com.example.Reader.Segue.Segue")
  }
}
