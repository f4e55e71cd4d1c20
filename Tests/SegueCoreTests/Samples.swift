import SegueCore
import Testing

extension DeviceID {
  /// A device for tests, another one for each number.
  static func number(_ number: UInt8) -> DeviceID {
    DeviceID(
      hash: [UInt8](repeating: number, count: DeviceID.byteCount),
      check: [UInt8](repeating: number % 32, count: DeviceID.checkDigits))
  }

  static let quiet = number(1)
  static let loud = number(2)
}

func appID(_ string: String = "com.example.Reader") throws -> AppID { try #require(AppID(string)) }

func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }
