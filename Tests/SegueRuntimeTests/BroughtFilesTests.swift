import CLinux
import Foundation
import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

/// The origin's side of files that are brought: what its application opens.
@Suite final class BroughtFilesTests {
  private let offline: Offline
  private let path = "/tmp/segue-file-\(Identifier.random().hex)"
  private var url: String { "file://\(path)" }

  init() throws {
    offline = try Offline()
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
  }

  deinit { unlink(path) }

  /// One that is current, allows files, and has given this device's file away.
  private func activity() throws -> Activity {
    let activity = offline.activity()
    offline.application.makeCurrent(activity)
    try activity.setAllowsFiles(true)
    activity.update { $0.givenFiles = [url] }
    return activity
  }

  private func code(_ activity: Activity, _ url: String) -> SegueError.Code? {
    do throws(SegueError) {
      _ = try offline.application.files.open(activity.id, url)
      return nil
    } catch { return error.code }
  }

  @Test func theFileIsOpened() throws {
    let file = try offline.application.files.open(try activity().id, url)
    #expect(file.bytes(maximum: 10) == [1, 2, 3])
  }

  @Test func onlyWhereTheActivityAllowsIt() throws {
    let activity = try activity()
    try activity.setAllowsFiles(false)
    #expect(code(activity, url) == .accessDenied)
    try activity.setAllowsFiles(true)
    #expect(code(activity, url) == nil)
    offline.application.invalidate(activity)
    #expect(code(activity, url) == .notFound)
  }

  @Test func attack28_onlyWhatWasNamed() throws {
    let activity = try activity()
    #expect(code(activity, "file:///etc/passwd") == .notFound)
    #expect(code(activity, url + "/") == .notFound)
    activity.update { $0.givenFiles = [] }
    #expect(code(activity, url) == .notFound)
  }

  @Test func attack28_whatIsNoRegularFile() throws {
    let activity = try activity()
    for make in [
      { symlink("/etc/passwd", $0) }, { mkfifo($0, 0o600) }, { mkdir($0, 0o700) },
    ] as [(String) -> Int32] {
      #expect(remove(path) == 0 && make(path) == 0)
      #expect(code(activity, url) == .invalidArgument)
    }
    #expect(remove(path) == 0)
    #expect(code(activity, url) == .notFound)
  }
}
