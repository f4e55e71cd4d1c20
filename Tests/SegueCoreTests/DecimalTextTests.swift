import SegueCore
import Testing

/// Numbers as they are written in defaults, which is where they are read.
@Suite struct DecimalTextTests {
  private func value(_ signature: String, _ text: String) throws -> Value? {
    let type = try PluginType(signature: signature)
    let property = try? PluginProperty(key: "k", type: type, isRequired: false, isPortable: true, defaultText: text)
    return property?.defaultValue
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("007", 7), ("9223372036854775807", .max),
      ("-9223372036854775808", .min),
    ] as [(String, Int64)])
  func integers(_ text: String, _ expected: Int64) throws {
    #expect(try value("x", text) == .integer(expected))
  }

  @Test(arguments: [
    "", "-", "+7", "--7", "7-", " 7", "7 ", "7.", "7.0", "1e3", "0x10", "1_000", "٧", "9223372036854775808",
    "-9223372036854775809", "99999999999999999999999",
  ])
  func noIntegers(_ text: String) throws { #expect(try value("x", text) == nil) }

  /// The nearest double, as the compiler finds it.
  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("-1", -1), ("2.5", 2.5), ("-2.5", -2.5), ("0.1", 0.1), ("00.10", 0.1), ("0.3", 0.3),
      ("3.14159265358979", 3.14159265358979), ("123456789012345", 123_456_789_012_345),
      ("99999999999999.9", 99_999_999_999_999.9), ("0.00000000000001", 0.00000000000001), ("-0.7", -0.7),
      ("1.00", 1), ("179769313486231", 179_769_313_486_231),
    ] as [(String, Double)])
  func doubles(_ text: String, _ expected: Double) throws {
    #expect(try value("d", text) == .double(expected))
    #expect(try value("F", text) == .double(expected))
  }

  @Test func minusZero() throws {
    let zero = try #require(try value("d", "-0")?.double)
    #expect(zero == 0 && zero.sign == .minus)
  }

  /// Up to 15 digits, so that one division finds the nearest double: all of them are tried against the compiler's way.
  @Test func manyDoubles() throws {
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let digits = String(Int64.random(in: 0..<1_000_000_000_000_000, using: &numbers))
      let point = Int.random(in: 1...digits.count, using: &numbers)
      let text = digits.prefix(point) + (point < digits.count ? "." + digits.dropFirst(point) : "")
      #expect(try value("d", String(text)) == .double(Double(text) ?? .nan), "\(text)")
    }
  }

  @Test(arguments: [
    "", "-", ".", "-.", ".5", "-.5", "5.", "+1", "--1", "1.2.3", "1,5", "1e3", "1E3", "inf", "nan", "NaN", "0x1p3",
    " 1",
    "1 ", "1234567890123456", "0.000000000000001", "١",
  ])
  func noDoubles(_ text: String) throws {
    #expect(try value("d", text) == nil)
    #expect(try value("F", text) == nil)
  }
}
