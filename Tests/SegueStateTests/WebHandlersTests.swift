import Foundation
import SegueCore
import Testing

@testable import SegueState

/// The program that opens web pages, as files and the environment name it (semantics W5): if `xdg-open` finds one, so
/// does this.
@Suite final class WebHandlersTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "sg-web-\(UUID().uuidString)").path

  init() throws { try write("bin/browser", "#!/bin/sh\n") }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ name: String, _ text: String) throws {
    let path = URL(filePath: folder).appending(path: name)
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
    #expect(chmod(path.path, 0o755) == 0)
  }

  private func install(_ name: String, _ keys: String = "", exec: String = "browser %u") throws {
    try write(
      "data/applications/\(name).desktop", "[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(exec)\n\(keys)")
  }

  private func handlers(_ variables: [String: String] = [:], usesNamed: Bool = true) -> WebHandlers {
    func environment(_ name: String) -> String? {
      switch name {
      case "XDG_CONFIG_HOME": folder + "/config"
      case "XDG_DATA_HOME": folder + "/data"
      case "XDG_DATA_DIRS", "XDG_CONFIG_DIRS": folder + "/none"
      case "PATH": folder + "/bin"
      default: variables[name]
      }
    }
    return WebHandlers(RegistrySettings(environment: environment), usesNamed: usesNamed, environment: environment)
  }

  private static let https = "x-scheme-handler/https"
  private static let defaults = "[Default Applications]\n"

  @Test(arguments: [
    ("config/mimeapps.list", defaults + "\(https)=a.desktop\n"),
    ("data/applications/mimeapps.list", defaults + "\(https)=a.desktop\n"),
    ("data/applications/defaults.list", defaults + "\(https)=a.desktop;\n"),
    ("config/mimeapps.list", defaults + "\(https)=gone.desktop;a.desktop\n"),
    ("config/mimeapps.list", "[Added Associations]\r\n\(https)=a.desktop;\r\n"),
    ("data/applications/mimeinfo.cache", "[MIME Cache]\n\(https)=a.desktop;\n"),
    ("config/mimeapps.list", defaults + "x-scheme-handler/http=a.desktop\n"),
    ("config/mimeapps.list", defaults + "text/html=a.desktop\n"),
  ]) func W5_aListNamesTheBrowser(_ name: String, _ text: String) throws {
    try install("a")
    try install("b")
    #expect(handlers().browser == nil)
    try write(name, text)
    #expect(handlers().browser == "a.desktop")
  }

  @Test func W5_aBrowserIsFoundByItsOwnFile() throws {
    try install("a", "MimeType=text/html;\(Self.https);\n")
    #expect(handlers().browser == "a.desktop")
    try install("b", "MimeType=\(Self.https);\nInitialPreference=9\n")
    #expect(handlers().browser == "b.desktop")
    // The default is no longer installed.
    try write("config/mimeapps.list", Self.defaults + "\(Self.https)=gone.desktop\n")
    #expect(handlers().browser == "b.desktop")
    try install("b", "Hidden=true\nMimeType=\(Self.https);\n")
    #expect(handlers().browser == "a.desktop")
  }

  @Test func W5_seguesOwnIsNoBrowser() throws {
    try install("org.segue.Links", "MimeType=\(Self.https);\n")
    try write("config/mimeapps.list", Self.defaults + "\(Self.https)=org.segue.Links.desktop\n")
    #expect(handlers().opensLinks && handlers().handler(ofScheme: "https") == nil)
  }

  @Test func W5_theEnvironmentsBrowserCounts() throws {
    let variables = ["BROWSER": "gone:browser --new %s end:other"]
    guard case .program(let command, nil)? = handlers(variables).handler(ofScheme: "https")?.start else {
      return #expect(Bool(false))
    }
    #expect(
      command.words(opening: [0x68, 0xFF])
        == [Array((folder + "/bin/browser").utf8), Array("--new".utf8), [0x68, 0xFF], Array("end".utf8)])
    #expect(handlers(variables).browser == nil)
    // That program has handed the page on, and is not asked again.
    #expect(handlers(variables, usesNamed: false).handler(ofScheme: "https") == nil)
    try install("a", "MimeType=\(Self.https);\n")
    #expect(handlers(variables).browser == "a.desktop")
  }

  @Test func W5_onADesktopTheUsualNamesAreTried() throws {
    try write("bin/x-www-browser", "#!/bin/sh\n")
    #expect(handlers().handler(ofScheme: "https") == nil)
    for variable in ["DISPLAY", "WAYLAND_DISPLAY"] {
      #expect(handlers([variable: ":0"]).handler(ofScheme: "http")?.name == "x-www-browser")
    }
  }

  @Test(arguments: [0, 1]) func desktopFilesThatAreSearched(_ more: Int) throws {
    for number in 1..<Limits.desktopFilesSearched + more {
      try write("data/applications/a\(number).desktop", "")
    }
    try install("b", "MimeType=\(Self.https);\n")
    #expect(handlers().browser == (more == 0 ? "b.desktop" : nil))
  }

  @Test(arguments: [0, 1]) func W2_aBrowserIsKnownByItsProgram(_ more: Int) throws {
    let browser = "/opt/b/browser"
    let start = "#!/bin/sh\n"
    let room = Limits.launcherLength - start.utf8.count - "/opt/b".utf8.count + more
    try write("bin/start", start + String(repeating: " ", count: room) + "/opt/b")
    try write("bin/env", "#!/bin/sh\n")
    try install("a", "MimeType=\(Self.https);\n", exec: "env A=b start %u")
    #expect(handlers().handler(ofScheme: "https")?.starts(browser) == (more == 0))
  }

  @Test func attack30_aCommandIsNoShells() throws {
    try install("a", "Icon=i\nMimeType=\(Self.https);\n", exec: "\"browser\" %i --name=%c -- %%%U %u")
    guard case .program(let command, _)? = handlers().handler(ofScheme: "https")?.start else {
      return #expect(Bool(false))
    }
    let words = command.words(opening: Array("https://a/;$(x)".utf8)).map { String(decoding: $0, as: UTF8.self) }
    #expect(words.dropFirst() == ["--icon", "i", "--name=a", "--", "%https://a/;$(x)"])
  }
}
