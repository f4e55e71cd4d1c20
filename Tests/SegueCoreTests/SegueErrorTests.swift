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

  @Test func E_numbersAreStable() {
    let numbers: [(SegueError.Code, Int32)] = [
      (.handoffFailed, 4608), (.connectionUnavailable, 4609), (.remoteApplicationTimedOut, 4610),
      (.handoffUserInfoTooLarge, 4611), (.userCancelled, 3072), (.invalidArgument, 9001), (.notFound, 9002),
      (.invalidated, 9003), (.accessDenied, 9004), (.limitExceeded, 9005), (.noApplication, 9006),
      (.launchFailed, 9007), (.launchTimedOut, 9008), (.applicationExited, 9009), (.nameTaken, 9010),
      (.versionMismatch, 9011), (.protocolViolation, 9012), (.system, 9013), (.notHandled, 9014),
      (.pluginFailed, 9015),
    ]
    #expect(numbers.count == SegueError.Code.all.count)
    for (code, number) in numbers { #expect(code.rawValue == number) }
    // A code of a newer peer is told as what it is for us: some error.
    #expect(SegueError.Code(rawValue: 9_999).name == "System")
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
    #expect(Limits.strangersPerSource < Limits.strangers)
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
