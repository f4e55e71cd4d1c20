import Glibc
import SegueCore
import SegueEngine
import SegueState
import Testing

@testable import SegueDaemon

/// A start of the daemon takes what has not changed from the cache of a former one, and reads the rest.
@Suite struct RegistryCacheTests {
  let folder: RegistryFolder
  private let desktop = "home/.local/share/applications/com.example.Reader.desktop"
  private let service = "home/.local/share/dbus-1/services/com.example.Reader.Segue.service"
  private var cacheFile: DeclarationCacheFile { DeclarationCacheFile(in: folder.absolute("cache"), folder.settings) }
  /// Late enough for all files of the test to have changed long ago.
  private let later = fileTime() + 3_600_000_000_000

  init() throws {
    folder = try RegistryFolder()
    folder.write(desktop, RegistryFolder.desktop())
    folder.write(service, RegistryFolder.service())
    folder.write("home/.local/share/applications/other.desktop", "[Desktop Entry]\nType=Application\nName=Other\n")
  }

  /// A start, which leaves a cache as the daemon does. `wrote`: whether there was something to write.
  private func start(_ settings: RegistrySettings? = nil, wrote: Bool? = nil) throws -> Registry {
    let settings = settings ?? folder.settings
    let file = DeclarationCacheFile(in: folder.absolute("cache"), settings)
    let registry = try Registry(settings, cache: file.read(at: later), at: later) { _ in }
    let content = registry.takeCacheContent()
    if let wrote { #expect((content?.bytes(key: file.key) != nil) == wrote) }
    if let content { try file.write(content) }
    return registry
  }

  private func isCached(_ registry: Registry, _ id: String = "com.example.Reader") throws -> Bool {
    registry.index.cachedNumber(of: try appID(id)) != nil
  }

  @Test func aSecondStartReadsNothingAgain() throws {
    let first = try start(wrote: true)
    let application = try #require(first.application(try appID()))
    #expect(try !isCached(first))
    let second = try start(wrote: false)
    #expect(try isCached(second))
    #expect(second.application(try appID()) == application)
    #expect(second.problems == first.problems)
    #expect(second.ids == first.ids)
  }

  /// The same length and the same time: the kernel's own time tells.
  @Test func aFileThatWasChangedIsRead() throws {
    let path = folder.absolute(desktop)
    _ = try start()
    var status = stat()
    stat(path, &status)
    folder.write(desktop, RegistryFolder.desktop().replacing("Icon=reader", with: "Icon=READER"))
    let times = [status.st_atim, status.st_mtim]
    utimensat(AT_FDCWD, path, times, 0)
    let second = try start(wrote: true)
    #expect(second.application(try appID())?.icon == "READER")
    #expect(second.application(try appID())?.exec.first == "/usr/bin/reader")
    #expect(try isCached(try start(wrote: false)))
  }

  @Test func attack43_aFileThatOthersMayWriteByNowIsNotTaken() throws {
    _ = try start()
    chmod(folder.absolute(desktop), 0o664)
    let second = try start()
    #expect(second.application(try appID()) == nil)
    #expect(second.problems.contains { $0.contains("writable by its group") })
  }

  @Test func attack43_aFolderThatOthersMayWriteByNowIsNotTaken() throws {
    _ = try start()
    folder.makeFolder("home/.local/share/applications", mode: 0o777)
    #expect(try start().application(try appID()) == nil)
  }

  @Test func attack43_aLinkInTheFilesPlaceIsNotTaken() throws {
    _ = try start()
    folder.move(desktop, to: "home/aside")
    folder.link(desktop, to: folder.absolute("home/aside"))
    #expect(try start().application(try appID()) == nil)
  }

  /// The administrator's files are read with each start, and stand before the cache's.
  @Test func attack43_theAdministratorsFileStandsBeforeTheCache() throws {
    _ = try start()
    folder.write("system/applications/com.example.Reader.desktop", RegistryFolder.desktop())
    let second = try start(wrote: true)
    #expect(second.application(try appID())?.tier == .system)
    #expect(second.problems.contains { $0.contains("which the administrator installed") })
    let third = try start(wrote: false)
    #expect(try !isCached(third))
    #expect(third.application(try appID())?.tier == .system)
    folder.remove("system/applications/com.example.Reader.desktop")
    let id = try appID()
    #expect(third.settle { third.application(id)?.tier == .user })
  }

  @Test func attack43_theAdministratorsFilesAreInNoCache() throws {
    folder.write("system/applications/com.example.Other.desktop", RegistryFolder.desktop())
    folder.write("system/dbus-1/services/com.example.Other.Segue.service", RegistryFolder.service("com.example.Other"))
    _ = try start()
    let cache = try #require(cacheFile.read(at: later))
    #expect(cache.files.count == 3)
    let second = try start(wrote: false)
    #expect(second.application(try appID("com.example.Other"))?.tier == .system)
    #expect(try !isCached(second, "com.example.Other"))
  }

  @Test func filesThatComeAndGoAreSeen() throws {
    _ = try start()
    folder.remove(service)
    folder.write("home/.local/share/applications/com.example.New.desktop", RegistryFolder.desktop())
    let second = try start(wrote: true)
    #expect(second.ids == ["com.example.New", "com.example.Reader"])
    #expect(second.application(try appID())?.serviceFile == nil)
    folder.remove(desktop)
    #expect(try start(wrote: true).ids == ["com.example.New"])
    folder.remove("home/.local/share/applications/com.example.New.desktop")
    #expect(try start(wrote: true).ids == [])
  }

  /// A running daemon goes on from what came from the cache as from what it has read.
  @Test func whatHappensAfterAStartIsSeen() throws {
    for number in 0..<3 * Limits.declarationsPerTurn {
      folder.write("home/.local/share/applications/com.example.App\(number).desktop", RegistryFolder.desktop())
    }
    _ = try start()
    let registry = try start(wrote: false)
    var changes: Set<AppID> = []
    registry.onChange = { changes.formUnion($0) }
    let id = try appID()
    folder.write(desktop, RegistryFolder.desktop().replacing("Icon=reader", with: "Icon=new"))
    #expect(registry.settle { registry.application(id)?.icon == "new" })
    #expect(registry.application(id)?.exec.first == "/usr/bin/reader")
    #expect(changes == [id])
    folder.remove(service)
    #expect(registry.settle { registry.application(id)?.serviceFile == nil })
    folder.move("home/.local/share/applications", to: "home/aside")
    #expect(registry.settle { registry.ids == [] })
    folder.move("home/aside", to: "home/.local/share/applications")
    #expect(registry.settle { registry.index.count == 3 * Limits.declarationsPerTurn + 1 && !registry.isBehind })
    registry.rescan()
    #expect(registry.index.count == 3 * Limits.declarationsPerTurn + 1)
  }

  @Test func aRescanReadsWhatCameFromTheCache() throws {
    _ = try start()
    let registry = try start()
    let application = registry.application(try appID())
    registry.rescan()
    #expect(try !isCached(registry))
    #expect(registry.application(try appID()) == application)
  }

  /// Another language, another folder, another user: what was read for them is not what is read now.
  @Test func aCacheForOtherSettingsIsNone() throws {
    _ = try start()
    var settings = folder.settings
    settings.locales = []
    let english = try start(settings, wrote: true)
    #expect(english.application(try appID())?.name == "Reader")
    settings.directories.removeLast()
    #expect(try !isCached(try start(settings, wrote: true)))
  }

  /// A file may be changed again within the tick of the clock in which it was changed last.
  @Test func aFileThatHasJustChangedIsReadAgain() throws {
    let registry = try Registry(folder.settings) { _ in }
    #expect(registry.takeCacheContent() == nil)
    #expect(registry.application(try appID()) != nil)
  }

  // MARK: The file

  @Test(arguments: ["", "x", String(repeating: "garbage", count: 10_000)])
  func attack43_garbageInTheCachesPlace(text: String) throws {
    folder.write("cache/applications", text)
    #expect(try start(wrote: true).application(try appID()) != nil)
    #expect(try isCached(try start(wrote: false)))
  }

  @Test func attack43_aCacheThatWasCutOffIsNone() throws {
    _ = try start()
    var status = stat()
    stat(cacheFile.path, &status)
    truncate(cacheFile.path, status.st_size / 2)
    #expect(try start(wrote: true).application(try appID()) != nil)
  }

  @Test func attack43_aCacheThatIsTooLargeIsNotRead() throws {
    _ = try start()
    truncate(cacheFile.path, off_t(Limits.declarationCacheLength) + 1)
    #expect(cacheFile.read(at: later) == nil)
    truncate(cacheFile.path, 1 << 42)
    #expect(cacheFile.read(at: later) == nil)
  }

  @Test func attack43_aCacheThatIsALinkIsNotRead() throws {
    _ = try start()
    folder.move("cache/applications", to: "cache/aside")
    folder.link("cache/applications", to: cacheFile.path.replacing("applications", with: "aside"))
    #expect(cacheFile.read(at: later) == nil)
    folder.remove("cache/applications")
    #expect(link(folder.absolute("cache/aside"), cacheFile.path) == 0)
    #expect(cacheFile.read(at: later) == nil)
    folder.remove("cache/aside")
    #expect(cacheFile.read(at: later) != nil)
  }

  @Test func attack43_aCacheThatIsAFIFOIsNotRead() {
    folder.makeFolder("cache")
    mkfifo(cacheFile.path, 0o600)
    #expect(cacheFile.read(at: later) == nil)
  }

  @Test func attack43_aCacheThatOthersMayWriteIsNotRead() throws {
    _ = try start()
    for (path, mode) in [(cacheFile.path, mode_t(0o600)), (folder.absolute("cache"), 0o700)] {
      #expect(cacheFile.read(at: later) != nil)
      chmod(path, 0o777)
      #expect(cacheFile.read(at: later) == nil)
      chmod(path, mode)
    }
  }

  @Test(.enabled(if: getuid() == 0)) func attack43_aCacheOfAnotherUserIsNotRead() throws {
    _ = try start()
    for path in [cacheFile.path, folder.absolute("cache")] {
      chown(path, 1, 1)
      #expect(cacheFile.read(at: later) == nil)
      chown(path, 0, 0)
    }
    #expect(cacheFile.read(at: later) != nil)
  }

  @Test func attack43_aCacheOfATimeToComeIsNotRead() throws {
    _ = try start()
    #expect(cacheFile.read(at: fileTime()) != nil)
    #expect(cacheFile.read(at: fileTime() - 3_600_000_000_000) == nil)
  }

  /// The key is right, and so is the hash; the applications are not what the files say.
  @Test func attack43_aForgedCacheMakesNothingTheAdministrators() throws {
    _ = try start()
    let cache = try #require(cacheFile.read(at: later))
    let number = try #require(cache.applications.number(of: try appID()))
    var forged = try #require(cache.applications.application(number))
    forged.activityTypes = [try #require(ActivityType("com.example.stolen"))]
    forged.tier = .sandbox
    let applications = folder.absolute("system/applications")
    folder.write("system/applications/com.example.Good.desktop", RegistryFolder.desktop())
    let bytes = DeclarationCache.bytes(
      key: cacheFile.key,
      folders: [
        (
          applications,
          [.init(name: "com.example.Good.desktop", identity: cache.files[0].identity, application: forged.appID)]
        )
      ]
    ) { _ in forged }
    try File.replace(cacheFile.path, bytes)
    let registry = try start()
    #expect(registry.application(try appID("com.example.Good"))?.tier == .system)
    #expect(registry.applications(claiming: try #require(ActivityType("com.example.stolen"))).isEmpty)
  }
}
