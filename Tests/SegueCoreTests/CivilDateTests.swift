import SegueCore
import Testing

@Suite struct CivilDateTests {
  @Test(arguments: [
    ("1970-01-01", 0), ("1970-12-31", 364), ("2000-02-29", 11_016), ("2000-03-01", 11_017), ("2026-11-21", 20_778),
    ("9999-12-31", 2_932_896),
  ])
  func days(_ text: String, _ day: Int64) throws {
    let date = try #require(CivilDate(text))
    #expect(date.day == day)
    #expect(date.description == text)
    #expect(CivilDate(seconds: date.end - 1) == date)
    #expect(CivilDate(seconds: date.end).day == day + 1)
  }

  @Test(arguments: [
    "", "2026-1-1", "2026-13-01", "2026-00-01", "2026-02-29", "1900-01-01", "1969-12-31", "2026-01-32", "2026/01/01",
    "+026-01-01", "2026-01-011", "２026-01-0",
  ])
  func noDays(_ text: String) { #expect(CivilDate(text) == nil) }
}
