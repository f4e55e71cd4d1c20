import Glibc
import SegueCore
import SegueEngine
import SegueState

/// The declarations as they were read: a record for each file, by its path.
struct RegistryFiles {
  private var desktopFiles: TextMap<Registry.DesktopRecord> = [:]
  private var desktopPaths: [AppID: [String]] = [:]
  private var serviceFiles: TextMap<Registry.ServiceRecord> = [:]
  private var servicePaths: [AppID: [String]] = [:]
  /// The teams' manifests.
  private(set) var teamFiles: TextMap<TeamFile> = [:]
  /// The mistakes in files that are not taken.
  private(set) var problems: TextMap<String> = [:]
  /// The desktop files among these, by the application that they would be.
  private(set) var rejectedPaths: [AppID: [String]] = [:]

  /// An application's desktop files, those that come first in front.
  func desktopFiles(of id: AppID) -> [Registry.DesktopRecord] {
    let files = (desktopPaths[id] ?? []).compactMap { desktopFiles[$0] }
    return files.count > 1 ? files.sorted { ($0.order, $0.path) < ($1.order, $1.path) } : files
  }

  /// An application's service files, those that come first in front.
  func serviceFiles(of id: AppID) -> [Registry.ServiceRecord] {
    let files = (servicePaths[id] ?? []).compactMap { serviceFiles[$0] }
    return files.count > 1 ? files.sorted { ($0.order, $0.path) < ($1.order, $1.path) } : files
  }

  /// The paths of all files of a kind that are known, with those of files that are not taken.
  func paths(of kind: Registry.Root.Kind) -> [String] {
    let taken =
      switch kind {
      case .applications: desktopFiles.keys
      case .services: serviceFiles.keys
      case .teams: teamFiles.keys
      }
    return taken + problems.keys
  }

  /// Reads one file again; `ids` gets the application that it is, or was, of.
  mutating func refresh(
    _ path: String, _ file: Registry.Pending, _ reader: DeclarationReader, _ ids: inout Set<AppID>
  ) {
    guard let (folder, name) = path.pathParts else { return }
    removeRecord(path, file.root, &ids)
    guard !file.isGone else { return }
    read(name, in: reader.folder(folder, in: file.root.directory), file.root, reader, &ids)
  }

  private mutating func read(
    _ name: String, in folder: DeclarationReader.Folder, _ root: Registry.Root, _ reader: DeclarationReader,
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
        serviceFiles[path] = Registry.ServiceRecord(path: path, order: root.order, isTrusted: isTrusted, file: file)
        Self.add(path, to: &servicePaths[id, default: []])
        ids.insert(id)
      case .teams: break
      }
    }
  }

  private mutating func readDesktopFile(
    _ bytes: [UInt8], _ id: AppID, _ path: String, _ root: Registry.Root, _ wanted: DesktopFile.Wanted,
    _ isTrusted: Bool, _ ids: inout Set<AppID>
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
    desktopFiles[path] = Registry.DesktopRecord(path: path, order: root.order, tier: tier, file: file)
    Self.add(path, to: &desktopPaths[id, default: []])
    ids.insert(id)
  }

  /// An application has few files.
  private static func add(_ path: String, to paths: inout [String]) {
    if !paths.contains(where: { $0.isSame(as: path) }) { paths.append(path) }
  }

  private mutating func reject(_ path: String, _ root: Registry.Root, _ reason: String) {
    if root.kind == .applications, let id = root.appID(of: path) { Self.add(path, to: &rejectedPaths[id, default: []]) }
    problems[path] = "\(DisplayText.clean(path, maximum: Int(PATH_MAX))) is ignored: it \(reason)."
  }

  private mutating func removeRecord(_ path: String, _ root: Registry.Root, _ ids: inout Set<AppID>) {
    problems[path] = nil
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
}
