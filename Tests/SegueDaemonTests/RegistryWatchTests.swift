import Glibc
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// Declarations that come, go and change while the registry watches: each with real files and real inotify.
@Suite struct RegistryWatchTests {
  let folder: RegistryFolder
  static let path = "system/applications/com.example.Reader.desktop"
  static let other = "system/applications/com.example.Other.desktop"

  init() throws { folder = try RegistryFolder() }

  private func registry(_ make: () -> Void = {}) throws -> Registry {
    make()
    return try Registry(folder.settings) { _ in }
  }

  @Test func createModifyRenameDelete() throws {
    let registry = try registry { folder.makeFolder("system/applications") }
    var changes: [Set<String>] = []
    registry.onChange = { changes.append(Set($0.map(\.string))) }
    folder.write(Self.path, RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["com.example.Reader"] })
    folder.write(Self.path, RegistryFolder.desktop("Icon=changed"))
    let id = try appID()
    #expect(registry.settle { registry.application(id)?.icon == "changed" })
    folder.move(Self.path, to: Self.other)
    #expect(registry.settle { registry.ids == ["com.example.Other"] })
    #expect(changes.last == ["com.example.Reader", "com.example.Other"])
    folder.remove(Self.other)
    #expect(registry.settle { registry.ids == [] })
    #expect(changes.last == ["com.example.Other"])
  }

  @Test func writtenAsideAndMovedIntoPlace() throws {
    let registry = try registry { folder.write(Self.path, RegistryFolder.desktop()) }
    folder.write("system/applications/.new", RegistryFolder.desktop("Icon=new"))
    folder.move("system/applications/.new", to: Self.path)
    let id = try appID()
    #expect(registry.settle { registry.application(id)?.icon == "new" })
  }

  @Test func nothingThatMattersIsNoChange() throws {
    let registry = try registry { folder.write(Self.path, RegistryFolder.desktop()) }
    var changes = 0
    registry.onChange = { _ in changes += 1 }
    folder.write("system/applications/readme.txt", "x")
    folder.write(Self.path, RegistryFolder.desktop())
    folder.write(Self.other, "[Desktop Entry]\nType=Application\n")
    registry.process()
    registry.process()
    #expect(changes == 0)
  }

  /// `segue links on` makes the folder where there is none.
  @Test func W5_theFolderWithTheChoiceOfProgramsMayComeLater() throws {
    let registry = try registry()
    registry.watchHandlers([folder.absolute("new/a/.config"), folder.absolute("home")])
    var changes = 0
    registry.onChange = { _ in changes += 1 }
    folder.write("readme.txt", "x")
    registry.process()
    #expect(changes == 0)
    // Twice: a folder that went away comes back.
    for _ in 0..<2 {
      folder.makeFolder("new/a/.config")
      #expect(registry.settle { changes > 0 })
      changes = 0
      folder.write("new/a/.config/mimeapps.list", "[Default Applications]\n")
      #expect(registry.settle { changes > 0 })
      folder.remove("new")
      #expect(registry.settle { changes > 0 })
      registry.process()
      changes = 0
    }
  }

  @Test func aBurstIsOneChange() throws {
    let registry = try registry { folder.makeFolder("system/applications") }
    var changes: [Int] = []
    registry.onChange = { changes.append($0.count) }
    for number in 0..<100 {
      folder.write("system/applications/com.example.App\(number).desktop", RegistryFolder.desktop())
    }
    #expect(registry.settle { registry.index.count == 100 })
    #expect(changes == [100])
  }

  @Test func modeChanges() throws {
    let registry = try registry {
      folder.write("home/.local/share/applications/com.example.Reader.desktop", RegistryFolder.desktop())
    }
    chmod(folder.absolute("home/.local/share/applications/com.example.Reader.desktop"), 0o666)
    #expect(registry.settle { registry.ids == [] })
    chmod(folder.absolute("home/.local/share/applications/com.example.Reader.desktop"), 0o644)
    #expect(registry.settle { registry.ids == ["com.example.Reader"] })
    #expect(registry.problems == [])
    chmod(folder.absolute("home/.local/share/applications"), 0o777)
    #expect(registry.settle { registry.ids == [] })
  }

  @Test func serviceFileComesLater() throws {
    let registry = try registry { folder.write(Self.path, RegistryFolder.desktop()) }
    let id = try appID()
    #expect(registry.application(id)?.serviceFile == nil)
    folder.write("system/dbus-1/services/com.example.Reader.Segue.service", RegistryFolder.service())
    #expect(registry.settle { registry.application(id)?.exec.isEmpty == false })
    folder.remove("system/dbus-1")
    #expect(registry.settle { registry.application(id)?.serviceFile == nil })
  }

  @Test func foldersThatAreNotThereYet() throws {
    let registry = try registry()
    folder.write("home/.local/share/applications/com.example.Reader.desktop", RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["com.example.Reader"] })
    folder.write("later/applications/a.b/c.desktop", RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["a.b-c", "com.example.Reader"] })
    // Those above the data directory are no longer watched once it exists.
    let way = registry.folders.outposts.values.flatMap { $0.texts }
    #expect(!way.contains(folder.absolute("home")) && !way.contains(folder.absolute("home/.local")))
  }

  @Test func folderExchangedAsAWhole() throws {
    let registry = try registry { folder.write(Self.path, RegistryFolder.desktop()) }
    folder.write("system/new/com.example.New.desktop", RegistryFolder.desktop())
    folder.move("system/applications", to: "system/old")
    folder.move("system/new", to: "system/applications")
    #expect(registry.settle { registry.ids == ["com.example.New"] })
    folder.write("system/old/com.example.Old.desktop", RegistryFolder.desktop())
    folder.write(Self.other, RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["com.example.New", "com.example.Other"] })
  }

  @Test func dataDirectoryExchanged() throws {
    let registry = try registry { folder.write(Self.path, RegistryFolder.desktop()) }
    folder.move("system", to: "old")
    #expect(registry.settle { registry.ids == [] })
    folder.write("new/applications/com.example.New.desktop", RegistryFolder.desktop())
    folder.move("new", to: "system")
    #expect(registry.settle { registry.ids == ["com.example.New"] })
  }

  @Test func subfolders() throws {
    let registry = try registry { folder.makeFolder("system/applications") }
    folder.write("system/applications/a.b/c.desktop", RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["a.b-c"] })
    folder.write("system/applications/a.b/d.desktop", RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["a.b-c", "a.b-d"] })
    folder.move("system/applications/a.b", to: "system/applications/x.y")
    #expect(registry.settle { registry.ids == ["x.y-c", "x.y-d"] })
    folder.move("system/applications/x.y", to: "outside")
    #expect(registry.settle { registry.ids == [] })
  }

  @Test func flatpakTellsOfAnUpdateByItsMark() throws {
    let exported = "flatpak/exports/share/applications/com.example.Reader.desktop"
    folder.write("flatpak/app/one/x.desktop", RegistryFolder.desktop("Icon=one"))
    folder.write("flatpak/app/two/x.desktop", RegistryFolder.desktop("Icon=two"))
    folder.link("flatpak/app/active", to: "one")
    folder.makeFolder("flatpak/exports/share/applications")
    folder.link(exported, to: "../../../app/active/x.desktop")
    let registry = try registry()
    let id = try appID()
    #expect(registry.application(id)?.icon == "one")
    folder.link("flatpak/app/new", to: "two")
    folder.move("flatpak/app/new", to: "flatpak/app/active")
    folder.write("flatpak/.changed", "")
    #expect(registry.settle { registry.application(id)?.icon == "two" })
  }

  @Test func lossOfEventsIsARescan() throws {
    let registry = try registry { folder.makeFolder("system/applications") }
    var limit = 16384
    if let text = File.beginning(of: "/proc/sys/fs/inotify/max_queued_events", maximum: 32) {
      limit = Int(String(decoding: text.dropLast(), as: UTF8.self)) ?? limit
    }
    guard limit <= 65536 else { return print("lossOfEventsIsARescan: skipped, the queue holds \(limit) events") }
    // Equal events in a row are one, so two files take turns.
    for name in ["a", "b"] { folder.write("system/applications/\(name)", "") }
    for _ in 0...limit / 2 {
      chmod(folder.absolute("system/applications/a"), 0o644)
      chmod(folder.absolute("system/applications/b"), 0o644)
    }
    folder.write(Self.path, RegistryFolder.desktop())
    #expect(registry.settle { registry.ids == ["com.example.Reader"] })
    folder.remove(Self.path)
    #expect(registry.settle { registry.ids == [] })
  }
}
