import Foundation
import Testing

@testable import segue

/// Ends of a pause as users say them, by the clock on the wall.
@Suite struct PauseTests {
  /// A moment of 2026 in the present time zone.
  private func moment(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) throws -> UInt64 {
    let parts = DateComponents(year: 2026, month: month, day: day, hour: hour, minute: minute)
    return UInt64(try #require(Calendar(identifier: .gregorian).date(from: parts)).timeIntervalSince1970)
  }

  @Test(arguments: [("30min", 1_800), ("5m", 300), ("2h", 7_200), ("3d", 259_200)] as [(String, UInt64)])
  func aLength(_ text: String, _ seconds: UInt64) { #expect(PauseTime.end(text, now: 1_000) == 1_000 + seconds) }

  @Test(arguments: ["", "h", "0h", "-1h", "1", "1 h", "1hh", "24:00", "12:60", "12:5", "1:2:3", "noon", "+5m", "٣h"])
  func noTime(_ text: String) { #expect(PauseTime.end(text, now: 1_000) == nil) }

  @Test func aLengthPastAllTimes() { #expect(PauseTime.end("99999999999999999h", now: 1_000) == .max) }

  @Test func aTimeOfTheDayIsTheNextOne() throws {
    let now = try moment(11, 27, 18, 30)
    #expect(PauseTime.end("18:31", now: now) == now + 60)
    #expect(PauseTime.end("18:30", now: now) == (try moment(11, 28, 18, 30)))
    #expect(PauseTime.end("9:05", now: now) == (try moment(11, 28, 9, 5)))
    #expect(PauseTime.end("0:00", now: try moment(12, 31, 23)) == (try moment(12, 31, 24)))
  }

  @Test func tomorrowBeginsAtSix() throws {
    #expect(PauseTime.end("tomorrow", now: try moment(11, 27, 18)) == (try moment(11, 28, 6)))
    // After midnight a person means this morning; shortly before six, the next one.
    #expect(PauseTime.end("tomorrow", now: try moment(11, 28, 0, 30)) == (try moment(11, 28, 6)))
    #expect(PauseTime.end("tomorrow", now: try moment(11, 28, 5, 30)) == (try moment(11, 29, 6)))
  }

  @Test func theDayIsSaidIfItIsNotToday() throws {
    let now = try moment(11, 27, 18, 30)
    #expect(WallTime.text(try moment(11, 27, 19, 5), now: now) == "19:05")
    #expect(WallTime.text(try moment(11, 28, 6), now: now) == "2026-11-28 06:00")
    #expect(WallTime.text(.max, now: now) == "an unknown time")
  }
}
