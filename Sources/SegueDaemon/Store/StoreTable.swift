import CSQLite
import SegueCore
import SegueEngine
import SegueLink

/// The store's one table: how a copy is written, and what is believed of what is read.
enum StoreTable {
  /// "SEGU": another program's database is not taken for a store.
  private static let applicationID: Int64 = 0x5345_4755

  /// The steps, each of which turns a store of version n into one of version n + 1. Steps are only ever added: a store
  /// remembers how many it has been through (user_version).
  private static let steps = [
    """
    CREATE TABLE copy (
      device TEXT NOT NULL, activity TEXT NOT NULL, kind TEXT NOT NULL, app TEXT NOT NULL, type TEXT NOT NULL,
      revision INTEGER NOT NULL, title TEXT, host TEXT, version INTEGER NOT NULL, tier INTEGER NOT NULL, team TEXT,
      persistent TEXT, stored INTEGER NOT NULL, expires INTEGER NOT NULL, size INTEGER NOT NULL,
      url TEXT, target TEXT, keywords BLOB NOT NULL, files BLOB NOT NULL, userinfo BLOB NOT NULL,
      PRIMARY KEY (device, activity, kind)) STRICT
    """,
    // With these indexes, expired copies, the total size and a clock that went back are found without a look at the
    // rows.
    "CREATE INDEX copy_by_end ON copy (expires)",
    "CREATE INDEX copy_by_age ON copy (stored, size)",
    // What an application said of an activity whose state is stored for its own return.
    "ALTER TABLE copy ADD COLUMN traits INTEGER NOT NULL DEFAULT 0",
  ]

  /// The columns of a StoredCopy; those behind them, which may be long, are not touched where only these are read.
  private static let head =
    "device, activity, kind, app, type, revision, title, host, version, tier, team, persistent, stored, expires, size, keywords, traits"
  /// The same as it is read: the window counts for states alone.
  private static let shown = head + ", CASE kind WHEN 'restoration' THEN target END"

  /// Makes the connection ready, and the table the present one.
  static func prepare(_ database: Database, fileBytes: Int) throws(Database.Failure) {
    // Deleted copies free their space in the file. The option is set only for an empty file: in any other file the
    // pragma itself writes, and the file could not be read any more where the disk is full.
    if try isEmpty(database) { try database.run("PRAGMA auto_vacuum = FULL") }
    try check(database)
    // The journal is deleted, and its folder synchronised: what was reported as stored survives a power failure.
    try database.run("PRAGMA journal_mode = DELETE")
    try database.run("PRAGMA synchronous = EXTRA")
    // Deleted content is overwritten.
    try database.run("PRAGMA secure_delete = ON")
    // The file's content is trusted as little as possible.
    try database.run("PRAGMA trusted_schema = OFF")
    try database.run("PRAGMA cell_size_check = ON")
    try database.run("PRAGMA cache_size = -256")
    try database.run("PRAGMA max_page_count = \(fileBytes / Int(try number("page_size", database)))")
    try database.transaction { () throws(Database.Failure) in
      let version = try number("user_version", database)
      guard version < steps.count else { return }
      for step in steps[Int(version)...] { try database.run(step) }
      try database.run("PRAGMA application_id = \(applicationID)")
      try database.run("PRAGMA user_version = \(steps.count)")
    }
  }

  private static func check(_ database: Database) throws(Database.Failure) {
    let isEmpty = try isEmpty(database)
    let version = try number("user_version", database)
    let owner = try number("application_id", database)
    guard isEmpty && version == 0 || owner == applicationID else {
      throw Database.Failure(code: Database.notADatabase, message: "it is another program's database")
    }
    guard (0...Int64(steps.count)).contains(version) else {
      throw Database.Failure(code: Database.notADatabase, message: "it is of a later version of Segue")
    }
  }

  private static func isEmpty(_ database: Database) throws(Database.Failure) -> Bool {
    try database.run("SELECT 1 FROM sqlite_schema LIMIT 1").isEmpty
  }

  private static func number(_ pragma: String, _ database: Database) throws(Database.Failure) -> Int64 {
    guard case .integer(let number)? = try database.run("PRAGMA \(pragma)").first?.first else { return 0 }
    return number
  }

  // MARK: Copies

  static func put(_ copy: StoredCopy, _ snapshot: Snapshot, in database: Database) throws(Database.Failure) {
    let offer = copy.offer
    let values: [Database.Value] = [
      .text(name(copy.device)), .text(offer.id.hex), .text(copy.kind.rawValue), .text(offer.appID.string),
      .text(offer.type.string), .integer(offer.revision), .text(offer.title), .text(offer.webHost),
      .integer(offer.version), .integer(UInt64(offer.tier.rawValue)), .text(offer.team),
      .text(copy.persistentIdentifier), .integer(copy.storedAt), .integer(copy.expiresAt),
      .integer(UInt64(clamping: copy.size)), .blob(bytes(.array(snapshot.keywords.map { .string($0) }))),
      .integer(copy.traits.bits), .text(snapshot.webpageURL), .text(snapshot.targetContentIdentifier),
      .blob(bytes(.array(snapshot.files.map { $0.stored }))), .blob(snapshot.userInfo),
    ]
    let places = values.map { _ in "?" }.joined(separator: ", ")
    try database.run(
      "INSERT OR REPLACE INTO copy (\(head), url, target, files, userinfo) VALUES (\(places))", values)
  }

