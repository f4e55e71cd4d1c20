import SegueCore
import SegueState

extension Registry {
  /// A folder of a data directory in which the registry looks, with all below it.
  struct Root: Sendable {
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

  struct DesktopRecord {
    let path: String
    let order: Int
    let tier: InstalledApplication.Tier
    /// Nil: hidden, and with it those of later data directories.
    let file: DesktopFile?
  }

  struct ServiceRecord {
    let path: String
    let order: Int
    let isTrusted: Bool
    let file: Result<ServiceFile, SegueError>
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
