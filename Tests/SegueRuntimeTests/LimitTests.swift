import Foundation
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

  @Test func lifeOfAnActivity() throws {
    let activity = try Offline().activity()
    let now = Date().timeIntervalSince1970
    let bound = Double(Limits.lifeTime) / 1000
    try activity.setExpirationDate(now + bound - 3600)
    let left = try #require(activity.now.timeLeft)
    #expect(left < Limits.lifeTime && left > Limits.lifeTime - 2 * 3_600_000)
    for date in [now + bound + 3600, 1e300, .infinity] {
      try activity.setExpirationDate(date)
      let left = try #require(activity.now.timeLeft)
      #expect(left <= Limits.lifeTime && left > Limits.lifeTime - 3_600_000)
    }
  }

  /// Members that a later version's plugin has beyond ours are not read; the size that it claims is trusted.
  @Test func structsOfAPlugin() throws {
    try withUnsafePointer(to: UInt64(7)) { (table: UnsafePointer<UInt64>) throws in
      let least = MemoryLayout<UInt64>.size
      for size in [least, Limits.structLength] {
        #expect(try PluginTable.read(table, size: size, "The table") == 7)
      }
      for size in [least - 1, Limits.structLength + 1] {
        let error = #expect(throws: SegueError.self) { try PluginTable.read(table, size: size, "The table") }
        #expect(error?.code == .invalidArgument)
      }
    }
  }
}
