import Glibc
import SegueCore
import SegueEngine
import SegueState

/// The installed applications that take part, kept current while applications come and go.
///
/// All of it belongs to one thread. The daemon's loop watches `descriptor` for reading and calls `process()`, and again
/// while `isBehind`.
public final class Registry {
  /// Where it looks, and whom it believes.
  public let settings: RegistrySettings
  /// The applications as they are now.
  public private(set) var index = ApplicationIndex()
  /// Called with the ids of the applications that came, went or changed, when all that was noted at once is read; with
  /// none where only the teams' manifests did, or the choice of programs that open web pages.
  public var onChange: ((Set<AppID>) -> Void)?

  let folders: RegistryFolders
  private(set) var files = RegistryFiles()
  /// Files that a stronger one keeps out, by application.
  private var shadowProblems: [AppID: [String]] = [:]
  private var pending = PendingFiles()
  /// The first look at the folders, while it lasts.
  private var start: RegistryStart?
  /// Where some applications of the index come from.
  private var cache: DeclarationCache?
  /// Gives the cache, while it has not been asked for.
  private var coming: (() -> DeclarationCache?)?
  /// The applications that have changed since the last `onChange`, and whether something else has.
  private var changed: Set<AppID> = []
  private var haveOthersChanged = false
  private let log: (String) -> Void
  private var logged: Set<String> = []

  /// The content that the next start should find in the cache; nil if it finds that already.
  private var cacheContent: RegistryStart.Content?

  /// Scans all folders and begins to watch them. `log` gets one line for each file that is not taken. Files that are
  /// as the cache has them are not read. `now`: the time, as files have it.
  public convenience init(
    _ settings: RegistrySettings, cache: DeclarationCache? = nil, at now: Int64 = fileTime(),
    log: @escaping (String) -> Void
  ) throws(SegueError) {
    try self.init(settings, coming: { cache }, at: now, log: log)
  }

  /// The same with a cache that is still being read: it is asked for when the first folder's names are there.
  init(
    _ settings: RegistrySettings, coming: @escaping () -> DeclarationCache?, at now: Int64,
    log: @escaping (String) -> Void
  ) throws(SegueError) {
    self.settings = settings
    self.coming = coming
    self.log = log
    folders = try RegistryFolders(settings.directories)
    start = RegistryStart(nil)
    for root in folders.roots { scan(root) }
    takeCache()
    takeCached()
    readAll()
    cacheContent = start?.content(files, index, at: now)
    start = nil
  }

  /// The descriptor that is readable when `process()` has something to do.
  public var descriptor: Int32 { folders.descriptor }

  /// Where it looks for files.
  var roots: [Root] { folders.roots }

  /// The application of that id.
  public func application(_ id: AppID) -> InstalledApplication? { index.application(id) }

  /// The applications that declare a type.
  public func applications(claiming type: ActivityType) -> [InstalledApplication] { index.applications(claiming: type) }

  /// The problems of files and directories: a line each, sorted.
  public var problems: [String] {
    (Array(files.problems.values) + folders.problems.values + shadowProblems.values.joined()).sorted()
  }

  /// Whether files are still to be looked at.
  public var isBehind: Bool { !pending.isEmpty }

  /// Takes note of what happened to the watched directories, unless files are still to be looked at; then looks at some
  /// of them, so that other users of the loop wait only briefly, however many files there are.
  public func process() {
    if !isBehind {
      guard let events = folders.events() else {
        collect(Changes(roots: TextSet(of: roots.map { $0.path })))
        return readSome()
      }
      var changes = Changes()
      for event in events {
        folders.note(event, in: &changes)
        if event.name.map(WebHandlers.isList) ?? false || folders.concernsHandlers(event) { haveOthersChanged = true }
      }
      collect(changes)
    }
    readSome()
  }

  /// Tells also when the choice of programs that open web pages changes, in these folders and in the data folders.
  func watchHandlers(_ folders: [String]) { self.folders.watchHandlers(folders) }

