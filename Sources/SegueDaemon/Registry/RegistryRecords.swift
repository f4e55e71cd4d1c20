import SegueCore

extension Registry {
  /// A folder of a data directory in which the registry looks, with all below it.
  struct Root {
    enum Kind {
      case applications, services, teams
    }

    let kind: Kind
    /// The data directory's place among all.
    let order: Int
    let directory: RegistrySettings.DataDirectory

    var path: String {
      switch kind {
      case .applications: directory.path + "/applications"
      case .services: directory.path + "/dbus-1/services"
      case .teams: directory.path + "/segue/teams"
      }
    }

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
      guard path.hasPrefix(self.path + "/"), path.hasSuffix(suffix) else { return nil }
      let name = path.dropFirst(self.path.count + 1).dropLast(suffix.count)
      return AppID(String(name.map { $0 == "/" ? "-" : $0 }))
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

  /// What has to be read again.
  struct Changes {
    /// By their paths.
    var roots: Set<String> = []
    var folders: [String: Root] = [:]
    var files: [String: Root] = [:]
  }
}
