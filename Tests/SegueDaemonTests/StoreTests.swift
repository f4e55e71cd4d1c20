import Glibc
import SegueCore
import SegueEngine
import SegueLink
import SegueState
import Testing

@testable import SegueDaemon

/// A store in a folder of its own, with a clock that is set by hand.
final class TestStore {
  let folder: String
  var now: UInt64 = 1_000_000
  private(set) var reports: [String] = []
  var bounds = StoreBounds()
  var life: UInt64 = 3600
  private(set) lazy var store = open()

  init() throws {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    folder = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    for name in names { unlink(folder + "/" + name) }
    rmdir(folder)
  }

  var path: String { folder + "/" + Store.file }

  var names: [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// As after the daemon's restart.
  func reopen() { store = open() }

  private func open() -> Store {
    Store(
      folder: folder, life: life, bounds: bounds, now: { [unowned self] in now },
      report: { [unowned self] in reports.append($0) })
  }

  /// The numbers of what is kept, the latest first.
  func kept() throws -> [UInt64] { try store.copies().map { $0.offer.id.low } }

  func bytes() throws -> [UInt8] { try #require(try File.read(path, maximum: 1 << 20)) }

  func write(_ bytes: [UInt8], to name: String = Store.file) throws {
    let file = Glibc.open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }
}

func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }

func copy(
  _ number: UInt64, _ kind: StoredCopy.Kind = .snapshot, from device: DeviceID? = nil, app: String = "com.example.App",
  timeLeft: UInt64? = nil
) throws -> StoredCopy {
  StoredCopy(
    kind,
    of: Offer(
      id: id(number), revision: 1, type: .browsingWeb, appID: try #require(AppID(app)), title: "Page", webHost: "a.org",
      version: 3, tier: .system, team: "team", timeLeft: timeLeft), from: device)
}

func snapshot(
  _ number: UInt64, revision: UInt64 = 1, persistent: String? = nil, userInfo: [UInt8] = [0xa0]
) -> Snapshot {
  Snapshot(
    id: id(number), revision: revision, type: .browsingWeb, title: "Page", webpageURL: "https://a.org/?q#f",
    targetContentIdentifier: "window", userInfo: userInfo,
    files: [ContainerFile(url: "file:///a", container: "c", path: "a")], persistentIdentifier: persistent,
    keywords: ["one", "two"])
}

func device(_ number: UInt8) throws -> DeviceID {
  try #require(DeviceID(bytes: [UInt8](repeating: number, count: 32)))
}

@Suite struct StoreTests {
  @Test func filesOfACopyLieInTheStoreWithTheirURLAsText() throws {
    let test = try TestStore()
    let copy = try test.store.put(try copy(1), snapshot(1)).copy
    let written = try CBOR.encode([["url": "file:///a", "container": "c", "path": "a"]])
    #expect(try test.bytes().contains(written))
    #expect(try test.store.snapshot(copy.key)?.files == snapshot(1).files)
  }

  @Test func X7_whatIsStoredComesBackAsItWas() throws {
    let test = try TestStore()
    #expect(try test.kept() == [])
    #expect(test.names == [], "asking alone makes no file")
    let put = try test.store.put(try copy(1), snapshot(1, revision: 7, persistent: "p"))
    test.reopen()
    let copies = try test.store.copies()
    #expect(copies == [put.copy])
    #expect(copies.first?.offer.isSnapshot == true)
    #expect(copies.first?.offer.revision == 7)
    #expect(copies.first?.offer.team == "team")
    var wanted = snapshot(1, revision: 7, persistent: "p")
    (wanted.isStored, wanted.age) = (true, 0)
    #expect(try test.store.snapshot(put.copy.key) == wanted)
    #expect(try test.store.snapshot(try copy(2).key) == nil)
    // A later one takes its place; one for search stands beside it.
    _ = try test.store.put(try copy(1), snapshot(1, revision: 8))
    _ = try test.store.put(try copy(1, .search), snapshot(1, revision: 8))
    #expect(try test.kept() == [1, 1])
    var status = stat()
    #expect(stat(test.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func X7_aStateIsAsOldAsItWasWhereItCameFrom() throws {
    let test = try TestStore()
    var kept = snapshot(1)
    kept.age = 50_999
    let put = try test.store.put(try copy(1, from: device(1)), kept)
    #expect(put.copy.age(at: test.now) == 50)
    test.now += 100
    #expect(try test.store.snapshot(put.copy.key)?.age == 150_000)
    // Another device says what it likes.
    kept.age = .max
    #expect(try test.store.put(try copy(1, from: device(1)), kept).copy.storedAt == 0)
    #expect(try test.kept() == [1])
  }

