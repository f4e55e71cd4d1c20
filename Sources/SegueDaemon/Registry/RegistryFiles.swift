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

  /// Takes a file as it was read now, in the place of what it was; `ids` gets the application that it is, or was, of.
  mutating func take(_ declaration: Declaration, _ ids: inout Set<AppID>) {
    let (path, root, id) = (declaration.path, declaration.file.root, declaration.id)
    // Nearly all files of a first start are so: no table is asked twice about them.
    if case .desktop(let record) = declaration.content, let id, problems.isEmpty {
      desktopFiles[path] = record
      Self.add(path, to: &desktopPaths[id, default: []])
      ids.insert(id)
      return
    }
    if removeRecord(path, root, id) || declaration.file.wasCached, let id { ids.insert(id) }
    switch declaration.content {
    case .nothing: return
    case .rejected(let reason): return reject(path, root, id, reason)
    case .team(let file): teamFiles[path] = file
    case .desktop(let record):
      guard let id else { return }
      desktopFiles[path] = record
      Self.add(path, to: &desktopPaths[id, default: []])
      ids.insert(id)
    case .service(let record):
      guard let id else { return }
      serviceFiles[path] = record
      Self.add(path, to: &servicePaths[id, default: []])
      ids.insert(id)
    }
  }

  /// An application has few files.
  private static func add(_ path: String, to paths: inout [String]) {
    if !paths.contains(where: { $0.isSame(as: path) }) { paths.append(path) }
  }

  private mutating func reject(_ path: String, _ root: Registry.Root, _ id: AppID?, _ reason: String) {
    if root.kind == .applications, let id { Self.add(path, to: &rejectedPaths[id, default: []]) }
    problems[path] = "\(DisplayText.clean(path, maximum: Int(PATH_MAX))) is ignored: it \(reason)."
  }

  /// Forgets a file's record. Returns whether that concerned an application. Empty tables are not asked, since nearly all
  /// files of a first start are in none.
  private mutating func removeRecord(_ path: String, _ root: Registry.Root, _ id: AppID?) -> Bool {
    let wasRejected = !problems.isEmpty && problems.removeValue(forKey: path) != nil
    switch root.kind {
    case .teams:
      if !teamFiles.isEmpty { teamFiles[path] = nil }
      return false
    case .applications:
      if wasRejected, let id { Self.remove(path, of: id, from: &rejectedPaths) }
      guard !desktopFiles.isEmpty, desktopFiles.removeValue(forKey: path) != nil else { return wasRejected }
      if let id { Self.remove(path, of: id, from: &desktopPaths) }
    case .services:
      guard !serviceFiles.isEmpty, serviceFiles.removeValue(forKey: path) != nil else { return wasRejected }
      if let id { Self.remove(path, of: id, from: &servicePaths) }
    }
    return true
  }

  private static func remove(_ path: String, of id: AppID, from paths: inout [AppID: [String]]) {
    paths[id]?.removeAll { $0.isSame(as: path) }
    if paths[id]?.isEmpty == true { paths[id] = nil }
  }
}
