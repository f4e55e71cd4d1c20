import SegueCore

/// The declarations in the user's own data directories as a former start of the daemon has read them: of each file what
/// the kernel said of it then, and the applications that came of them.
///
/// It saves opening, reading and parsing, not looking. Who uses it lists each folder, asks the kernel about each file
/// anew, and drops every application of which a file is not exactly as it was. The administrator's files are not in
/// it, so that nothing in it, whoever wrote it, makes an application more than the user's.
public struct DeclarationCache: Sendable {
  /// A file that was read.
  public struct File: Equatable, Sendable {
    public let identity: FileIdentity
    /// Where its name is in the bytes.
    let name: Range<Int>
    /// The place of its folder.
    let folder: Int
    /// The number of the application that it declares, together with others; nil if it is none of Segue's business.
    public let application: Int?
  }

  private let bytes: [UInt8]
  public let files: [File]
  private let folders: [(path: String, files: Range<Int>)]
  /// The applications.
  public let applications: CachedApplications

  private static let magic = UInt64(0x3165_7567_6553_7070)
  private static let headerLength = 16
  /// The bytes that a file takes at least.
  private static let leastOfAFile = 64

  /// Takes a cache apart. `key`: what it was made by and for; nil for any other, and for what is damaged or malformed.
  public init?(_ bytes: [UInt8], key: [UInt8]) {
    var reader = CacheReader(bytes)
    guard bytes.count <= Limits.declarationCacheLength, reader.number(UInt64.self) == Self.magic,
      let hash = reader.number(UInt64.self), hash == damageHash(bytes[Self.headerLength...]),
      let keyRange = reader.range(), bytes[keyRange].elementsEqual(key),
      let records = Self.table(&reader, 4), let types = Self.table(&reader, 8), let domains = Self.table(&reader, 8),
      let folderCount = reader.count()
    else { return nil }
    var files: [File] = []
    files.reserveCapacity(min(Limits.cachedDeclarations, bytes.count / Self.leastOfAFile))
    var folders: [(path: String, files: Range<Int>)] = []
    for folder in 0..<folderCount {
      guard let path = reader.text(), let count = reader.count() else { return nil }
      let start = files.count
      for _ in 0..<count {
        guard let file = Self.file(&reader, in: folder, applications: records.count) else { return nil }
        files.append(file)
      }
      folders.append((path, start..<files.count))
    }
    guard files.count <= Limits.cachedDeclarations else { return nil }
    self.bytes = bytes
    self.files = files
    self.folders = folders
    applications = CachedApplications(bytes, records: records, types: types, domains: domains)
  }

  private static func table(_ reader: inout CacheReader, _ stride: Int) -> CachedApplications.Table? {
    guard let count = reader.count(), count <= (reader.bytes.count - reader.place) / stride else { return nil }
    defer { reader.place += count * stride }
    return CachedApplications.Table(start: reader.place, count: count)
  }

  private static func file(_ reader: inout CacheReader, in folder: Int, applications: Int) -> File? {
    guard let device = reader.number(UInt64.self), let inode = reader.number(UInt64.self),
      let size = reader.number(UInt64.self), let changed = reader.number(Int64.self),
      let modified = reader.number(Int64.self), let owner = reader.number(UInt32.self),
      let mode = reader.number(UInt32.self), let links = reader.number(UInt64.self),
      let number = reader.number(UInt32.self), let name = reader.range(), number <= applications
    else { return nil }
    return File(
      identity: FileIdentity(
        device: device, inode: inode, size: size, changed: changed, modified: modified, owner: owner, mode: mode,
        links: links),
      name: name, folder: folder, application: number == 0 ? nil : Int(number) - 1)
  }

  /// Whether it was made of these bytes.
  public func isMade(of bytes: [UInt8]) -> Bool { self.bytes == bytes }

  /// A file's folder.
  public func folder(of file: Int) -> String? { files.indices.contains(file) ? folders[files[file].folder].path : nil }

  /// A file's name.
  public func name(of file: Int) -> String? {
    files.indices.contains(file) ? String(validating: bytes[files[file].name], as: UTF8.self) : nil
  }

  /// The files of a folder, to be asked for one after the other; nil if it has none.
  public func names(in folder: String) -> Names? {
    folders.first { $0.path.isSame(as: folder) }.map { Names(cache: self, files: $0.files) }
  }

  /// Finds the files of a folder by their names. A folder that has not changed lists them in the order in which they
  /// are in the cache.
  public struct Names {
    fileprivate let cache: DeclarationCache
    fileprivate let files: Range<Int>
    private var next: Int
    private var numbers: TextMap<Int>?

    fileprivate init(cache: DeclarationCache, files: Range<Int>) {
      self.cache = cache
      self.files = files
      next = files.lowerBound
    }

    /// The number of the file of this name.
    public mutating func find(_ name: UnsafeRawBufferPointer) -> Int? {
      if files.contains(next), cache.bytes[cache.files[next].name].elementsEqual(name) {
        defer { next += 1 }
        return next
      }
      if numbers == nil {
        var all: TextMap<Int> = [:]
        for file in files { if let name = cache.name(of: file) { all[name] = file } }
        numbers = all
      }
      guard let name = String(validating: name, as: UTF8.self), let found = numbers?[name] else { return nil }
      next = found + 1
      return found
    }
  }

  // MARK: Writing

  /// A file for a cache.
  public struct NewFile: Sendable {
    let name: String
    let identity: FileIdentity
    let application: AppID?

    public init(name: String, identity: FileIdentity, application: AppID?) {
      self.name = name
      self.identity = identity
      self.application = application
    }
  }

  /// The bytes of a cache: of the folders' files, and of the applications that these declare. Beyond its bounds files
  /// are left out, and with each the application.
  public static func bytes(
    key: [UInt8], folders: [(path: String, files: [NewFile])], applications: (AppID) -> InstalledApplication?
  ) -> [UInt8] {
    var content = DeclarationCacheContent(folders, applications)
    let body = content.body(after: headerLength, key: key)
    var writer = CacheWriter()
    writer.number(magic)
    writer.number(damageHash(body[...]))
    return writer.bytes + body
  }
}