  @Test func X7_whoListsWhatIsKeptIsToldOfEachChangeAndOfNothingElse() throws {
    let test = try TestStore()
    var changes = 0
    test.store.changed = { changes += 1 }
    _ = try test.store.put(try copy(1), snapshot(1))
    #expect(changes == 1)
    _ = try test.kept()
    _ = try test.store.snapshot(try copy(1).key)
    try test.store.remove([try copy(2).key])
    #expect(changes == 1)
    try test.store.remove([try copy(1).key])
    #expect(changes == 2)
    // An expired copy is reported when the store notices it.
    _ = try test.store.put(try copy(3), snapshot(3))
    test.now += test.life + 1
    #expect(try test.kept() == [])
    #expect(changes == 4)
  }

  @Test func X7_whatIsRemovedIsGoneFromTheFileToo() throws {
    let test = try TestStore()
    let userInfo = try CBOR.encode(["a": "a secret"])
    _ = try test.store.put(try copy(1), snapshot(1, userInfo: userInfo))
    _ = try test.store.put(try copy(2, from: try device(1)), snapshot(2))
    #expect(try String(decoding: test.bytes(), as: UTF8.self).contains("a secret"))
    #expect(try test.store.remove([try copy(1).key, try copy(3).key]) == [try copy(1).key])
    #expect(try !String(decoding: test.bytes(), as: UTF8.self).contains("a secret"))
    #expect(try test.kept() == [2])
  }

