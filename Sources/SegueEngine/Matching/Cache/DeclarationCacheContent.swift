import SegueCore

/// Puts together the bytes of a `DeclarationCache`.
struct DeclarationCacheContent {
  private var folders: [(path: String, files: [DeclarationCache.NewFile])] = []
  /// The records of the applications, without the ids and the files' numbers, by their ids.
  private var records: [(application: InstalledApplication, bytes: [UInt8])] = []
  /// The places of the applications in the order of their ids.
  private var numbers: [AppID: Int] = [:]

  init(
    _ folders: [(path: String, files: [DeclarationCache.NewFile])], _ applications: (AppID) -> InstalledApplication?
  ) {
    var found: [AppID: (application: InstalledApplication, bytes: [UInt8])] = [:]
    var left = Limits.cachedDeclarations
    var length = 0
    // How many files declare each application, and what they take.
    var counts: [AppID: Int] = [:]
    var sizes: [AppID: Int] = [:]
    for (_, files) in folders {
      for file in files {
        guard let id = file.application else { continue }
        counts[id, default: 0] += 1
        sizes[id, default: 0] += Self.length(of: file)
      }
    }
    // Applications for which there is no room.
    var refused: Set<AppID> = []
    for (path, files) in folders {
      var kept: [DeclarationCache.NewFile] = []
      for file in files where left > 0 {
        if let id = file.application {
          if refused.contains(id) { continue }
          if found[id] == nil, let application = applications(id), application.tier == .user {
            var writer = CacheWriter()
            application.write(to: &writer)
            let needed = writer.bytes.count + Self.length(of: application) + sizes[id, default: 0]
            guard length + needed <= Self.contentLength else {
              refused.insert(id)
              continue
            }
            found[id] = (application, writer.bytes)
            length += needed
          }
        } else {
          guard length <= Self.contentLength else { continue }
          length += Self.length(of: file)
        }
        left -= 1
        kept.append(file)
      }
      length += path.utf8.count + Self.fileLength
      self.folders.append((path, kept))
    }
    // An application whose files are not all there, or that the index has not, stays out with all of its files.
    var keptCounts: [AppID: Int] = [:]
    for (_, files) in self.folders {
      for file in files { if let id = file.application { keptCounts[id, default: 0] += 1 } }
    }
    let whole = found.filter { keptCounts[$0.key] == counts[$0.key] }
    for place in self.folders.indices {
      self.folders[place].files.removeAll { $0.application.map { whole[$0] == nil } ?? false }
    }
    records = whole.values.sorted { $0.application.appID.string < $1.application.appID.string }
    for (number, record) in records.enumerated() { numbers[record.application.appID] = number }
  }

  /// What a file and an application take beside their texts, at most.
  private static let fileLength = 128
  private static let applicationLength = 64
  /// The bounds are checked before an entry is added, and the key and the tables' lengths come on top.
  private static let contentLength = Limits.declarationCacheLength - 8 * Limits.fileLength

  private static func length(of file: DeclarationCache.NewFile) -> Int { file.name.utf8.count + fileLength }

  /// What an application takes beside its record and its files, at most.
  private static func length(of application: InstalledApplication) -> Int {
    let types = application.activityTypes.reduce(0) { $0 + $1.string.utf8.count + fileLength }
    let domains = application.domains.reduce(0) { $0 + $1.claim.utf8.count + fileLength }
    return 2 * application.appID.string.utf8.count + applicationLength + types + domains
  }

  mutating func body(after start: Int, key: [UInt8]) -> [UInt8] {
    var files: [Int: [Int]] = [:]
    var number = 0
    for (_, some) in folders {
      for file in some {
        if let application = file.application.flatMap({ numbers[$0] }) {
          files[application, default: []].append(number)
        }
        number += 1
      }
    }
    // The texts and records come last; the tables say where.
    var types: [(text: String, number: Int)] = []
    var domains: [(text: String, number: Int)] = []
    for (number, record) in records.enumerated() {
      for type in record.application.activityTypes { types.append((type.string, number)) }
      for domain in record.application.domains { domains.append((domain.claim, number)) }
    }
    types.sort { ($0.text, $0.number) < ($1.text, $1.number) }
    domains.sort { ($0.text, $0.number) < ($1.text, $1.number) }
    var listing = CacheWriter()
    listing.list(folders) { writer, folder in
      writer.text(folder.path)
      writer.list(folder.files) { write($1, to: &$0) }
    }
    let tables = 4 + 4 * records.count + 4 + 8 * types.count + 4 + 8 * domains.count
    let texts = start + 4 + key.count + tables + listing.bytes.count
    var last = CacheWriter()
    func place(_ text: String) -> Int {
      defer { last.text(text) }
      return texts + last.bytes.count
    }
    var writer = CacheWriter()
    writer.list(key) { $0.bytes.append($1) }
    writer.count(records.count)
    for (number, record) in records.enumerated() {
      writer.count(place(record.application.appID.string))
      last.list(files[number] ?? []) { $0.count($1) }
      last.bytes += record.bytes
    }
    for rows in [types, domains] {
      writer.count(rows.count)
      for row in rows {
        writer.count(place(row.text))
        writer.count(row.number)
      }
    }
    return writer.bytes + listing.bytes + last.bytes
  }

  private func write(_ file: DeclarationCache.NewFile, to writer: inout CacheWriter) {
    let identity = file.identity
    writer.number(identity.device)
    writer.number(identity.inode)
    writer.number(identity.size)
    writer.number(identity.changed)
    writer.number(identity.modified)
    writer.number(identity.owner)
    writer.number(identity.mode)
    writer.number(identity.links)
    writer.count(file.application.flatMap { numbers[$0] }.map { $0 + 1 } ?? 0)
    writer.text(file.name)
  }
}
