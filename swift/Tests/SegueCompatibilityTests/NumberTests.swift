import Foundation
import Segue
import Testing

@testable import SegueCompatibility

/// Foundation's numbers are sent as what they are, or not at all.
struct NumberTests {
  nonisolated(unsafe) static let exact: [(any Hashable, Value)] = [
    (NSNumber(value: true), true), (NSNumber(value: false), false),
    (NSNumber(value: Int8(1)), 1), (NSNumber(value: Int8(0)), 0), (NSNumber(value: Int8(-5)), -5),
    (NSNumber(value: Int8.min), -128), (NSNumber(value: UInt8.max), 255),
    (NSNumber(value: Int16.min), -32_768), (NSNumber(value: UInt16.max), 65_535),
    (NSNumber(value: Int32.min), -2_147_483_648), (NSNumber(value: UInt32.max), 4_294_967_295),
    (NSNumber(value: Int64.min), .integer(.min)), (NSNumber(value: UInt64(Int64.max)), .integer(.max)),
    (NSNumber(value: UInt(7)), 7), (NSNumber(value: 0.1), 0.1),
    (NSNumber(value: Float(0.1)), .double(Double(Float(0.1)))),
    (NSDecimalNumber(string: "-9223372036854775808"), .integer(.min)), (NSDecimalNumber(string: "5"), 5),
    (Int8(-5), -5), (UInt64(Int64.max), .integer(.max)), (CGFloat(0.5), 0.5), (true, true),
  ]

  @Test func numbersAreExact() throws {
    for (number, value) in Self.exact {
      #expect(try Cocoa.entries(["key": number]) == ["key": value])
      #expect(try Cocoa.entries(["key": NSArray(array: [number])]) == ["key": [value]])
      // Foundation's own hash of a decimal number never returns.
      if !(number is NSDecimalNumber) { #expect(try Cocoa.entries([AnyHashable(number): "key"]) == [value: "key"]) }
      // And back, as the same.
      #expect(try Cocoa.entries(Cocoa.dictionary(["key": value])) == ["key": value])
    }
  }

  @Test func whatDoesNotFitIsAnErrorAtItsPlace() throws {
    let numbers: [Any] = [
      NSNumber(value: UInt64.max), NSNumber(value: UInt64(Int64.max) + 1), NSNumber(value: UInt.max), UInt64.max,
      UInt.max,
      NSDecimalNumber(string: "9223372036854775808"), NSDecimalNumber(string: "0.5"), NSDecimalNumber.notANumber,
      Decimal(string: "0.5")!,
    ]
    for number in numbers {
      let error = #expect(throws: SegueError.self) { try Cocoa.entries(["a": ["list": [1, number]]]) }
      #expect(error?.keyPath == ["a", "list", "1"] && error?.code == .invalidArgument)
    }
  }

  @Test func keysThatFoundationTakesForOneAreKept() throws {
    let entries: [Value: Value] = [1: "integer", 1.0: "double", true: "yes", "set": .set([2, 2.0])]
    #expect(try Cocoa.entries(Cocoa.dictionary(entries)) == entries)
  }
}
