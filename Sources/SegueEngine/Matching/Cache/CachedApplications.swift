import SegueCore

/// Applications as a cache has them, all of them the user's own. One is taken from the bytes when it is asked for:
/// thousands may be installed, of which a device uses a few.
///
/// The bytes may be anything. What is malformed counts as not there.
public struct CachedApplications: Equatable, Sendable {
  /// Fixed numbers of bytes, in the order of the texts to which they lead.
  struct Table: Equatable, Sendable {
    let start: Int
    let count: Int
  }

  private let bytes: [UInt8]
  /// Of each application the place of its record, by ids.
  private let records: Table
  /// Of each activity type that one declares the place of the text and the application's number, by types and ids.
  private let types: Table
  /// The same of the domains that they claim.
  private let domains: Table
  /// The numbers of those that count no more.
  private var dropped: Set<Int> = []

  init(_ bytes: [UInt8], records: Table, types: Table, domains: Table) {
    self.bytes = bytes
    self.records = records
    self.types = types
    self.domains = domains
  }

  /// How many there are.
  public var count: Int { records.count - dropped.count }

  /// The numbers of all.
  public var numbers: [Int] { (0..<records.count).filter { !dropped.contains($0) } }

  /// Whether the one of a number counts still.
  public func has(_ number: Int) -> Bool { (0..<records.count).contains(number) && !dropped.contains(number) }

  /// The number of the application of an id.
  public func number(of id: AppID) -> Int? {
    let place = lowerBound(of: id.string, in: records.count) { idPlace($0) }
    guard has(place), isText(id.string, at: idPlace(place)) else { return nil }
    return place
  }

  /// The id of a number's application.
  public func id(_ number: Int) -> AppID? {
    var reader = CacheReader(bytes, at: has(number) ? idPlace(number) : -1)
    return reader.text().flatMap { AppID($0) }
  }

  public func application(_ number: Int) -> InstalledApplication? {
    guard has(number) else { return nil }
    var reader = CacheReader(bytes, at: idPlace(number))
    guard let id = reader.text().flatMap({ AppID($0) }), reader.list({ $0.number(UInt32.self) }) != nil else {
      return nil
    }
    return InstalledApplication(cached: &reader, id)
  }

  /// The numbers of the files that declare the application.
  public func files(of number: Int) -> [Int] {
    guard has(number) else { return [] }
    var reader = CacheReader(bytes, at: idPlace(number))
    guard reader.range() != nil else { return [] }
    return (reader.list { $0.number(UInt32.self) } ?? []).map { Int($0) }
  }

  /// The one of this number counts no more.
  public mutating func drop(_ number: Int) {
    if (0..<records.count).contains(number) { dropped.insert(number) }
  }

  /// The numbers of those that declare a type, in alphabetical order of their ids.
  func numbers(claiming type: ActivityType) -> [Int] { numbers(of: type.string, in: types) }

  /// The numbers of those that claim a domain.
  func numbers(claiming domain: AssociatedDomain) -> [Int] { numbers(of: domain.claim, in: domains) }

  /// The domains that they claim.
  var claims: [AssociatedDomain] {
    (0..<domains.count).compactMap { row in
      guard has(application(of: row, in: domains)) else { return nil }
      var reader = CacheReader(bytes, at: textPlace(row, in: domains))
      return reader.text().flatMap { AssociatedDomain($0) }
    }
  }

  // MARK: Tables

  private func numbers(of text: String, in table: Table) -> [Int] {
    var row = lowerBound(of: text, in: table.count) { textPlace($0, in: table) }
    var found: [Int] = []
    while row < table.count, isText(text, at: textPlace(row, in: table)) {
      let number = application(of: row, in: table)
      if has(number) { found.append(number) }
      row += 1
    }
    return found
  }

  private func number(at place: Int) -> Int {
    var reader = CacheReader(bytes, at: place)
    return reader.number(UInt32.self).map { Int($0) } ?? -1
  }

