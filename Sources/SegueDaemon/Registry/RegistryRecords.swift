import SegueCore
import SegueState

extension Registry {
  /// A folder of a data directory in which the registry looks, with all below it. One object for all of its files, of
  /// which there may be thousands.
  final class Root: Sendable {
    enum Kind {
      case applications, services, teams
    }

    let kind: Kind
    /// The data directory's place among all.
    let order: Int
    let directory: RegistrySettings.DataDirectory

    init(kind: Kind, order: Int, directory: RegistrySettings.DataDirectory) {
      self.kind = kind
      self.order = order
      self.directory = directory
      switch kind {
      case .applications: path = directory.path + "/applications"
      case .services: path = directory.path + "/dbus-1/services"
      case .teams: path = directory.path + "/segue/teams"
      }
    }

    let path: String

    /// How the names of the files end that are read there.
    var suffix: String {
      switch kind {
      case .applications: ".desktop"
      case .services: ServiceFile.suffix
      case .teams: TeamFile.suffix
      }
    }

    /// The application that a file at a path is of, by its place: in subfolders a slash is a dash (Desktop Entry
    /// Specification, "Desktop File ID").
    func appID(of path: String) -> AppID? {
      // By bytes: what else a character might be is no part of an application id.
      let length = path.utf8.count - self.path.utf8.count - suffix.utf8.count
      guard length > 0, path.begins(with: self.path), path.ends(with: suffix) else { return nil }
      let rest = path.utf8.dropFirst(self.path.utf8.count).dropLast(suffix.utf8.count)
      guard rest.first == UInt8(ascii: "/") else { return nil }
      let name = rest.dropFirst()
      guard name.contains(UInt8(ascii: "/")) else { return AppID(String(Substring(name))) }
      return AppID(String(decoding: name.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "-") : $0 }, as: UTF8.self))
    }
  }

  /// A desktop file. It is an object, as whatever else is handed on for thousands of files: to copy a value is to count
  /// each of its parts.
  final class DesktopRecord: Sendable {
    let path: String
    let order: Int
    let tier: InstalledApplication.Tier
    /// Nil: hidden, and with it those of later data directories.
    let file: DesktopFile?

    init(path: String, order: Int, tier: InstalledApplication.Tier, file: DesktopFile?) {
      self.path = path
      self.order = order
      self.tier = tier
      self.file = file
    }
  }

  final class ServiceRecord: Sendable {
    let path: String
    let order: Int
    let isTrusted: Bool
    let file: Result<ServiceFile, SegueError>

    init(path: String, order: Int, isTrusted: Bool, file: Result<ServiceFile, SegueError>) {
      self.path = path
      self.order = order
      self.isTrusted = isTrusted
      self.file = file
    }
  }

  /// The roots, directories and files that have to be looked at again.
  struct Changes {
    /// By their paths.
    var roots: TextSet = []
    var folders: TextMap<Root> = [:]
    var files: TextMap<Root> = [:]
  }

  /// A file that is still to be looked at.
  struct Pending: Sendable {
    let root: Root
    /// It was not listed in its directory: its record is forgotten, and the item at its path is not read.
    let isGone: Bool
    /// The application that it declared was a cache's until now.
    var wasCached = false
  }
}