  /// The latest first. A row that cannot be understood is left out, and is removed when it expires.
  static func copies(at now: UInt64, in database: Database) throws(Database.Failure) -> [StoredCopy] {
    try database.run("SELECT \(shown) FROM copy WHERE expires > ? ORDER BY stored DESC, activity", [.integer(now)])
      .compactMap { copy($0) }
  }

  static func snapshot(
    _ key: StoredCopy.Key, at now: UInt64, in database: Database
  ) throws(Database.Failure) -> Snapshot? {
    let row = try database.run(
      "SELECT \(shown), url, target, files, userinfo FROM copy WHERE \(condition)", values(key)
    ).first
    guard let row, row.count == 22, let copy = copy(Array(row[..<18])), copy.expiresAt > now,
      let userInfo = row[21].blob,
      userInfo.count <= Limits.userInfoMaximum, (try? CBOR.check(userInfo)) == .dictionary
    else { return nil }
    return Snapshot(
      id: copy.offer.id, revision: copy.offer.revision, type: copy.offer.type, title: copy.offer.title,
      webpageURL: row[18].text, targetContentIdentifier: row[19].text, userInfo: userInfo, files: files(row[20].blob),
      isStored: true, age: copy.age(at: now) &* 1000, persistentIdentifier: copy.persistentIdentifier,
      keywords: copy.keywords)
  }

  /// Gives back which were there.
  static func remove(_ keys: [StoredCopy.Key], from database: Database) throws(Database.Failure) -> [StoredCopy.Key] {
    var removed: [StoredCopy.Key] = []
    for key in keys {
      removed += self.keys(try database.run("DELETE FROM copy WHERE \(condition) RETURNING \(identity)", values(key)))
    }
    return removed
  }

  /// Removes the copies of other activities that the copy replaces: in a search, or as a window's state.
  static func removeTwins(
    of copy: StoredCopy, from database: Database
  ) throws(Database.Failure) -> [StoredCopy.Key] {
    if copy.kind == .restoration { return try removeStates(ofTheWindowOf: copy, from: database) }
    guard copy.kind == .search, let identifier = copy.persistentIdentifier else { return [] }
    return keys(
      try database.run(
        """
        DELETE FROM copy WHERE kind = ? AND device = ? AND app = ? AND persistent = ? AND activity <> ?
        RETURNING \(identity)
        """,
        [
          .text(copy.kind.rawValue), .text(name(copy.device)), .text(copy.offer.appID.string), .text(identifier),
          .text(copy.offer.id.hex),
        ]))
  }

  private static func removeStates(
    ofTheWindowOf copy: StoredCopy, from database: Database
  ) throws(Database.Failure) -> [StoredCopy.Key] {
    keys(
      try database.run(
        """
        DELETE FROM copy WHERE kind = ? AND device = ? AND app = ? AND type = ? AND target IS ? AND persistent IS ?
        AND activity <> ? RETURNING \(identity)
        """,
        [
          .text(copy.kind.rawValue), .text(name(copy.device)), .text(copy.offer.appID.string),
          .text(copy.offer.type.string), .text(copy.targetContentIdentifier), .text(copy.persistentIdentifier),
          .text(copy.offer.id.hex),
        ]))
  }

  /// Whether the bounds hold, where they have held before this copy came.
  static func isWithin(
    _ bounds: StoreBounds, for copy: StoredCopy, in database: Database
  ) throws(Database.Failure) -> Bool {
    let all = try database.run("SELECT count(*), sum(size) FROM copy").first ?? []
    let own = try database.run(
      "SELECT count(*) FROM copy WHERE device = ? AND app = ? AND (kind = ?) = ?",
      [
        .text(name(copy.device)), .text(copy.offer.appID.string), .text(StoredCopy.Kind.restoration.rawValue),
        copy.kind == .restoration ? .integer(Int64(1)) : .integer(Int64(0)),
      ]
    ).first
    guard all.count == 2, let count = all[0].number, let bytes = all[1].number, let own = own?.first?.number else {
      return false
    }
    let most = copy.kind == .restoration ? bounds.statesPerApplication : bounds.perApplication
    return count <= bounds.count && bytes <= bounds.bytes && own <= most
  }

