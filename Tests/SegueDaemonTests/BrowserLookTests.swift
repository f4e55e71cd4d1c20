import Foundation
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// The browser that was found while the declarations were read: it counts as long as nothing has changed.
@Suite final class BrowserLookTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "sg-look-\(UUID().uuidString)").path
  /// A time at which the files have been as they are for long.
  private let later = fileTime() + 60_000_000_000

  init() throws {
    try FileManager.default.createDirectory(atPath: folder + "/config", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder + "/data/applications", withIntermediateDirectories: true)
    try install("a")
    try choose("a")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func install(_ name: String) throws {
    try Data("[Desktop Entry]\nType=Application\nName=\(name)\nExec=/bin/true %u\n".utf8)
      .write(to: URL(filePath: folder + "/data/applications/\(name).desktop"))
  }

  private func choose(_ name: String) throws {
    try Data("[Default Applications]\nx-scheme-handler/https=\(name).desktop\n".utf8)
      .write(to: URL(filePath: folder + "/config/mimeapps.list"))
  }

  private var handlers: WebHandlers {
    func environment(_ name: String) -> String? {
      switch name {
      case "XDG_CONFIG_HOME": folder + "/config"
      case "XDG_DATA_HOME": folder + "/data"
      case "XDG_DATA_DIRS", "XDG_CONFIG_DIRS": folder + "/none"
      default: nil
      }
    }
    return WebHandlers(RegistrySettings(environment: environment), environment: environment)
  }

  @Test func whatHasNotChangedIsNotLookedForAgain() {
    let look = BrowserLook(handlers, at: later)
    #expect(look.handler?.id == "a.desktop")
    #expect(look.isCurrent(handlers))
  }

  @Test func aChoiceThatWasMadeMeanwhileCounts() throws {
    try install("b")
    let look = BrowserLook(handlers, at: later)
    try choose("b")
    #expect(!look.isCurrent(handlers))
  }

  @Test func aProgramThatCameMeanwhileCounts() throws {
    let look = BrowserLook(handlers, at: later)
    try install("b")
    #expect(!look.isCurrent(handlers))
  }

  /// A second change within the same moment would not show.
  @Test func whatHadJustChangedIsLookedForAgain() {
    #expect(!BrowserLook(handlers).isCurrent(handlers))
  }
}
