import SegueControl
import SegueCore
import Testing

@Suite struct PhoneTests {
  @Test func X13_aPhonesIDSaysItsProgram() throws {
    for program in PhoneProgram.allCases {
      let id = try #require(PhoneID(program, "a_B-9"))
      #expect(id.string == "\(program.rawValue):a_B-9" && PhoneID(id.string) == id)
    }
  }

  @Test(arguments: [
    "", "kdeconnect", "kdeconnect:", "other:a", "kdeconnect:a/b", "kdeconnect:a b", "kdeconnect:ä", "KDECONNECT:a",
  ])
  func X13_otherTextsAreNone(_ text: String) { #expect(PhoneID(text) == nil) }

  @Test func X13_anIDHasABound() {
    #expect(PhoneID(.valent, String(repeating: "a", count: Limits.keyLength)) != nil)
    #expect(PhoneID(.valent, String(repeating: "a", count: Limits.keyLength + 1)) == nil)
  }
}
