import SegueCore
import SegueEngine

/// The registry's first look at the folders finds this of the user's own files: which of them are as the cache has them,
/// and what the others are now.
struct RegistryStart {
  let cache: DeclarationCache?
  /// Whether each file of the cache is as it was.
  private var isSame: [Bool]
  /// The user's files that were read, with what the kernel said of each before.
  private var read: [(path: String, root: Registry.Root, identity: FileIdentity)] = []

  init(_ cache: DeclarationCache?) {
    self.cache = cache
    isSame = Array(repeating: false, count: cache?.files.count ?? 0)
  }

  /// Whether a root's files may be in a cache: the administrator's are read with each start, and so are manifests.
  static func mayCache(_ root: Registry.Root) -> Bool { !root.directory.isSystem && root.kind != .teams }

  /// The cache's files of a folder, unless no file in it is taken.
  func names(in folder: String) -> DeclarationCache.Names? {
    DeclarationReader.refusal(of: folder) == nil ? cache?.names(in: folder) : nil
  }

  /// Whether a file of the cache is as it was.
  mutating func look(
    _ name: UnsafeRawBufferPointer, _ identity: FileIdentity, in names: inout DeclarationCache.Names?
  ) -> Bool {
    guard let cache, let number = names?.find(name), cache.files[number].identity == identity else { return false }
    isSame[number] = true
    return true
  }

  /// The applications of the cache of which each file is as it was.
  var applications: CachedApplications? {
    guard let cache else { return nil }
    var applications = cache.applications
    for (number, file) in cache.files.enumerated() where !isSame[number] {
      if let application = file.application { applications.drop(application) }
    }
    return applications.count > 0 ? applications : nil
  }

  /// The files that are as they were, and whose application is dropped nevertheless: they are read.
  func filesToRead(_ applications: CachedApplications?) -> [(folder: String, name: String)] {
    guard let cache else { return [] }
    return cache.files.indices.compactMap { number in
      guard isSame[number], let application = cache.files[number].application,
        applications?.has(application) != true, let folder = cache.folder(of: number), let name = cache.name(of: number)
      else { return nil }
      return (folder, name)
    }
  }

  mutating func note(_ declaration: Declaration) {
    let root = declaration.file.root
    if let identity = declaration.identity, Self.mayCache(root) { read.append((declaration.path, root, identity)) }
  }

  /// The content that the next start should find in the cache; nil if it finds that already. `now`: before anything was
  /// read.
  func content(_ files: RegistryFiles, _ index: ApplicationIndex, at now: Int64) -> Content? {
    let isChanged = read.contains { $0.identity.isSettled(at: now) } || isSame.contains(false)
    return isChanged ? Content(start: self, files: files, index: index, now: now) : nil
  }

  /// The content of the next cache, still to be put together: away from the loop's thread, since it is much.
  struct Content: Sendable {
    fileprivate let start: RegistryStart
    fileprivate let files: RegistryFiles
    fileprivate let index: ApplicationIndex
    fileprivate let now: Int64

    /// Nil if that is what is there.
    func bytes(key: [UInt8]) -> [UInt8]? {
      let bytes = allBytes(key: key)
      return start.cache?.isMade(of: bytes) == true ? nil : bytes
    }

    private func allBytes(key: [UInt8]) -> [UInt8] {
      var folders: [(path: String, files: [DeclarationCache.NewFile])] = []
      var places: TextMap<Int> = [:]
      func add(_ folder: String, _ file: DeclarationCache.NewFile) {
        if let place = places[folder] { return folders[place].files.append(file) }
        places[folder] = folders.count
        folders.append((folder, [file]))
      }
      if let cache = start.cache {
        for (number, file) in cache.files.enumerated() where start.isSame[number] {
          guard let folder = cache.folder(of: number), let name = cache.name(of: number) else { continue }
          var id: AppID?
          if let application = file.application {
            id = cache.applications.id(application)
            // Where it was dropped, its files have been read.
            guard let id, index.cachedNumber(of: id) == application else { continue }
          }
          add(folder, DeclarationCache.NewFile(name: name, identity: file.identity, application: id))
        }
      }
      let settled = start.read.filter { $0.identity.isSettled(at: now) }
      let paths = TextSet(of: settled.map { $0.path })
      var isWhole: [AppID: Bool] = [:]
      for (path, root, identity) in settled where files.problems[path] == nil {
        guard let (folder, name) = path.pathParts else { continue }
        var id: AppID?
        if files.has(path, of: root.kind) {
          id = root.appID(of: path)
          guard let id else { continue }
          let whole = isWhole[id] ?? files.isUsersAlone(id) && files.paths(of: id).allSatisfy { paths.contains($0) }
          isWhole[id] = whole
          guard whole else { continue }
        }
        add(folder, DeclarationCache.NewFile(name: name, identity: identity, application: id))
      }
      return DeclarationCache.bytes(key: key, folders: folders) { index.application($0) }
    }
  }
}

extension RegistryFiles {
  /// Whether an application is declared by files of the user's alone, and none of them takes it away.
  fileprivate func isUsersAlone(_ id: AppID) -> Bool {
    let files = desktopFiles(of: id)
    return !files.isEmpty && files.allSatisfy { $0.file != nil && $0.tier == .user }
  }
}
