import SegueCore
import Testing

@testable import SegueRuntime

/// Bounds of the library: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  @Test func linesForTheDeveloper() {
    let lines = LogLines()
    for number in 0..<Limits.logLines { _ = lines.add("\(number)") }
    #expect(lines.take().count == Limits.logLines)
    for number in 0...Limits.logLines { _ = lines.add("\(number)") }
    let told = lines.take()
    #expect(told.count == Limits.logLines + 1)
    #expect(told.last?.hasPrefix("1 more") == true)
  }
}
