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

  @Test func respondersOfADocument() throws {
    let offline = try Offline()
    let document = try offline.document()
    for _ in 0..<Limits.documentResponders { try document.add(offline.responder()) }
    let error = #expect(throws: SegueError.self) { try document.add(offline.responder()) }
    #expect(error?.code == .limitExceeded)
  }
}
