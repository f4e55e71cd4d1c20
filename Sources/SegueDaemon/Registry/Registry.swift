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

  let roots: [Root]
  let watch: FolderWatch
  var desktopFiles: TextMap<DesktopRecord> = [:]
  var desktopPaths: [AppID: [String]] = [:]
  var serviceFiles: TextMap<ServiceRecord> = [:]
  var servicePaths: [AppID: [String]] = [:]
  /// The teams' manifests, by their paths.
  var teamFiles: TextMap<TeamFile> = [:]
  /// The problems of files that are not accepted, and of directories that are not watched (`folderProblems`), by path.
  var fileProblems: TextMap<String> = [:]
  /// The desktop files among these, by the application that they would be.
  var rejectedPaths: [AppID: [String]] = [:]
  var folderProblems: TextMap<String> = [:]
  /// Files that a stronger one keeps out, by application.
  private var shadowProblems: [AppID: [String]] = [:]
  /// Folders that are watched only until a data directory below them exists, by root.
  var outposts: TextMap<TextSet> = [:]
  /// The directories that hold the choice of programs for web pages, and those that are watched until such a one
  /// exists.
  var handlerFolders: [String] = []
  var handlerOutposts: TextSet = []
  /// Files that are still to be looked at, by their paths.
  var pending: TextMap<Pending> = [:]
  /// The applications that have changed since the last `onChange`, and whether something else has.
  private var changed: Set<AppID> = []
  private var haveOthersChanged = false
  private let log: (String) -> Void
  private var logged: Set<String> = []

  /// Scans all folders and begins to watch them. `log` gets one line for each file that is not taken.
  public init(_ settings: RegistrySettings, log: @escaping (String) -> Void) throws(SegueError) {
    self.settings = settings
    self.log = log
    watch = try FolderWatch()
    roots = settings.directories.enumerated().flatMap { order, directory in
      [
        Root(kind: .applications, order: order, directory: directory),
        Root(kind: .services, order: order, directory: directory),
        Root(kind: .teams, order: order, directory: directory),
      ]
    }
    rescan()
  }

  /// The descriptor that is readable when `process()` has something to do.
  public var descriptor: Int32 { watch.descriptor }

  /// The application of that id.
  public func application(_ id: AppID) -> InstalledApplication? { index.application(id) }

  /// The applications that declare a type.
  public func applications(claiming type: ActivityType) -> [InstalledApplication] { index.applications(claiming: type) }

  /// The problems of files and directories: a line each, sorted.
  public var problems: [String] {
    (Array(fileProblems.values) + folderProblems.values + shadowProblems.values.joined()).sorted()
  }

  /// Whether files are still to be looked at.
  public var isBehind: Bool { !pending.isEmpty }

  /// Takes note of what happened to the watched directories, unless files are still to be looked at; then looks at some
  /// of them, so that other users of the loop wait only briefly, however many files there are.
  public func process() {
    if !isBehind {
      guard let events = watch.events() else {
        collect(Changes(roots: TextSet(of: roots.map { $0.path })))
        return readSome()
      }
      var changes = Changes()
      for event in events {
        note(event, in: &changes)
        if event.name.map(WebHandlers.isList) ?? false || concernsHandlers(event) { haveOthersChanged = true }
      }
      collect(changes)
    }
    readSome()
  }

  /// Tells also when the choice of programs that open web pages changes, in these folders and in the data folders.
  func watchHandlers(_ folders: [String]) {
    handlerFolders = folders
    armHandlers()
  }

  /// Reads all files again, at once.
  public func rescan() {
    collect(Changes(roots: TextSet(of: roots.map { $0.path })))
    repeat { readSome() } while isBehind
  }

  /// Reads the files of an application now, if they wait: it asks for something.
  func catchUp(with id: AppID) {
    let paths = roots.map { $0.path + "/" + id.string + $0.suffix }.filter { pending[$0] != nil }
    guard !paths.isEmpty else { return }
    read(paths)
    tellChanges()
  }

  private func readSome() {
    read(Array(pending.keys.prefix(Limits.declarationsPerTurn)))
    if !isBehind { tellChanges() }
  }

  private func read(_ paths: [String]) {
    let reader = DeclarationReader(settings)
    var ids: Set<AppID> = []
    let teams = teamFiles
    for path in paths {
      if let file = pending.removeValue(forKey: path) { refresh(path, file, reader, &ids) }
    }
    if teamFiles != teams { haveOthersChanged = true }
    for id in ids {
      let resolution = resolve(id)
      shadowProblems[id] = resolution.shadowed.isEmpty ? nil : resolution.shadowed
      if index.set(id, to: resolution.application) { changed.insert(id) }
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