  @Test func C5_ofOnePersistentIdentifierOnlyTheLatestIsKeptForSearch() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1, .search), snapshot(1, persistent: "p"))
    _ = try test.store.put(try copy(2, .search), snapshot(2, persistent: "q"))
    _ = try test.store.put(try copy(3, .search, app: "com.example.Other"), snapshot(3, persistent: "p"))
    _ = try test.store.put(try copy(4, .snapshot), snapshot(4, persistent: "p"))
    let put = try test.store.put(try copy(5, .search), snapshot(5, persistent: "p"))
    #expect(put.gone == [try copy(1, .search).key])
    #expect(try test.kept().sorted() == [2, 3, 4, 5])
  }

  @Test func C7_aCopyIsGoneAtItsEnd() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1, timeLeft: 10_000), snapshot(1))
    _ = try test.store.put(try copy(2), snapshot(2))
    test.now += 9
    #expect(try test.kept().sorted() == [1, 2])
    test.now += 1
    #expect(try test.kept() == [2])
    #expect(try test.store.snapshot(try copy(1).key) == nil)
    test.now += 3589
    #expect(try test.kept() == [2])
    test.now += 1
    #expect(try test.kept() == [])
  }

  @Test func C7_whatWasStoredAgainHasNotExpired() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1, timeLeft: 10_000), snapshot(1))
    test.now += 10
    _ = try test.store.put(try copy(1), snapshot(1))
    #expect(try test.store.expire() == [])
    #expect(try test.kept() == [1])
  }

  @Test func C7_aClockThatGoesBackLetsNothingLiveForEver() throws {
    let test = try TestStore()
    test.now = 2_000_000_000
    _ = try test.store.put(try copy(1), snapshot(1))
    test.now = 1_000_000
    #expect(try test.kept() == [1])
    test.reopen()
    test.now += 3599
    #expect(try test.kept() == [1])
    test.now += 1
    #expect(try test.kept() == [], "it lives as long as it would have, from the jump on")
    // Forward: what should be over is over.
    _ = try test.store.put(try copy(2), snapshot(2))
    test.now += 1_000_000_000
    #expect(try test.kept() == [])
  }

  @Test func X7_theOldestGiveWay() throws {
    let test = try TestStore()
    test.bounds = StoreBounds(perApplication: 2, count: 4, bytes: 1 << 20)
    let put = { (number: UInt64, device: DeviceID?, app: String) in
      test.now += 1
      return try test.store.put(try copy(number, from: device, app: app), snapshot(number)).gone
    }
    #expect(try put(1, nil, "com.example.A") == [])
    #expect(try put(2, nil, "com.example.A") == [])
    #expect(try put(3, nil, "com.example.A") == [try copy(1).key])
    #expect(try put(4, try device(1), "com.example.A") == [], "another device's are counted apart")
    #expect(try put(5, try device(2), "com.example.A") == [])
    // Another device's copy makes room for this device's, and does not push that out.
    #expect(try put(6, nil, "com.example.B") == [try copy(4, from: try device(1)).key])
    #expect(try put(7, try device(3), "com.example.A") == [try copy(5, from: try device(2)).key])
    #expect(try test.kept() == [7, 6, 3, 2])
    test.bounds = StoreBounds(perApplication: 9, count: 9, bytes: 2500)
    test.reopen()
    let large = try CBOR.encode(["a": .data([UInt8](repeating: 1, count: 1000))])
    test.now += 1
    _ = try test.store.put(try copy(8, app: "com.example.B"), snapshot(8, userInfo: large))
    #expect(try test.kept() == [8, 6])
  }

  @Test func X7_aDamagedOrForeignFileIsSetAside() throws {
    let healthy = try TestStore()
    for number in 1...40 { _ = try healthy.store.put(try copy(UInt64(number)), snapshot(UInt64(number))) }
    var damaged = try healthy.bytes()
    for index in stride(from: 4096, to: damaged.count, by: 4096) {
      for offset in 0..<64 { damaged[index + offset] = 0xff }
    }
    let foreign = try TestStore()
    try foreign.write([])
    do {
      let database = try Database(foreign.path)
      try database.run("CREATE TABLE their (own)")
    }
    let later = try TestStore()
    _ = try later.store.put(try copy(1), snapshot(1))
    later.store.close()
    try Database(later.path).run("PRAGMA user_version = 99")
    let files = [
      Array("no database at all, and longer than a header of one hundred bytes".utf8)
        + [UInt8](repeating: 7, count: 99),
      Array(damaged[..<700]), damaged, try foreign.bytes(), try later.bytes(),
    ]
    for bytes in files {
      let test = try TestStore()
      try test.write(bytes)
      // A journal that lies beside a damaged file is not applied to the new one.
      try test.write([1, 2, 3], to: Store.file + "-journal")
      #expect(try test.kept() == [])
      #expect(test.reports.count == 1)
      _ = try test.store.put(try copy(1), snapshot(1))
      test.reopen()
      #expect(try test.kept() == [1])
      #expect(test.names.contains(Store.file + Store.asideSuffix))
      #expect(!test.names.contains(Store.file + "-journal"))
    }
  }

  @Test func X7_aLinkOrAFolderInThePlaceOfTheFileIsSetAside() throws {
    let test = try TestStore()
    symlink("/etc/passwd", test.path)
    #expect(try test.kept() == [])
    _ = try test.store.put(try copy(1), snapshot(1))
    #expect(try test.kept() == [1])
    // A file that others could read is no longer so.
    test.store.close()
    chmod(test.path, 0o644)
    #expect(try test.kept() == [1])
    var status = stat()
    #expect(stat(test.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func X7_whatCannotBeWrittenIsAnErrorAndLosesNothing() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1), snapshot(1))
    // Another program holds the file.
    let other = try Database(test.path)
    try other.run("BEGIN EXCLUSIVE")
    #expect(throws: SegueError.self) { try test.store.put(try copy(2), snapshot(2)) }
    try other.run("COMMIT")
    #expect(try test.kept() == [1])
    _ = try test.store.put(try copy(2), snapshot(2))
    #expect(try test.kept().sorted() == [1, 2])
    #expect(test.reports == [])
  }

  @Test func X7_aRowThatCannotBeUnderstoodHarmsNothing() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1), snapshot(1))
    _ = try test.store.put(try copy(2), snapshot(2))
    test.store.close()
    do {
      let database = try Database(test.path)
      try database.run("UPDATE copy SET app = 'no id', revision = -1 WHERE activity = ?", [.text(id(1).hex)])
      try database.run("UPDATE copy SET userinfo = x'ff', files = x'ff', keywords = x'00'")
    }
    #expect(try test.kept() == [2])
    #expect(try test.store.snapshot(try copy(2).key) == nil)
  }

  @Test func C7_noQuestionThatIsAskedOftenLooksAtEachRow() throws {
    let database = try Database(":memory:")
    try StoreTable.prepare(database, fileBytes: 1 << 20)
    for question in [
      "DELETE FROM copy WHERE expires <= 1", "UPDATE copy SET stored = 1 WHERE stored > 1",
      "SELECT count(*), sum(size) FROM copy",
    ] {
      let plan = try database.run("EXPLAIN QUERY PLAN \(question)").compactMap { $0.last?.text }
      #expect(plan.count == 1 && plan[0].contains("INDEX copy_by_"), "\(question): \(plan)")
    }
  }

  @Test func X7_aStoreOfTheFirstVersionIsKept() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1), snapshot(1))
    test.store.close()
    do {
      let database = try Database(test.path)
      try database.run("DROP INDEX copy_by_end")
      try database.run("DROP INDEX copy_by_age")
      try database.run("ALTER TABLE copy DROP COLUMN traits")
      try database.run("PRAGMA user_version = 1")
    }
    #expect(try test.kept() == [1])
    #expect(test.reports == [])
    _ = try test.store.put(try copy(2, .restoration), snapshot(2))
    #expect(try test.kept() == [1, 2])
    test.store.close()
    let names = try Database(test.path).run("SELECT name FROM sqlite_schema WHERE name LIKE 'copy_by%'")
    #expect(names.count == 2)
  }

  @Test func C7_noCopyLivesLongerThanAnyMayWhateverTheFileSays() throws {
    let test = try TestStore()
    _ = try test.store.put(try copy(1), snapshot(1))
    test.store.close()
    try Database(test.path).run("UPDATE copy SET expires = 9000000000")
    test.reopen()
    #expect(try test.store.copies().map { $0.life(at: test.now) } == [Limits.storedCopyTime / 1000])
  }
}