  private func idPlace(_ number: Int) -> Int { self.number(at: records.start + 4 * number) }

  private func textPlace(_ row: Int, in table: Table) -> Int { number(at: table.start + 8 * row) }

  private func application(of row: Int, in table: Table) -> Int { number(at: table.start + 8 * row + 4) }

  private func isText(_ text: String, at place: Int) -> Bool {
    var reader = CacheReader(bytes, at: place)
    return reader.range().map { bytes[$0].elementsEqual(text.utf8) } ?? false
  }

  /// The first row whose text is not below `text`, found by halves.
  private func lowerBound(of text: String, in count: Int, place: (Int) -> Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      var reader = CacheReader(bytes, at: place(middle))
      let isBelow = reader.range().map { bytes[$0].lexicographicallyPrecedes(text.utf8) } ?? false
      if isBelow { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension AssociatedDomain {
  /// As a desktop file has it.
  var claim: String { service.rawValue + ":" + pattern }
}

extension InstalledApplication {
  /// Whatever the bytes say, it is the user's own: the administrator's files are never taken from a cache.
  fileprivate init?(cached reader: inout CacheReader, _ id: AppID) {
    guard let name = reader.text(), let icon = reader.list({ $0.text() }), let desktopFile = reader.text(),
      let types = reader.list({ $0.text().flatMap { ActivityType($0) } }),
      let documents = reader.list({ Self.documentType(&$0) }), let viewers = reader.list({ Self.documentType(&$0) }),
      let versions = reader.list({ Self.version(&$0) }), let team = reader.texts(), let actsFor = reader.texts(),
      let domains = reader.list({ $0.text().flatMap { AssociatedDomain($0) } }),
      let commands = reader.list({ $0.texts() }), let serviceFile = reader.texts(), let exec = reader.texts(),
      let problems = reader.texts()
    else { return nil }
    self.init(
      appID: id, name: name, icon: icon.first, desktopFile: desktopFile, tier: .user, activityTypes: types,
      documentTypes: Dictionary(documents) { $1 }, viewerTypes: Dictionary(viewers) { $1 },
      versions: Dictionary(versions) { $1 }, team: team.first, actsFor: actsFor, domains: domains,
      desktopCommands: commands, serviceFile: serviceFile.first, exec: exec, problems: problems)
  }

  private static func documentType(_ reader: inout CacheReader) -> (MIMEType, ActivityType)? {
    guard let mime = reader.text().flatMap({ MIMEType($0) }), let type = reader.text().flatMap({ ActivityType($0) })
    else { return nil }
    return (mime, type)
  }

  private static func version(_ reader: inout CacheReader) -> (ActivityType, UInt64)? {
    guard let type = reader.text().flatMap({ ActivityType($0) }), let version = reader.number(UInt64.self) else {
      return nil
    }
    return (type, version)
  }

  /// Writes what `init(cached:)` reads.
  func write(to writer: inout CacheWriter) {
    func documents(_ types: [MIMEType: ActivityType]) {
      // In an order that does not depend on the process.
      writer.list(types.sorted { $0.key.string < $1.key.string }) {
        $0.text($1.key.string)
        $0.text($1.value.string)
      }
    }
    writer.text(name)
    writer.texts(icon.map { [$0] } ?? [])
    writer.text(desktopFile)
    writer.texts(activityTypes.map { $0.string })
    documents(documentTypes)
    documents(viewerTypes)
    writer.list(versions.sorted { $0.key.string < $1.key.string }) {
      $0.text($1.key.string)
      $0.number($1.value)
    }
    writer.texts(team.map { [$0] } ?? [])
    writer.texts(actsFor)
    writer.texts(domains.map { $0.claim })
    writer.list(desktopCommands) { $0.texts($1) }
    writer.texts(serviceFile.map { [$0] } ?? [])
    writer.texts(exec)
    writer.texts(problems)
  }
}
