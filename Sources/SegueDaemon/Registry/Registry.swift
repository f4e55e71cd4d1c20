import SegueCore

/// The installed applications that take part, kept current while applications come and go.
///
/// All of it belongs to one thread. The daemon's loop watches `descriptor` for reading and calls `process()`.
public final class Registry {
  /// Where it looks, and whom it believes.
  public let settings: RegistrySettings
  /// The applications as they are now.
  public private(set) var index = ApplicationIndex()
  /// Called with the ids of the applications that came, went or changed, once for each `process()` or `rescan()`; with
  /// none where only the teams' manifests did.
  public var onChange: ((Set<AppID>) -> Void)?

  let roots: [Root]
  let watch: FolderWatch
  var desktopFiles: [String: DesktopRecord] = [:]
  var desktopPaths: [AppID: [String]] = [:]
  var serviceFiles: [String: ServiceRecord] = [:]
  var servicePaths: [AppID: [String]] = [:]
  /// The teams' manifests, by their paths.
  var teamFiles: [String: TeamFile] = [:]
  /// What is wrong with files that are not taken, by their paths.
  var fileProblems: [String: String] = [:]
  /// Files that a stronger one keeps out, by application.
  private var shadowProblems: [AppID: [String]] = [:]
  /// Folders that are watched only until a data directory below them exists, by root.
  var outposts: [String: Set<String>] = [:]
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

  /// What is wrong with files that are not taken: a line each, sorted.
  public var problems: [String] { (Array(fileProblems.values) + shadowProblems.values.joined()).sorted() }

  /// Reads what happened to the watched folders since the last call, and the files it happened to.
  public func process() {
    guard let events = watch.events() else { return rescan() }
    guard !events.isEmpty else { return }
    var changed = Changes()
    for event in events { note(event, in: &changed) }
    apply(changed)
  }

  /// Reads all files again.
  public func rescan() {
    apply(Changes(roots: Set(roots.map(\.path))))
  }

  private func apply(_ changes: Changes) {
    let reader = DeclarationReader(settings)
    var ids: Set<AppID> = []
    let teamsBefore = teamFiles
    for root in roots where changes.roots.contains(root.path) { scan(root, reader, &ids) }
    for (path, root) in changes.folders where !changes.roots.contains(root.path) {
      scanAgain(folder: path, root, reader, &ids)
    }
    for (path, root) in changes.files where !changes.roots.contains(root.path) {
      refresh(path, root, reader, &ids)
    }
    var changed: Set<AppID> = []
    for id in ids {
      let resolution = resolve(id)
      shadowProblems[id] = resolution.shadowed.isEmpty ? nil : resolution.shadowed
      if index.set(id, to: resolution.application) { changed.insert(id) }
    }
    logNewProblems()
    if !changed.isEmpty || teamFiles != teamsBefore { onChange?(changed) }
  }

  private func logNewProblems() {
    let lines = Set(problems)
    for line in lines.subtracting(logged).sorted() { log(line) }
    logged = lines
  }
}
