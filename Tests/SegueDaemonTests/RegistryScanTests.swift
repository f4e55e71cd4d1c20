import Glibc
import SegueCore
import Testing

@testable import SegueDaemon

@Suite struct RegistryScanTests {
  let folder: RegistryFolder
  static let home = "home/.local/share/applications/"
  static let name = "com.example.Reader.desktop"
  static let services = "dbus-1/services/com.example.Reader.Segue.service"

  init() throws { folder = try RegistryFolder() }

  private func registry() throws -> Registry { try Registry(folder.settings) { _ in } }

  @Test func systemApplication() throws {
    folder.write("system/applications/" + Self.name, RegistryFolder.desktop())
    folder.write("system/" + Self.services, RegistryFolder.service())
    let registry = try registry()
    let application = try #require(registry.application(try appID()))
    #expect(application.tier == .system)
    #expect(application.name == "Leser")
    #expect(application.desktopFile == folder.absolute("system/applications/" + Self.name))
    #expect(application.serviceFile == folder.absolute("system/" + Self.services))
    #expect(application.exec == ["/usr/bin/reader", "--service"])
    #expect(application.problems == [])
    #expect(registry.problems == [])
    #expect(registry.applications(claiming: try #require(ActivityType("com.example.reading"))) == [application])
  }

  @Test func idsInSubfolders() throws {
    folder.write("system/applications/com.example/Reader.desktop", RegistryFolder.desktop())
    folder.write("system/applications/org.a/b/c.desktop", RegistryFolder.desktop())
    folder.write("system/applications/nodots.desktop", RegistryFolder.desktop())
    folder.write("system/applications/1.a.desktop", RegistryFolder.desktop())
    folder.write("system/applications/com.example.Other.desktop", "[Desktop Entry]\nType=Application\nName=x\n")
    folder.write("system/applications/com.example.Text.txt", RegistryFolder.desktop())
    let registry = try registry()
    #expect(registry.ids == ["com.example-Reader", "org.a-b-c"])
    #expect(registry.problems.count == 2)
    #expect(registry.problems.allSatisfy { $0.contains("a name that is not an application id") })
  }

  @Test func attack43_userFileDoesNotStandBeforeTheSystems() throws {
    folder.write(Self.home + Self.name, RegistryFolder.desktop("Icon=evil"))
    folder.write("home/.local/share/" + Self.services, RegistryFolder.service(exec: "/evil"))
    folder.write("system/applications/" + Self.name, RegistryFolder.desktop())
    folder.write("system/" + Self.services, RegistryFolder.service())
    var lines: [String] = []
    let registry = try Registry(folder.settings) { lines.append($0) }
    let application = try #require(registry.application(try appID()))
    #expect(application.tier == .system)
    #expect(application.icon == "reader")
    #expect(application.exec.first == "/usr/bin/reader")
    #expect(application.problems.count { $0.contains("The bus launches") } == 1)
    #expect(lines.count == 1)
    #expect(lines.first?.contains("which the administrator installed") == true)
    registry.rescan()
    #expect(lines.count == 1)
  }

  @Test func userServiceIsNoneForASystemApplication() throws {
    folder.write("system/applications/" + Self.name, RegistryFolder.desktop())
    folder.write("home/.local/share/" + Self.services, RegistryFolder.service())
    let application = try #require(try registry().application(try appID()))
    #expect(application.exec == [])
    #expect(application.problems.contains { $0.contains("is not the administrator's") })
  }

  @Test func attack43_userFilesThatAreIgnored() throws {
    let path = Self.home + Self.name
    let cases: [(String, String, () -> Void)] = [
      (
        "symbolic link", "is a symbolic link",
        {
          folder.write("elsewhere/x", RegistryFolder.desktop())
          folder.link(path, to: folder.absolute("elsewhere/x"))
        }
      ),
      (
        "hard link", "is a hard link",
        {
          folder.write("elsewhere/x", RegistryFolder.desktop())
          link(folder.absolute("elsewhere/x"), folder.absolute(path))
        }
      ),
      ("group", "writable by its group", { folder.write(path, RegistryFolder.desktop(), mode: 0o664) }),
      ("others", "writable by its group", { folder.write(path, RegistryFolder.desktop(), mode: 0o646) }),
      (
        "folder", "folder is writable by others",
        {
          folder.write(path, RegistryFolder.desktop())
          chmod(folder.absolute("home/.local/share/applications"), 0o777)
        }
      ),
    ]
    for (what, reason, make) in cases {
      folder.remove("home")
      folder.makeFolder("home/.local/share/applications")
      make()
      let registry = try registry()
      #expect(registry.ids == [], "\(what)")
      #expect(registry.problems.count == 1)
      #expect(registry.problems.first?.contains(reason) == true, "\(what): \(registry.problems)")
    }
    folder.remove("home")
    folder.write(path, RegistryFolder.desktop())
    #expect(try registry().application(try appID())?.tier == .user)
  }

