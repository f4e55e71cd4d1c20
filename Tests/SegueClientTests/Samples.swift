import SegueCore
import Testing

func appID(_ string: String = "com.example.Reader") throws -> AppID { try #require(AppID(string)) }

func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }
