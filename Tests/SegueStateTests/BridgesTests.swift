import Foundation
import SegueCore
import Testing

@testable import SegueState

@Suite final class BridgesTests {
  private let folder: String

  init() throws {
    let made = try #require("/tmp/sg-bridges-XXXXXX".withCString { strdup($0).flatMap { mkdtemp($0) } })
    defer { free(made) }
    folder = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func program(_ name: String) throws -> BridgedProgram { try #require(BridgedProgram.named(name)) }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: folder + path) }

  @Test func everyProgramIsAnApplicationAndCanBeTold() throws {
    for program in BridgedProgram.all {
      #expect(AppID(program.appID) != nil && ActivityType(program.type)?.isOpen == true)
      #expect(program.busNames.allSatisfy { BusName($0) != nil } && !program.programs.isEmpty)
      #expect(BridgedProgram.all.count { $0.name == program.name } == 1)
      let text = BridgeFiles.desktopFile(of: program, "/usr/libexec/segue-bridge")
      let file = try KeyFile(Array(text.utf8))
      #expect(try file.string("Desktop Entry", "TryExec") == program.programs.first)
      #expect(try file.list("Desktop Entry", "X-Segue-ActivityTypes") == [program.type])
      #expect(try file.list("Desktop Entry", "X-Segue-ActsFor")?.first == program.desktopFiles[0] + ".desktop")
    }
    #expect(try program("vlc").appID == "org.segue.Bridge.Vlc")
  }

  @Test func nothingIsEnabledUntilTheUserSaysSo() throws {
    #expect(try BridgeChoices(readingFrom: folder).enabled.isEmpty)
    var choices = try BridgeChoices(readingFrom: folder)
    try choices.set(program("mpv"), true)
    try choices.set(program("vlc"), true)
    try choices.set(program("vlc"), true)
    #expect(try BridgeChoices(readingFrom: folder).enabled.map(\.name) == ["vlc", "mpv"])
    try choices.set(program("vlc"), false)
    #expect(try BridgeChoices(readingFrom: folder).enabled.map(\.name) == ["mpv"])
  }

  @Test func documentsAreGivenOnlyWhereTheUserSaysSo() throws {
    func choices() throws -> BridgeChoices { try BridgeChoices(readingFrom: folder) }
    var written = try choices()
    try written.set(program("okular"), true)
    #expect(try !choices().givesFiles(program("okular")))
    try written.set(program("okular"), true, givesFiles: true)
    try written.set(program("zathura"), true)
    #expect(try choices().givesFiles(program("okular")) && !choices().givesFiles(program("zathura")))
    try written.set(program("okular"), true)
    #expect(try !choices().givesFiles(program("okular")))
    try written.set(program("zathura"), true, givesFiles: true)
    try written.set(program("zathura"), false)
    #expect(try !choices().givesFiles(program("zathura")))
    // Films are never given, whatever the file says; nor is what is not bridged.
    try File.replace(folder + "/bridges.conf", Array("[Bridges]\nEnabled=vlc;\nFiles=vlc;evince;\n".utf8))
    #expect(try !choices().givesFiles(program("vlc")) && !choices().givesFiles(program("evince")))
  }

  @Test func aProgramThatThisVersionDoesNotKnowIsKept() throws {
    try File.replace(folder + "/bridges.conf", Array("[Bridges]\nEnabled=later;vlc;\n".utf8))
    var choices = try BridgeChoices(readingFrom: folder)
    #expect(choices.enabled.map(\.name) == ["vlc"])
    try choices.set(program("vlc"), false)
    let text = String(decoding: try #require(try File.read(folder + "/bridges.conf")), as: UTF8.self)
    #expect(text == "[Bridges]\nEnabled=later;\n")
  }

  @Test func aFileThatIsNoneIsSaid() throws {
    try File.replace(folder + "/bridges.conf", Array("what\n".utf8))
    #expect { try BridgeChoices(readingFrom: self.folder) } throws: { error in
      (error as? SegueError)?.code == .invalidArgument
    }
  }

  @Test func theFilesAreThoseOfWhatIsEnabled() throws {
    let files = BridgeFiles(data: folder + "/data", config: folder + "/config", bridge: "/usr/libexec/segue-bridge")
    let desktop = "/data/applications/org.segue.Bridge.Vlc.desktop"
    let service = "/data/dbus-1/services/org.segue.Bridge.Vlc.Segue.service"
    let autostart = "/config/autostart/org.segue.Bridge.desktop"
    for name in ["vlc", "mpv"] { try File.replace("\(folder)/\(name)", Array("#!/bin/sh".utf8), mode: 0o755) }
    let settings = RegistrySettings(directories: [], programPath: [folder])
    try files.write(for: [program("vlc"), program("mpv"), program("totem")], settings)
    #expect(exists(desktop) && exists(service) && exists(autostart))
    // It is not installed, and claims nothing.
    #expect(!exists("/data/applications/org.segue.Bridge.Totem.desktop"))
    try files.write(for: [program("mpv")], settings)
    #expect(!exists(desktop) && !exists(service) && exists(autostart))
    try files.write(for: [], settings)
    #expect(!exists("/data/applications/org.segue.Bridge.Mpv.desktop") && !exists(autostart))
  }
}
