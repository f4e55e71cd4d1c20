import Foundation
import SegueBus
import SegueControl
import Testing

@testable import segue

@Suite struct JSONTextTests {
  @Test func `Foundation reads every string back`() throws {
    let strings = [
      "", "plain", "\"quoted\" \\ back/slash", "line\nend\r\ttab", "\u{0}\u{1b}[31mred\u{7f}\u{9b}",
      "\u{202E}turned\u{2066}",
      "\u{2028}\u{2029}", "日本語 🎉 é", "\u{10FFFF}",
    ]
    for string in strings {
      let text = JSONText.string(string)
      let read = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      #expect(read as? String == string, "\(text)")
    }
  }

  @Test func `nothing that a terminal obeys stays as it is`() {
    for value in Array(0..<0xA0) + [0x061C, 0x200E, 0x202E, 0x2028, 0x2069] {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      for printed in JSONText.string(String(Character(scalar))).unicodeScalars {
        #expect(printed.value >= 0x20 && !(0x7F...0x9F).contains(printed.value))
        #expect(!(0x2028...0x202E).contains(printed.value) && printed.value != 0x061C)
      }
    }
  }

  @Test func `values of every kind become JSON`() {
    let dictionary: BusDictionary = [
      "b": .bool(true), "y": .byte(255), "n": .int16(-1), "q": .uint16(1), "i": .int32(.min), "u": .uint32(.max),
      "x": .int64(.min), "t": .uint64(.max), "d": .double(1.5), "inf": .double(.infinity), "s": .string("text"),
      "as": .strings(["a", "b"]), "ay": .bytes([0, 1]), "v": .variant(.bool(false)),
      "a{sv}": .dictionary(["k": .string("v")]),
      "r": .structure([.byte(1), .string("")]),
    ]
    let text = """
      {"b":true,"y":255,"n":-1,"q":1,"i":-2147483648,"u":4294967295,"x":-9223372036854775808,\
      "t":18446744073709551615,"d":1.5,"inf":null,"s":"text","as":["a","b"],"ay":[0,1],"v":false,\
      "a{sv}":{"k":"v"},"r":[1,""]}
      """
    #expect(JSONText.object(dictionary) == text)
    #expect(JSONText.array([DeviceRow]()) == "[]")
  }

  @Test func `of two entries with one name the first counts`() {
    #expect(JSONText.object(BusDictionary([("a", .byte(1)), ("a", .byte(2))])) == #"{"a":1}"#)
  }
}
