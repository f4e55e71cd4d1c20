import SegueCore
import Testing

@testable import SegueEngine

@Suite struct DeclarationCacheTests {
  private let key = Array("this build".utf8)

  private func identity(_ number: Int) -> FileIdentity {
    FileIdentity(
      device: 1, inode: UInt64(number), size: 300, changed: Int64(number), modified: 5, owner: 1000, mode: 0o100644,
      links: 1)
  }

  private func application(_ name: String, types: [String] = ["com.example.reading"]) throws -> InstalledApplication {
    InstalledApplication(
      appID: try #require(AppID("com.example.\(name)")), name: "\(name) é", icon: "icon", desktopFile: "/a/\(name)",
      tier: .user, activityTypes: types.compactMap { ActivityType($0) },
      documentTypes: [try #require(MIMEType("text/plain")): try #require(ActivityType("com.example.text"))],
      viewerTypes: [try #require(MIMEType("text/html")): try #require(ActivityType("com.example.text"))],
      versions: [try #require(ActivityType("com.example.reading")): 7], team: "TEAM", actsFor: ["a.desktop"],
      domains: ["activitycontinuation:example.com", "applinks:*.example.org"].compactMap { AssociatedDomain($0) },
      desktopCommands: [["reader", "%U"], []], serviceFile: "/s/\(name)", exec: ["/usr/bin/reader", ""],
      problems: ["One.", "Two."])
  }

  /// Two files each, one after the other, with one between that is none of Segue's business.
  private func bytes(_ applications: [InstalledApplication]) -> [UInt8] {
    let desktop = applications.enumerated().map {
      DeclarationCache.NewFile(name: "\($1.name).desktop", identity: identity($0), application: $1.appID)
    }
    let services = applications.enumerated().map {
      DeclarationCache.NewFile(name: "\($1.name).service", identity: identity(100 + $0), application: $1.appID)
    }
    let other = DeclarationCache.NewFile(name: "other.desktop", identity: identity(99), application: nil)
    return DeclarationCache.bytes(key: key, folders: [("/a", desktop + [other]), ("/s", services)]) { id in
      applications.first { $0.appID == id }
    }
  }

  private func find(_ name: String, _ names: inout DeclarationCache.Names) -> Int? {
    Array(name.utf8).withUnsafeBytes { names.find($0) }
  }

  @Test func whatIsWrittenIsRead() throws {
    let applications = [try application("B"), try application("A"), try application("C", types: [])]
    let cache = try #require(DeclarationCache(bytes(applications), key: key))
    let index = ApplicationIndex(cache.applications)
    #expect(index.appIDs.map { $0.string } == ["com.example.A", "com.example.B", "com.example.C"])
    for application in applications { #expect(index.application(application.appID) == application) }
    let type = try #require(ActivityType("com.example.reading"))
    #expect(index.applications(claiming: type) == [applications[1], applications[0]])
    let host = try #require(DomainName("www.example.org"))
    #expect(
      index.applications(claiming: host, for: .links).map { $0.application } == [1, 0, 2].map { applications[$0] })
    #expect(index.applications(claiming: host, for: .continuation).isEmpty)
    #expect(index.claimedDomains.map { $0.string }.sorted() == ["example.com", "example.org"])
    #expect(cache.files.count == 7)
    let number = try #require(index.cachedNumber(of: applications[0].appID))
    let files = cache.applications.files(of: number)
    #expect(files.map { cache.folder(of: $0) } == ["/a", "/s"])
    #expect(files.compactMap { cache.name(of: $0) } == ["B é.desktop", "B é.service"])
    #expect(files.map { cache.files[$0].application } == [number, number])
  }

  @Test func filesAreFoundInAnyOrder() throws {
    let cache = try #require(DeclarationCache(bytes([try application("B"), try application("A")]), key: key))
    var names = try #require(cache.names(in: "/a"))
    #expect(find("B é.desktop", &names) == 0)
    #expect(find("A é.desktop", &names) == 1)
    #expect(find("new.desktop", &names) == nil)
    #expect(find("other.desktop", &names) == 2)
    #expect(find("B é.desktop", &names) == 0)
    #expect(find("A é.service", &names) == nil)
    #expect(cache.files[2].application == nil)
    #expect(cache.names(in: "/b") == nil)
  }

  @Test func anIndexChangesOverACache() throws {
    let (a, b) = (try application("A"), try application("B"))
    let cache = try #require(DeclarationCache(bytes([a, b]), key: key))
    var index = ApplicationIndex(cache.applications)
    let type = try #require(ActivityType("com.example.reading"))
    let isChanged = index.set(a.appID, to: a)
    #expect(!isChanged)
    #expect(index.cachedNumber(of: a.appID) == nil && index.count == 2)
    #expect(index.applications(claiming: type) == [a, b])
    var other = b
    other.activityTypes = []
    other.domains = []
    let isOtherChanged = index.set(b.appID, to: other)
    #expect(isOtherChanged)
    #expect(!index.hasCached)
    #expect(index.applications(claiming: type) == [a])
    #expect(index.claimedDomains.count == 2)
    let isGone = index.set(a.appID, to: nil)
    #expect(isGone && index.claimedDomains.isEmpty)
    index = ApplicationIndex(cache.applications)
    let isGoneAgain = index.set(a.appID, to: nil)
    #expect(isGoneAgain)
    #expect(index.application(a.appID) == nil && index.appIDs == [b.appID])
    #expect(index.applications(claiming: type) == [b])
  }

  @Test func aCacheOfAnotherBuildIsNone() throws {
    let bytes = bytes([try application("A")])
    #expect(DeclarationCache(bytes, key: Array("another build".utf8)) == nil)
    #expect(DeclarationCache(bytes, key: []) == nil)
  }

  /// Nothing but the administrator's own file makes an application the administrator's.
  @Test func attack43_whatACacheSaysIsTheUsers() throws {
    var application = try application("A")
    application.tier = .system
    #expect(DeclarationCache(bytes([application]), key: key)?.applications.count == 0)
    application.tier = .user
    let cache = try #require(DeclarationCache(bytes([application]), key: key))
    #expect(cache.applications.application(0)?.tier == .user)
  }

  @Test func attack43_aDamagedCacheIsNone() throws {
    let bytes = bytes([try application("A")])
    for length in bytes.indices { #expect(DeclarationCache(Array(bytes[..<length]), key: key) == nil) }
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8(place & 7)
      #expect(DeclarationCache(damaged, key: key) == nil)
    }
    #expect(DeclarationCache(bytes + [0], key: key) == nil)
  }

  /// Whoever can write the file can write the hash: no content ends the daemon, whatever is asked of it.
  @Test func attack43_aForgedCacheIsRead() throws {
    let (a, b) = (try application("A"), try application("B"))
    let bytes = bytes([a, b])
    var generator = SystemRandomNumberGenerator()
    for place in 16..<bytes.count {
      for value in [UInt8(0), 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &generator)] {
        var forged = bytes
        forged[place] = value
        if value == 0x80 { forged.removeLast(place % 64) }
        askForAll(sealed(forged), [a.appID, b.appID])
      }
    }
  }

  private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var writer = CacheWriter()
    writer.number(damageHash(bytes[16...]))
    return bytes[..<8] + writer.bytes + bytes[16...]
  }

  private func askForAll(_ bytes: [UInt8], _ ids: [AppID]) {
    guard let cache = DeclarationCache(bytes, key: key) else { return }
    var index = ApplicationIndex(cache.applications)
    for number in [-1, .max] + cache.applications.numbers {
      for file in cache.applications.files(of: number) { _ = (cache.folder(of: file), cache.name(of: file)) }
      #expect(cache.applications.application(number)?.tier != .system)
    }
    for file in cache.files.indices { _ = cache.name(of: file) }
    if var names = cache.names(in: "/a") { _ = find("B é.desktop", &names) }
    _ = (index.appIDs, index.claimedDomains)
    if let type = ActivityType("com.example.reading") { _ = index.applications(claiming: type) }
    if let host = DomainName("www.example.org") { _ = index.applications(claiming: host, for: .links) }
    for id in ids { index.set(id, to: nil) }
  }

  @Test func filesOfACache() throws {
    let files = (0...Limits.cachedDeclarations).map {
      DeclarationCache.NewFile(name: "\($0)", identity: identity($0), application: nil)
    }
    func count(_ count: Int) -> Int? {
      DeclarationCache(
        DeclarationCache.bytes(key: key, folders: [("/a", Array(files[..<count]))]) { _ in nil }, key: key)?.files.count
    }
    #expect(count(Limits.cachedDeclarations) == Limits.cachedDeclarations)
    #expect(count(Limits.cachedDeclarations + 1) == Limits.cachedDeclarations)
  }

  /// An application goes in whole or not at all.
  @Test func theLastApplicationThatHasRoom() throws {
    let a = try application("A")
    var files = (0..<Limits.cachedDeclarations - 1).map {
      DeclarationCache.NewFile(name: "\($0)", identity: identity($0), application: nil)
    }
    files += [1, 2].map { DeclarationCache.NewFile(name: "a\($0)", identity: identity($0), application: a.appID) }
    let bytes = DeclarationCache.bytes(key: key, folders: [("/a", files)]) { _ in a }
    let cache = try #require(DeclarationCache(bytes, key: key))
    #expect(cache.files.count == Limits.cachedDeclarations - 1 && cache.applications.count == 0)
  }

  @Test func bytesOfACache() throws {
    var large = try application("A")
    large.problems = [String(repeating: "x", count: 1024 * 1024)]
    let applications = try (0..<20).map { number in
      var application = large
      application.appID = try #require(AppID("com.example.A\(number)"))
      return application
    }
    let bytes = bytes(applications)
    #expect(bytes.count <= Limits.declarationCacheLength)
    let count = try #require(DeclarationCache(bytes, key: key)?.applications.count)
    #expect((10..<16).contains(count))
    #expect(DeclarationCache(sealed(bytes + [UInt8](repeating: 0, count: 16 * 1024 * 1024)), key: key) == nil)
  }

  @Test(arguments: [
    (Int64(0), true), (2_999_999_999, true), (3_000_000_000, false), (4_999_999_999, false), (.max, false),
  ])
  func aFileThatHasJustChangedMayChangeUnseen(time: Int64, isSettled: Bool) {
    var file = identity(0)
    file.modified = time
    #expect(file.isSettled(at: 5_000_000_000) == isSettled)
    file.modified = 0
    file.changed = time
    #expect(file.isSettled(at: 5_000_000_000) == isSettled)
    #expect(!file.isSettled(at: .min))
  }
}
