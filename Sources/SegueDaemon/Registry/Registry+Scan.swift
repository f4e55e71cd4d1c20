import Glibc
import SegueCore
import SegueState

// Folders and files into records.
extension Registry {
  /// Reads all below a root, and watches it, or what exists of the way to it.
  func scan(_ root: Root, _ reader: DeclarationReader, _ ids: inout Set<AppID>) {
    removeRecords(below: root.path, &ids)
    guard watchWay(to: root) else { return }
    scan(folder: root.path, root, reader, &ids, depth: 0)
  }

  func scanAgain(folder: String, _ root: Root, _ reader: DeclarationReader, _ ids: inout Set<AppID>) {
    removeRecords(below: folder, &ids)
    watch.forget(below: folder)
    var status = stat()
    guard lstat(folder, &status) == 0, status.isFolder else { return }
    let depth = folder.dropFirst(root.path.count).utf8.count { $0 == UInt8(ascii: "/") }
    scan(folder: folder, root, reader, &ids, depth: depth)
  }

  private func scan(
    folder path: String, _ root: Root, _ reader: DeclarationReader, _ ids: inout Set<AppID>, depth: Int
  ) {
    // The watch comes first: what is installed while the folder is listed is then seen once at least.
    if let code = watch.watch(path), code != ENOENT, code != ENOTDIR {
      fileProblems[path] = "\(path) is not watched for changes: \(systemMessage(code))."
    }
    let folder = reader.folder(path, in: root.directory)
    for entry in FolderListing.entries(of: path, suffix: root.suffix) {
      if !entry.isFolder {
        read(entry.name, in: folder, root, reader, &ids)
      } else if root.kind == .applications, depth < Limits.folderDepth {
        scan(folder: path + "/" + entry.name, root, reader, &ids, depth: depth + 1)
      }
    }
  }

  /// Reads one file again.
  func refresh(_ path: String, _ root: Root, _ reader: DeclarationReader, _ ids: inout Set<AppID>) {
    guard let slash = path.lastIndex(of: "/") else { return }
    removeRecord(path, root, &ids)
    let folder = reader.folder(String(path[..<slash]), in: root.directory)
    read(String(path[path.index(after: slash)...]), in: folder, root, reader, &ids)
  }

  private func read(
    _ name: String, in folder: DeclarationReader.Folder, _ root: Root, _ reader: DeclarationReader,
    _ ids: inout Set<AppID>
  ) {
    let path = folder.path + "/" + name
    switch reader.read(name, in: folder, isMarked: root.kind == .applications) {
    case .nothing: break
    case .rejected(let reason): reject(path, reason)
    case .file(let bytes, let isTrusted, _) where root.kind == .teams:
      teamFiles[path] = TeamFile(bytes, path: path, order: root.order, isTrusted: isTrusted)
    case .file(let bytes, let isTrusted, let isOurs):
      guard let id = root.appID(of: path) else {
        if isOurs { reject(path, "has a name that is not an application id") }
        return
      }
      switch root.kind {
      case .applications:
        do throws(SegueError) {
          try readDesktopFile(bytes, id, path, root, reader.wanted, isTrusted, &ids)
        } catch {
          if isOurs { reject(path, "is malformed: \(error.message)") }
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

  /// Of one application there are few files.
  private static func add(_ path: String, to paths: inout [String]) {
    if !paths.contains(path) { paths.append(path) }
  }

  private func reject(_ path: String, _ reason: String) {
    fileProblems[path] = "\(DisplayText.clean(path, maximum: Int(PATH_MAX))) is ignored: it \(reason)."
  }

  private func removeRecord(_ path: String, _ root: Root, _ ids: inout Set<AppID>) {
    fileProblems[path] = nil
    teamFiles[path] = nil
    guard let id = root.appID(of: path) else { return }
    if desktopFiles.removeValue(forKey: path) != nil { desktopPaths[id]?.removeAll { $0 == path } }
    if serviceFiles.removeValue(forKey: path) != nil { servicePaths[id]?.removeAll { $0 == path } }
    if desktopPaths[id]?.isEmpty == true { desktopPaths[id] = nil }
    if servicePaths[id]?.isEmpty == true { servicePaths[id] = nil }
    ids.insert(id)
  }

  private func removeRecords(below folder: String, _ ids: inout Set<AppID>) {
    let below = folder + "/"
    fileProblems[folder] = nil
    for path in fileProblems.keys.filter({ $0.hasPrefix(below) }) { fileProblems[path] = nil }
    for root in roots where folder == root.path || folder.hasPrefix(root.path + "/") {
      let paths =
        switch root.kind {
        case .applications: desktopFiles.keys.filter { $0.hasPrefix(below) }
        case .services: serviceFiles.keys.filter { $0.hasPrefix(below) }
        case .teams: teamFiles.keys.filter { $0.hasPrefix(below) }
        }
      for path in paths { removeRecord(path, root, &ids) }
    }
  }
}