  @Test func filesOfAnotherUserAreIgnored() throws {
    folder.write(Self.home + Self.name, RegistryFolder.desktop())
    var settings = folder.settings
    settings.user = getuid() + 1
    settings.trustedOwner = getuid() + 2
    let registry = try Registry(settings) { _ in }
    #expect(registry.problems.first?.contains("is another user's") == true)
  }

  @Test func systemFilesOthersMayWriteAreTheUsersAtMost() throws {
    folder.write("system/applications/" + Self.name, RegistryFolder.desktop())
    chmod(folder.absolute("system"), 0o775)
    #expect(try registry().application(try appID())?.tier == .user)
    chmod(folder.absolute("system"), 0o755)
    #expect(try registry().application(try appID())?.tier == .system)
    chmod(folder.absolute("system/applications/" + Self.name), 0o664)
    #expect(try registry().ids == [])
  }

  @Test func flatpakExportsAreLinks() throws {
    let inside = "flatpak/app/com.example.Reader/export/"
    folder.write(inside + "x.desktop", RegistryFolder.desktop("X-Flatpak=com.example.Reader"))
    folder.write(inside + "x.service", RegistryFolder.service(exec: "/usr/bin/flatpak run com.example.Reader"))
    link(folder.absolute(inside + "x.desktop"), folder.absolute("hard"))
    folder.makeFolder("flatpak/exports/share/applications")
    folder.makeFolder("flatpak/exports/share/dbus-1/services")
    folder.link("flatpak/app/com.example.Reader/current", to: "export")
    let application = "flatpak/exports/share/applications/" + Self.name
    folder.link(application, to: "../../../app/com.example.Reader/current/x.desktop")
    folder.link("flatpak/exports/share/" + Self.services, to: folder.absolute(inside + "x.service"))
    var registry = try registry()
    #expect(registry.application(try appID())?.tier == .sandbox)
    #expect(registry.application(try appID())?.exec.first == "/usr/bin/flatpak")
    // The user's own installation is taken as the user's, as long as the links stay in it.
    var settings = folder.settings
    settings.directories[3].isSystem = false
    registry = try Registry(settings) { _ in }
    #expect(registry.application(try appID())?.tier == .user)
    folder.remove(application)
    folder.write("elsewhere/x", RegistryFolder.desktop("X-Flatpak=com.example.Reader"))
    folder.link(application, to: folder.absolute("elsewhere/x"))
    registry = try Registry(settings) { _ in }
    #expect(registry.ids == [])
    #expect(registry.problems.count == 1)
  }

  @Test func systemLinkThroughAWritableFolderIsNotFollowed() throws {
    folder.write("open/x.desktop", RegistryFolder.desktop())
    folder.makeFolder("system/applications")
    folder.link("system/applications/" + Self.name, to: folder.absolute("open/x.desktop"))
    #expect(try registry().application(try appID())?.tier == .system)
    chmod(folder.absolute("open"), 0o777)
    #expect(try registry().problems.first?.contains("is a symbolic link") == true)
  }

  @Test func theFirstDirectoryWins() throws {
    folder.write("system/applications/" + Self.name, RegistryFolder.desktop())
    folder.write("later/applications/" + Self.name, RegistryFolder.desktop("Icon=later"))
    let registry = try registry()
    let application = try #require(registry.application(try appID()))
    #expect(application.icon == "reader")
    #expect(application.problems.contains { $0.contains("/later/applications/") && $0.contains("same application id") })
    #expect(registry.problems == [])
  }

  @Test func hiddenMasksLaterDirectories() throws {
    folder.write("system/applications/" + Self.name, RegistryFolder.desktop())
    folder.write("later/applications/" + Self.name, "[Desktop Entry]\nHidden=true\n")
    #expect(try registry().ids == ["com.example.Reader"])
    folder.write(Self.home + Self.name, "[Desktop Entry]\nHidden=true\n")
    let registry = try registry()
    #expect(registry.ids == [])
    #expect(registry.problems == [])
  }
}
