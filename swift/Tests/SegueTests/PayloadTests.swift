import Foundation
import Testing

@testable import Segue

private struct Place: Codable, Equatable {
  var line: Int
  var fraction: Double
  var name: String?
  var seen: Date
  var page: URL
  var id: UUID
  var raw: Data
  var flags: [Bool]
  var inner: Inner
  var kinds: [String: Kind]

  struct Inner: Codable, Equatable { var depth: UInt8 }
  enum Kind: String, Codable { case one, two }
}

@MainActor
struct PayloadTests {
  private let activity: UserActivity
  private let place = Place(
    line: 12, fraction: 0.5, name: nil, seen: Date(timeIntervalSince1970: 100),
    page: URL(fileURLWithPath: "/b"),
    id: UUID(), raw: Data([1, 2]), flags: [true, false], inner: .init(depth: 3), kinds: ["x": .two])

  init() throws { activity = try UserActivity(type: type, in: newApplication()) }

  @Test func aPayloadComesBack() throws {
    try activity.setTypedPayload(place)
    #expect(try activity.typedPayload(Place.self) == place)
    // In userInfo it is what other languages read.
    #expect(activity.userInfo["line"] == 12)
    #expect(activity.userInfo["seen"]?.date == place.seen)
    #expect(activity.userInfo["inner"] == ["depth": 3])
  }

  @Test func aPayloadThatDoesNotFitNamesTheKeyPath() throws {
    try activity.setTypedPayload(place)
    func path(_ error: (any Error)?) -> [String]? {
      switch error as? DecodingError {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        context.codingPath.map { $0.stringValue }
      case .keyNotFound(let key, let context): (context.codingPath + [key]).map { $0.stringValue }
      default: nil
      }
    }
    let changes: [(String, Value?, [String])] = [
      ("line", "twelve", ["line"]), ("line", nil, ["line"]), ("inner", ["depth": 300], ["inner", "depth"]),
      ("inner", [1], ["inner"]), ("flags", [true, 2], ["flags", "1"]), ("seen", 5, ["seen"]),
      ("kinds", ["x": "three"], ["kinds", "x"]), ("raw", .null, ["raw"]),
    ]
    for (key, value, expected) in changes {
      try activity.setTypedPayload(place)
      activity.userInfo[key] = value
      let error = #expect(throws: DecodingError.self) { try activity.typedPayload(Place.self) }
      #expect(path(error) == expected)
    }
  }

  @Test func whatCannotTravelIsAnError() throws {
    activity.userInfo = ["kept": 1]
    #expect(throws: EncodingError.self) { try activity.setTypedPayload(5) }
    #expect(throws: EncodingError.self) { try activity.setTypedPayload([1, 2]) }
    #expect(throws: EncodingError.self) { try activity.setTypedPayload(["n": UInt64.max]) }
    #expect(throws: SegueError.self) { try activity.setTypedPayload(["n": "a\u{0}b"]) }
    #expect(activity.userInfo == ["kept": 1])
  }
}