  /// Reads all files again, at once.
  public func rescan() {
    collect(Changes(roots: TextSet(of: roots.map { $0.path })))
    readAll()
  }

  /// Reads the files of an application now, if they wait: it asks for something.
  func catchUp(with id: AppID) {
    let paths = roots.map { $0.path + "/" + id.string + $0.suffix }
    let files = paths.compactMap { path in pending.remove(path).map { (path, $0) } }
    guard !files.isEmpty else { return }
    read(files)
    tellChanges()
  }

  /// Hands over the content that the next start should find in the cache; nil if it finds that already, and at a second
  /// call.
  func takeCacheContent() -> RegistryStart.Content? {
    defer { cacheContent = nil }
    return cacheContent
  }

  // MARK: What has to be looked at

  /// Puts the files that have to be looked at on the list of those that wait. Folders are listed, and no file is read.
  private func collect(_ changes: Changes) {
    var changes = changes
    // For each folder all that is known is gone through; for many, once is cheaper.
    if changes.folders.count > Limits.declarationsPerTurn {
      changes.roots.formUnion(TextSet(of: changes.folders.values.map { $0.path }))
    }
    for root in folders.roots where changes.roots.contains(root.path) { scan(root) }
    for (path, root) in changes.folders.pairs where !changes.roots.contains(root.path) { scan(folder: path, root) }
    for (path, root) in changes.files.pairs where !changes.roots.contains(root.path) {
      enqueue(path, root, isGone: false)
    }
  }

  /// Puts a file on the list of those that wait. If its application is still the cache's, all files of that wait: from
  /// then on it is what they say.
  private func enqueue(_ path: String, _ root: Root, isGone: Bool) {
    let cached = index.hasCached ? root.appID(of: path).map { cachedFiles(of: $0) } ?? [] : []
    pending.add(path, Pending(root: root, isGone: isGone, wasCached: !cached.isEmpty))
    for (path, root) in cached where !pending.has(path) {
      pending.add(path, Pending(root: root, isGone: false, wasCached: true))
    }
  }

  /// The files of an application that is still the cache's.
  private func cachedFiles(of id: AppID) -> [(path: String, root: Root)] {
    index.cachedNumber(of: id).map { cachedFiles(of: $0) } ?? []
  }

  private func cachedFiles(of number: Int) -> [(path: String, root: Root)] {
    guard let cache else { return [] }
    return cache.applications.files(of: number).compactMap { file in
      guard let folder = cache.folder(of: file), let name = cache.name(of: file) else { return nil }
      return root(of: folder).map { (folder + "/" + name, $0) }
    }
  }

  private func root(of folder: String) -> Root? {
    roots.first { folder.isSame(as: $0.path) || folder.begins(with: $0.path + "/") }
  }

  private func takeCache() {
    guard let coming else { return }
    self.coming = nil
    cache = coming()
    start = RegistryStart(cache)
  }

  /// Takes the applications from the cache of which every file is as it was, and which no other file declares too.
  private func takeCached() {
    guard let start, let applications = start.applications else {
      start.map { for (folder, name) in $0.filesToRead(nil) { enqueueCached(folder, name) } }
      return
    }
    let waiting = pending.all
    index = ApplicationIndex(applications)
    for (path, file) in waiting { enqueue(path, file.root, isGone: file.isGone) }
    for (folder, name) in start.filesToRead(applications) { enqueueCached(folder, name) }
  }

  private func enqueueCached(_ folder: String, _ name: String) {
    if let root = root(of: folder) { enqueue(folder + "/" + name, root, isGone: false) }
  }

  /// Lists all below a root, and watches it, or what exists of the way to it.
  private func scan(_ root: Root) {
    // Before the first look nothing is known.
    if start == nil { forgetFiles(below: root.path) }
    guard folders.watchWay(to: root) else { return }
    list(folder: root.path, root, depth: 0)
  }

