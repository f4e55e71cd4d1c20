import CLinux
import Foundation
import SegueCore
import Testing

@testable import SegueABI

@Suite struct ResultTests {
  private static let numbers: [Substring: Int32] = [
    "EINVAL": EINVAL, "E2BIG": E2BIG, "ENOENT": ENOENT, "ESTALE": ESTALE, "EACCES": EACCES, "EBADMSG": EBADMSG,
    "EPERM": EPERM, "ECHILD": ECHILD, "ESHUTDOWN": ESHUTDOWN,
  ]

  @Test func E1_theHeaderSaysWhatFunctionsReturn() throws {
    let header = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../include/segue/error.h")
    let text = try String(contentsOf: header, encoding: .utf8)
    var told: [Int32: Int32] = [:]
    for match in text.matches(of: /SEGUE_ERROR_[A-Z_]+ = (\d+),? *\/\*\*< -(E\w+):/) {
      told[try #require(Int32(match.1))] = -(try #require(Self.numbers[match.2]))
    }
    #expect(told.count == 10)
    for code in SegueError.Code.all { #expect(code.result == told[code.rawValue] ?? -EIO) }
  }
}
