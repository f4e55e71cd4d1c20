import Foundation
import Testing

@testable import Segue

@MainActor
struct ValueTests {
  private let activity: UserActivity

  init() throws { activity = try UserActivity(type: type, in: newApplication()) }

  nonisolated static let kinds: [Value] = [
    .null, true, 7, -9_223_372_036_854_775_808, 1.5, "text", "", .string("e\u{301}🦜"), .data(Data([0, 255])),
    .data(Data()), .date(Date(timeIntervalSince1970: 1.25)), .url(URL(fileURLWithPath: "/a b/c")),
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), [1, "two", nil], .set([1, 2]),
    ["a": ["b": [true]], 3: "three"],
  ]

  @Test(arguments: kinds)
  func everyKindGoesThroughTheLibrary(_ value: Value) throws {
    activity.userInfo["key"] = value
    #expect(activity.userInfo == ["key": value])
  }

  @Test func entriesAreAddedAndRemoved() throws {
    activity.userInfo = ["a": 1, "b": 2]
    try activity.addUserInfoEntries(from: ["b": 3, "c": 4])
    activity.userInfo["a"] = nil
    #expect(activity.userInfo == ["b": 3, "c": 4])
  }

  @Test func anErrorNamesTheKeyPath() throws {
    activity.userInfo = ["kept": 1]
    var deep: Value = 1
    for _ in 0..<20 { deep = .array([deep]) }
    for (value, path, code) in [
      (["a": ["b": .date(Date(timeIntervalSince1970: .infinity))]], ["a", "b"], SegueError.Code.invalidArgument),
      (["a": [1, "x\u{0}y"]], ["a", "1"], .invalidArgument),
      (["a": .string(String(repeating: "x", count: 70_000))], ["a"], .limitExceeded),
    ] as [(Value, [String], SegueError.Code)] {
      let error = #expect(throws: SegueError.self) {
        try activity.setUserInfo(UserInfo(try #require(value.dictionary)))
      }
      #expect(error?.keyPath == path && error?.code == code)
    }
    #expect(throws: SegueError.self) { try activity.setUserInfo(["deep": deep]) }
    #expect(activity.userInfo == ["kept": 1])
  }

  @Test func numbersAreReadAsBothKinds() {
    #expect(Value.integer(3).double == 3 && Value.double(3).int == 3)
    #expect(Value.double(3.5).int == nil && Value.string("3").int == nil && Value.bool(true).int == nil)
  }
}