  /// The copies end then, or (nil) as late as any, and never after `life` seconds. Gives back those that are there.
  static func set(
    end: UInt64?, life: UInt64, of keys: [StoredCopy.Key], in database: Database
  ) throws(Database.Failure) -> [StoredCopy] {
    var changed: [StoredCopy] = []
    for key in keys {
      changed += try database.run(
        """
        UPDATE copy SET expires = min(stored + ?1, ?2),
          traits = traits & ~\(expiry) | CASE WHEN ?2 < stored + ?1 THEN \(expiry) ELSE 0 END
        WHERE \(condition) RETURNING \(shown)
        """,
        [.integer(life), .integer(end ?? .max)] + values(key)
      ).compactMap { copy($0) }
    }
    return changed
  }

  /// No copy lives longer than any may, whatever the file says. Looks at each row.
  static func limitLives(in database: Database) throws(Database.Failure) {
    try database.run(
      "UPDATE copy SET expires = stored + ?1 WHERE expires > stored + ?1", [.integer(Limits.storedCopyTime / 1000)])
  }

  /// Removes what has expired, and gives it back. Where the clock went back, a copy lives no longer than it would have
  /// from now on.
  static func expire(at now: UInt64, in database: Database) throws(Database.Failure) -> [StoredCopy.Key] {
    let now = Database.Value.integer(now)
    try database.run(
      "UPDATE copy SET expires = min(expires, ?1 + max(expires - stored, 0)), stored = ?1 WHERE stored > ?1", [now])
    return keys(try database.run("DELETE FROM copy WHERE expires <= ?1 RETURNING \(identity)", [now]))
  }

  // MARK: Rows

  /// The trait of an activity that expires, as the column of traits has it.
  private static let expiry: UInt64 = {
    var traits = StateTraits()
    traits.expires = true
    return traits.bits
  }()

  /// The columns of a StoredCopy.Key.
  private static let identity = "device, activity, kind"
  private static let condition = "device = ? AND activity = ? AND kind = ?"

  private static func keys(_ rows: [[Database.Value]]) -> [StoredCopy.Key] {
    rows.compactMap { row in
      guard row.count == 3, let place = row[0].text, let activity = row[1].text.flatMap({ Identifier(hex: $0) }),
        let kind = row[2].text.flatMap({ StoredCopy.Kind(rawValue: $0) })
      else { return nil }
      let device = DeviceID(recorded: place)
      return device != nil || place == DeviceID.here
        ? StoredCopy.Key(device: device, activity: activity, kind: kind) : nil
    }
  }

  private static func values(_ key: StoredCopy.Key) -> [Database.Value] {
    [.text(name(key.device)), .text(key.activity.hex), .text(key.kind.rawValue)]
  }

  private static func name(_ device: DeviceID?) -> String { DeviceID.recorded(device) }

  private static func copy(_ row: [Database.Value]) -> StoredCopy? {
    guard row.count == 18, let place = row[0].text, let id = row[1].text.flatMap({ Identifier(hex: $0) }),
      let kind = row[2].text.flatMap({ StoredCopy.Kind(rawValue: $0) }),
      let appID = row[3].text.flatMap({ AppID($0) }), let type = row[4].text.flatMap({ ActivityType($0) }),
      let revision = row[5].number, let version = row[8].number, let stored = row[12].number,
      let expires = row[13].number, let size = row[14].number
    else { return nil }
    let device = DeviceID(recorded: place)
    guard device != nil || place == DeviceID.here else { return nil }
    let tier = row[9].number.flatMap { UInt8(exactly: $0) }.flatMap { InstalledApplication.Tier(rawValue: $0) }
    let offer = Offer(
      id: id, revision: revision, type: type, appID: appID, title: row[6].text, webHost: row[7].text, version: version,
      tier: tier ?? .user, team: row[10].text)
    var copy = StoredCopy(kind, of: offer, from: device, persistentIdentifier: row[11].text)
    (copy.storedAt, copy.expiresAt, copy.size) = (stored, expires, Int(clamping: size))
    copy.keywords = keywords(row[15].blob)
    if kind == .restoration {
      copy.traits = StateTraits(bits: row[16].number ?? 0)
      copy.targetContentIdentifier = row[17].text
    }
    return copy
  }

  /// The encoding of a value. It cannot fail for a value within the bounds of a snapshot.
  private static func bytes(_ value: Value) -> [UInt8] { (try? CBOR.encode(value)) ?? [] }

  private static func array(_ bytes: [UInt8]?) -> [Value] {
    guard let bytes, case .array(let values)? = try? CBOR.decode(bytes) else { return [] }
    return values
  }

  private static func keywords(_ bytes: [UInt8]?) -> [String] { array(bytes).compactMap { $0.string } }

  private static func files(_ bytes: [UInt8]?) -> [ContainerFile] {
    array(bytes).compactMap { ContainerFile.of(stored: $0) }
  }
}

extension Database {
  static let notADatabase = SQLITE_NOTADB
  static let cannotOpen = SQLITE_CANTOPEN
}
