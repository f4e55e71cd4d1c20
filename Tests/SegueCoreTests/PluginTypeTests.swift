import SegueCore
import Testing

@Suite struct PluginTypeTests {
  private func objection(_ signature: String, _ value: Value) throws -> String? {
    try PluginType(signature: signature).objection(to: value)
  }

  /// The least and the greatest integer of each type, and the next ones beyond.
  static let ranges: [(String, Int64, Int64)] = [
    ("C", -128, 127), ("y", 0, 255), ("n", -32_768, 32_767), ("q", 0, 65_535), ("i", -2_147_483_648, 2_147_483_647),
    ("u", 0, 4_294_967_295), ("x", .min, .max), ("t", 0, .max),
  ]

  @Test(arguments: ranges)
  func range(_ signature: String, _ least: Int64, _ greatest: Int64) throws {
    for integer in [least, greatest, 0, 1] { #expect(try objection(signature, .integer(integer)) == nil) }
    let name = try PluginType(signature: signature).element.name
    for beyond in [least.subtractingReportingOverflow(1), greatest.addingReportingOverflow(1)] where !beyond.overflow {
      #expect(try objection(signature, .integer(beyond.partialValue)) == "\(beyond.partialValue) is beyond \(name)")
      let inside: Value = .array([.integer(0), .integer(beyond.partialValue)])
      if signature != "y" {
        #expect(try objection("a" + signature, inside) == "at 1, \(beyond.partialValue) is beyond \(name)")
      }
    }
    #expect(try objection(signature, .double(1)) == "a double is not \(name)")
    #expect(try objection(signature, .bool(true)) == "a bool is not \(name)")
    #expect(try objection(signature, .null) == "null is not \(name)")
    #expect(try objection("m" + signature, .null) == nil)
    #expect(try objection("m" + signature, .string("1")) == "a string is not \(name)")
  }

  /// One of each kind, and the signatures that take it.
  static let kinds: [(Value, String)] = [
    (.null, "v"), (.bool(true), "bv"), (.integer(1), "CynqiuxtFdv"), (.double(1), "Fdv"), (.string("x:"), "sv"),
    (.data([1]), "v"), (.date(1), "Dv"), (.url("x:"), "Uv"), (.uuid(Identifier.random()), "v"), (.array([]), "v"),
    (.set([]), "v"), (.dictionary([:]), "v"),
  ]

  @Test func everyKindAgainstEveryType() throws {
    for (value, takers) in Self.kinds {
      for element in PluginType.Element.allCases {
        let isTaken = takers.contains(element.letter)
        let objection = PluginType(element).objection(to: value)
        #expect((objection == nil) == isTaken, "\(value) as \(element)")
        if !isTaken { #expect(objection == "\(value.kind.name) is not \(element.name)") }
        guard element.mayBeElement else { continue }
        let array = PluginType(element, isArray: true)
        if array.isData {
          #expect(array.objection(to: value) == (value.data == nil ? "\(value.kind.name) is not data" : nil))
          #expect(array.objection(to: .array([value])) == "an array is not data")
        } else {
          #expect(array.objection(to: value) == (value.array == nil ? "\(value.kind.name) is not an array" : nil))
          #expect(array.objection(to: .array([value])) == objection.map { "at 0, \($0)" })
        }
      }
    }
  }

  @Test func optional() throws {
    for element in PluginType.Element.allCases where element != .value {
      #expect(PluginType(element).objection(to: .null) == "null is not \(element.name)")
      #expect(PluginType(element, isOptional: true).objection(to: .null) == nil)
      guard element.mayBeElement else { continue }
      #expect(PluginType(element, isArray: true).objection(to: .null) != nil)
      #expect(PluginType(element, isArray: true, isOptional: true).objection(to: .null) == nil)
      // Optional is the array, not what is in it.
      if element != .uint8 {
        #expect(PluginType(element, isArray: true, isOptional: true).objection(to: .array([.null])) != nil)
      }
    }
  }

  @Test func numbers() throws {
    for number in [0, -0.0, 1.5, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
      #expect(try objection("d", .double(number)) == nil)
    }
    for number in [0, 0.1, .nan, .infinity, -.infinity, Double(Float.greatestFiniteMagnitude), .leastNonzeroMagnitude] {
      #expect(try objection("F", .double(number)) == nil)
    }
    #expect(try objection("F", .double(3.5e38)) == "3.5e+38 is beyond a float")
    #expect(try objection("F", .double(-.greatestFiniteMagnitude))?.contains("is beyond a float") == true)
    #expect(try objection("aF", .array([.double(1), .double(3.5e38)])) == "at 1, 3.5e+38 is beyond a float")
    // Integers must be exact: 2^53 + 1 is no double, 2^24 + 1 no float.
    #expect(try objection("d", .integer(1 << 53)) == nil)
    #expect(try objection("d", .integer(.min)) == nil)
    #expect(try objection("d", .integer((1 << 53) + 1)) == "9007199254740993 is not exactly a double")
    #expect(try objection("d", .integer(.max)) == "9223372036854775807 is not exactly a double")
    #expect(try objection("F", .integer(1 << 24)) == nil)
    #expect(try objection("F", .integer((1 << 24) + 1)) == "16777217 is not exactly a float")
    #expect(try objection("ad", .array([.integer(.max)])) == "at 0, 9223372036854775807 is not exactly a double")
  }

  @Test func dates() throws {
    #expect(try objection("D", .date(-1.5)) == nil)
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(try objection("D", .date(number)) == "the date is not finite")
    }
    #expect(try objection("D", .double(1)) == "a double is not a date")
  }

  @Test func texts() throws {
    #expect(try objection("s", .string("")) == nil)
    #expect(try objection("s", .string("a\u{0}b")) == "its text has a NUL inside")
    #expect(try objection("U", .url("x:\u{0}")) == "its text has a NUL inside")
    #expect(try objection("ms", .string("\u{0}")) == "its text has a NUL inside")
    #expect(try objection("as", .array([.string("a"), .string("\u{0}")])) == "at 1, its text has a NUL inside")
    // Data may be anything.
    #expect(try objection("ay", .data([0, 0xFF])) == nil)
    #expect(try objection("s", .url("x:")) == "a URL is not a string")
    #expect(try objection("U", .string("x:")) == "a string is not a URL")
  }

  @Test func lengths() throws {
    let longest = String(repeating: "a", count: Limits.valueLength)
    #expect(try objection("s", .string(longest)) == nil)
    let tooLong = "it has \(Limits.valueLength + 1) bytes, more than \(Limits.valueLength)"
    #expect(try objection("s", .string(longest + "a")) == tooLong)
    #expect(try objection("U", .url("x:" + longest.dropFirst())) == tooLong)
    #expect(try objection("as", .array([.string(longest + "a")])) == "at 0, " + tooLong)
    #expect(try objection("ay", .data([UInt8](repeating: 0, count: Limits.valueLength))) == nil)
    #expect(try objection("ay", .data([UInt8](repeating: 0, count: Limits.valueLength + 1))) == tooLong)
    #expect(try objection("au", .array([Value](repeating: 1, count: Limits.pluginElements))) == nil)
    #expect(
      try objection("au", .array([Value](repeating: 1, count: Limits.pluginElements + 1)))
        == "it has \(Limits.pluginElements + 1) elements, more than \(Limits.pluginElements)")
  }
}
