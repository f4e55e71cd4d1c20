import Glibc
import SegueCore
import SegueState

// Folders and files into records.
extension Registry {
  /// Puts the files that have to be looked at on the list of those that wait. Folders are listed, and no file is read.
  func collect(_ changes: Changes) {
    var changes = changes
    // For each folder all that is known is gone through; for many, once is cheaper.
    if changes.folders.count > Limits.declarationsPerTurn {
      changes.roots.formUnion(TextSet(of: changes.folders.values.map { $0.path }))
    }
    for root in roots where changes.roots.contains(root.path) { scan(root) }
    for (path, root) in changes.folders.pairs where !changes.roots.contains(root.path) { scan(folder: path, root) }
    for (path, root) in changes.files.pairs where !changes.roots.contains(root.path) {
      pending[path] = Pending(root: root, isGone: false)
    }
  }

  /// Lists all below a root, and watches it, or what exists of the way to it.
  private func scan(_ root: Root) {
    forgetFiles(below: root.path)
    guard watchWay(to: root) else { return }
    list(folder: root.path, root, depth: 0)
  }

  private func scan(folder: String, _ root: Root) {
    forgetFiles(below: folder)
    watch.forget(below: folder)
    var status = stat()
    guard lstat(folder, &status) == 0, FileKind(status) == .folder else { return }
    let depth = folder.utf8.dropFirst(root.path.utf8.count).count { $0 == UInt8(ascii: "/") }
    list(folder: folder, root, depth: depth)
  }

  private func list(folder path: String, _ root: Root, depth: Int) {
    // The watch comes first: what is installed while the folder is listed is then seen once at least.
    if let code = watch.watch(path), code != ENOENT, code != ENOTDIR {
      folderProblems[path] = "\(path) is not watched for changes: \(systemMessage(code))."
    }
    for entry in FolderListing.entries(of: path, suffix: root.suffix) {
      if !entry.isFolder {
        pending[path + "/" + entry.name] = Pending(root: root, isGone: false)
      } else if root.kind == .applications, depth < Limits.folderDepth {
        list(folder: path + "/" + entry.name, root, depth: depth + 1)
      }
    }
  }

  /// Reads one file again.
  func refresh(_ path: String, _ file: Pending, _ reader: DeclarationReader, _ ids: inout Set<AppID>) {
    guard let (folder, name) = path.pathParts else { return }
    removeRecord(path, file.root, &ids)
    guard !file.isGone else { return }
    let declarations = reader.folder(folder, in: file.root.directory)
    read(name, in: declarations, file.root, reader, &ids)
  }

  private func read(
    _ name: String, in folder: DeclarationReader.Folder, _ root: Root, _ reader: DeclarationReader,
    _ ids: inout Set<AppID>
  ) {
    let path = folder.path + "/" + name
    switch reader.read(name, in: folder, isMarked: root.kind == .applications) {
    case .nothing: break
    case .rejected(let reason): reject(path, root, reason)
    case .file(let bytes, let isTrusted, _) where root.kind == .teams:
      teamFiles[path] = TeamFile(bytes, path: path, order: root.order, isTrusted: isTrusted)
    case .file(let bytes, let isTrusted, let isOurs):
      guard let id = root.appID(of: path) else {
        if isOurs { reject(path, root, "has a name that is not an application id") }
        return
      }
      switch root.kind {
      case .applications:
        do throws(SegueError) {
          try readDesktopFile(bytes, id, path, root, reader.wanted, isTrusted, &ids)
        } catch {
          if isOurs { reject(path, root, "is malformed: \(error.message)") }
        }
      case .services:
        let file = Result { () throws(SegueError) in try ServiceFile(bytes, of: id) }
        serviceFiles[path] = ServiceRecord(path: path, order: root.order, isTrusted: isTrusted, file: file)
        Self.add(path, to: &servicePaths[id, default: []])
        ids.insert(id)
      case .teams: break
      }
    }
  }

  private func readDesktopFile(
    _ bytes: [UInt8], _ id: AppID, _ path: String, _ root: Root, _ wanted: DesktopFile.Wanted, _ isTrusted: Bool,
    _ ids: inout Set<AppID>
  ) throws(SegueError) {
    let file: DesktopFile?
    var tier: InstalledApplication.Tier = isTrusted ? .system : .user
    switch try DesktopFile.read(bytes, wanted) {
    case .other: return
    case .hidden: file = nil
    case .application(let read):
      file = read
      // Only the administrator's Flatpak says of whom it was that exported it.
      if isTrusted, root.directory.flatpakInstallation != nil, read.flatpakID == id.string { tier = .sandbox }
    }
    desktopFiles[path] = DesktopRecord(path: path, order: root.order, tier: tier, file: file)
    Self.add(path, to: &desktopPaths[id, default: []])
    ids.insert(id)
  }

  /// Adds a path once. The linear search is cheap, since an application has few files.
  private static func add(_ path: String, to paths: inout [String]) {
    if !paths.contains(where: { $0.isSame(as: path) }) { paths.append(path) }
  }

  private func reject(_ path: String, _ root: Root, _ reason: String) {
    if root.kind == .applications, let id = root.appID(of: path) { Self.add(path, to: &rejectedPaths[id, default: []]) }
    fileProblems[path] = "\(DisplayText.clean(path, maximum: Int(PATH_MAX))) is ignored: it \(reason)."
  }

  private func removeRecord(_ path: String, _ root: Root, _ ids: inout Set<AppID>) {
    fileProblems[path] = nil
    teamFiles[path] = nil
    guard let id = root.appID(of: path) else { return }
    if desktopFiles.removeValue(forKey: path) != nil { desktopPaths[id]?.removeAll { $0.isSame(as: path) } }
    if serviceFiles.removeValue(forKey: path) != nil { servicePaths[id]?.removeAll { $0.isSame(as: path) } }
    if desktopPaths[id]?.isEmpty == true { desktopPaths[id] = nil }
    if servicePaths[id]?.isEmpty == true { servicePaths[id] = nil }
    rejectedPaths[id]?.removeAll { $0.isSame(as: path) }
    if rejectedPaths[id]?.isEmpty == true { rejectedPaths[id] = nil }
    ids.insert(id)
  }

  /// Marks the known files below a directory as gone: each is forgotten when its turn comes, unless it is listed by
  /// then.
  private func forgetFiles(below folder: String) {
    let below = folder + "/"
    for path in folderProblems.keys where path.isSame(as: folder) || path.begins(with: below) {
      folderProblems[path] = nil
    }
    for root in roots where folder.isSame(as: root.path) || folder.begins(with: root.path + "/") {
      let known =
        switch root.kind {
        case .applications: desktopFiles.keys
        case .services: serviceFiles.keys
        case .teams: teamFiles.keys
        }
      for path in known + fileProblems.keys + pending.keys where path.begins(with: below) {
        pending[path] = Pending(root: root, isGone: true)
      }
    }
  }
}
