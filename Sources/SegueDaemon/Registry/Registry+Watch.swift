import Glibc
import SegueCore

// Which folders are watched, and what an event there means.
extension Registry {
  /// Watches the directories from the data directory to the root, or else the nearest existing one above it. Returns
  /// whether the root exists.
  ///
  /// A directory that is moved away or exchanged makes an event of its own, up to the data directory; directories above
  /// that are not watched for it.
  func watchWay(to root: Root) -> Bool {
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
  func note(_ event: FolderWatch.Event, in changes: inout Changes) {
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

  /// Watches the folders with the choice of programs, or the nearest above each that exists.
  func armHandlers() {
    let former = handlerOutposts
    handlerOutposts = []
    for folder in handlerFolders {
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
    guard event.isGone || event.isFolder, handlerFolders.contains(where: { Self.isOnWay(path, $0) }) else {
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
      || handlerFolders.contains { $0.isSame(as: path) }
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
