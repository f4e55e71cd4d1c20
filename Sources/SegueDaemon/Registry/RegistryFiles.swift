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

  /// Whether there is a record of a file; false for one that is not taken, or none of Segue's business.
  func has(_ path: String, of kind: Registry.Root.Kind) -> Bool {
    switch kind {
    case .applications: desktopFiles[path] != nil
    case .services: serviceFiles[path] != nil
    case .teams: teamFiles[path] != nil
    }
  }

  /// The paths of all files of an application.
  func paths(of id: AppID) -> [String] { (desktopPaths[id] ?? []) + (servicePaths[id] ?? []) }

  /// Reads one file again; `ids` gets the application that it is, or was, of.
  mutating func refresh(
    _ path: String, _ file: Registry.Pending, _ reader: DeclarationReader, _ ids: inout Set<AppID>
  ) {
    guard let (folder, name) = path.pathParts else { return }
    if removeRecord(path, file.root) || file.wasCached, let id = file.root.appID(of: path) { ids.insert(id) }
    guard !file.isGone else { return }
    read(name, path, in: reader.folder(folder, in: file.root.directory), file.root, reader, &ids)
  }

  private mutating func read(
    _ name: String, _ path: String, in folder: DeclarationReader.Folder, _ root: Registry.Root,
    _ reader: DeclarationReader, _ ids: inout Set<AppID>
  ) {
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

  /// Forgets a file's record. Returns whether that concerned an application. Empty tables are not asked, since nearly all
  /// files of a first start are in none.
  private mutating func removeRecord(_ path: String, _ root: Registry.Root) -> Bool {
    let wasRejected = !problems.isEmpty && problems.removeValue(forKey: path) != nil
    switch root.kind {
    case .teams:
      if !teamFiles.isEmpty { teamFiles[path] = nil }
      return false
    case .applications:
      if wasRejected, let id = root.appID(of: path) { Self.remove(path, of: id, from: &rejectedPaths) }
      guard !desktopFiles.isEmpty, desktopFiles.removeValue(forKey: path) != nil else { return wasRejected }
      if let id = root.appID(of: path) { Self.remove(path, of: id, from: &desktopPaths) }
    case .services:
      guard !serviceFiles.isEmpty, serviceFiles.removeValue(forKey: path) != nil else { return wasRejected }
      if let id = root.appID(of: path) { Self.remove(path, of: id, from: &servicePaths) }
    }
    return true
  }

  private static func remove(_ path: String, of id: AppID, from paths: inout [AppID: [String]]) {
    paths[id]?.removeAll { $0.isSame(as: path) }
    if paths[id]?.isEmpty == true { paths[id] = nil }
  }
}