  private func scan(folder: String, _ root: Root) {
    forgetFiles(below: folder)
    folders.forget(below: folder)
    var status = stat()
    guard lstat(folder, &status) == 0, FileKind(status) == .folder else { return }
    let depth = folder.utf8.dropFirst(root.path.utf8.count).count { $0 == UInt8(ascii: "/") }
    list(folder: folder, root, depth: depth)
  }

  private func list(folder path: String, _ root: Root, depth: Int) {
    // The watch comes first: what is installed while the folder is listed is then seen once at least.
    folders.keepWatch(on: path)
    var names: DeclarationCache.Names?
    let entries = FolderListing.entries(of: path, suffix: root.suffix) { [self] in
      guard start != nil, RegistryStart.mayCache(root) else { return nil }
      takeCache()
      names = start?.names(in: path)
      return names == nil ? nil : { [self] in start?.look($0, $1, in: &names) == true }
    }
    for entry in entries {
      if !entry.isFolder {
        enqueue(path + "/" + entry.name, root, isGone: false)
      } else if root.kind == .applications, depth < Limits.folderDepth {
        list(folder: path + "/" + entry.name, root, depth: depth + 1)
      }
    }
  }

  /// Files that are known below a folder are forgotten when their turn comes, unless they are listed by then.
  private func forgetFiles(below folder: String) {
    let below = folder + "/"
    folders.forgetProblems(below: folder)
    for root in folders.roots where folder.isSame(as: root.path) || folder.begins(with: root.path + "/") {
      let cached = index.cachedNumbers.flatMap { cachedFiles(of: $0) }.map { $0.path }
      for path in files.paths(of: root.kind) + pending.paths + cached where path.begins(with: below) {
        enqueue(path, root, isGone: true)
      }
    }
  }

  // MARK: Reading

  private func readSome() {
    read(pending.takeFirst(Limits.declarationsPerTurn))
    if !isBehind { tellChanges() }
  }

  private func readAll() {
    read(pending.takeFirst(.max))
    tellChanges()
  }

  private func read(_ some: [(path: String, file: Pending)]) {
    var ids: Set<AppID> = []
    let teams = files.teamFiles
    let settings = settings
    WorkQueue.inOrder(
      Self.pieces(some), "segue-reading", threads: Limits.readingThreads, prepare: Confinement.enter,
      { piece in
        let reader = DeclarationReader(settings)
        return piece.map { reader.declaration($0.path, $0.file) }
      }
    ) { declarations in
      for declaration in declarations {
        files.take(declaration, &ids)
        start?.note(declaration)
      }
    }
    if files.teamFiles != teams { haveOthersChanged = true }
    resolve(Array(ids))
  }

  /// Makes applications of their files.
  private func resolve(_ ids: [AppID]) {
    let files = files
    WorkQueue.inOrder(
      Self.pieces(ids), "segue-reading", threads: Limits.readingThreads, prepare: Confinement.enter,
      { piece in piece.map { (id: $0, resolution: files.resolve($0)) } }
    ) { resolved in
      for (id, resolution) in resolved {
        if !resolution.shadowed.isEmpty || !shadowProblems.isEmpty {
          shadowProblems[id] = resolution.shadowed.isEmpty ? nil : resolution.shadowed
        }
        if index.set(id, entry: resolution.application) { changed.insert(id) }
      }
    }
  }

  private static func pieces<Item>(_ items: [Item]) -> [ArraySlice<Item>] {
    stride(from: 0, to: items.count, by: Limits.declarationsPerTurn).map {
      items[$0..<min($0 + Limits.declarationsPerTurn, items.count)]
    }
  }

  private func tellChanges() {
    logNewProblems()
    guard !changed.isEmpty || haveOthersChanged else { return }
    let ids = changed
    changed = []
    haveOthersChanged = false
    onChange?(ids)
  }

  private func logNewProblems() {
    let lines = Set(problems)
    for line in lines.subtracting(logged).sorted() { log(line) }
    logged = lines
  }
}
