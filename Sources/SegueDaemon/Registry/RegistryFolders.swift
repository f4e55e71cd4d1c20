import Glibc
import SegueCore
import SegueState

/// The folders that the registry watches, and what an event there means.
final class RegistryFolders {
  let roots: [Registry.Root]
  private let watch: FolderWatch
  /// What is wrong with folders that are not watched, by their paths.
  private(set) var problems: TextMap<String> = [:]
  /// Folders that are watched only until a data directory below them exists, by root.
  private(set) var outposts: TextMap<TextSet> = [:]
  /// Where the choice of programs that open web pages is kept, and what is watched as long as such a folder is not there.
  private var handlers: [String] = []
  private var handlerOutposts: TextSet = []

  init(_ directories: [RegistrySettings.DataDirectory]) throws(SegueError) {
    watch = try FolderWatch()
    roots = directories.enumerated().flatMap { order, directory in
      [
        Registry.Root(kind: .applications, order: order, directory: directory),
        Registry.Root(kind: .services, order: order, directory: directory),
        Registry.Root(kind: .teams, order: order, directory: directory),
      ]
    }
  }

  var descriptor: Int32 { watch.descriptor }

  func events() -> [FolderWatch.Event]? { watch.events() }

  /// Watches a folder in which there may be files.
  func keepWatch(on path: String) {
    if let code = watch.watch(path), code != ENOENT, code != ENOTDIR {
      problems[path] = "\(path) is not watched for changes: \(systemMessage(code))."
    }
  }

  func forget(below folder: String) { watch.forget(below: folder) }

  func forgetProblems(below folder: String) {
    for path in problems.keys where path.isSame(as: folder) || path.begins(with: folder + "/") { problems[path] = nil }
  }

  /// Watches the folders from the data directory to the root, or else the nearest one above that exists. Whether the
  /// root exists.
  ///
  /// A folder that is moved away or exchanged tells so itself, up to the data directory; above that nobody looks.
  func watchWay(to root: Registry.Root) -> Bool {
    let way = Self.ancestors(of: root.path)
    guard let data = way.firstIndex(where: { $0.isSame(as: root.directory.path) }) else { return false }
    for path in outposts.removeValue(forKey: root.path)?.texts ?? [] where !isNeeded(path) { watch.forget(path) }
    // Up to the first that can be watched, and down again: what came into being meanwhile is then not missed.
    var step = data
    while step > 0, !isThere(way[step]) { step -= 1 }
    while step + 1 < way.count, isThere(way[step + 1]) { step += 1 }
    if step < data { outposts[root.path] = TextSet(of: [way[step]]) }
    // The links in the exports stay as they are when Flatpak updates what they lead to; it touches `.changed` then.
    if step >= data, let installation = root.directory.flatpakInstallation { _ = isThere(installation) }
    return step + 1 == way.count
  }

  /// Takes note of what has to be read again after an event.
  func note(_ event: FolderWatch.Event, in changes: inout Registry.Changes) {
    guard let name = event.name else {
      // Gone, or its owner or mode changed: on the way to a root, or in it.
      for root in roots where Self.isOnWay(event.folder, root.path) || Self.isOnWay(root.path, event.folder) {
        changes.roots.insert(root.path)
      }
      return
    }
    let path = event.folder + (event.folder == "/" ? "" : "/") + name
    for root in roots {
      if Self.isOnWay(path, root.path)
        || name == ".changed" && root.directory.flatpakInstallation?.isSame(as: event.folder) == true
      {
        changes.roots.insert(root.path)
      } else if Self.isOnWay(root.path, event.folder) {
        if event.isFolder, root.kind == .applications {
          changes.folders[path] = root
        } else if name.ends(with: root.suffix) {
          changes.files[path] = root
        }
      }
    }
  }

  /// From now on the choice of programs that open web pages in these folders counts.
  func watchHandlers(_ folders: [String]) {
    handlers = folders
    armHandlers()
  }

  /// Watches the folders with the choice of programs, or the nearest above each that exists.
  private func armHandlers() {
    let former = handlerOutposts
    handlerOutposts = []
    for folder in handlers {
      let way = Self.ancestors(of: folder)
      var step = way.count - 1
      while step > 0, !isThere(way[step]) { step -= 1 }
      while step + 1 < way.count, isThere(way[step + 1]) { step += 1 }
      if step + 1 < way.count { handlerOutposts.insert(way[step]) }
    }
    for path in former.texts where !isNeeded(path) { watch.forget(path) }
  }

  /// Whether one of these folders may have come or gone; they are watched from then on.
  func concernsHandlers(_ event: FolderWatch.Event) -> Bool {
    let path = event.name.map { (event.folder == "/" ? "" : event.folder) + "/" + $0 } ?? event.folder
    guard event.isGone || event.isFolder, handlers.contains(where: { Self.isOnWay(path, $0) }) else {
      return false
    }
    armHandlers()
    return true
  }

  /// Watches a folder. One that cannot be watched is there nevertheless: it is read, and its problem told.
  private func isThere(_ path: String) -> Bool {
    switch watch.watch(path) {
    case ENOENT?, ENOTDIR?, ELOOP?: false
    default: true
    }
  }

  /// Whether a folder is watched for something else than a data directory to come.
  private func isNeeded(_ path: String) -> Bool {
    outposts.values.contains { $0.contains(path) } || handlerOutposts.contains(path)
      || handlers.contains { $0.isSame(as: path) }
      || roots.contains {
        Self.isOnWay($0.directory.path, path) || $0.directory.flatpakInstallation?.isSame(as: path) == true
      }
  }

  /// Whether `path` is `end`, or a folder above it.
  private static func isOnWay(_ path: String, _ end: String) -> Bool {
    path.isSame(as: end) || path == "/" || end.begins(with: path + "/")
  }

  /// `/`, and each folder down to the path itself.
  private static func ancestors(of path: String) -> [String] {
    var way = ["/"]
    for part in path.parts(at: "/") { way.append((way.count == 1 ? "" : way[way.count - 1]) + "/" + part) }
    return way
  }
}
