import Glibc
import SegueCore

/// Where applications are installed, and whom to believe.
public struct RegistrySettings: Equatable, Sendable {
  /// A folder with `applications` and `dbus-1/services` below it.
  public struct DataDirectory: Equatable, Sendable {
    /// An absolute path without a slash at its end.
    public var path: String
    /// Whether applications of the tiers system and sandbox may come from here.
    public var isSystem: Bool

    /// A data directory at an absolute path.
    public init(path: String, isSystem: Bool) {
      self.path = path
      self.isSystem = isSystem
    }

    /// The Flatpak installation whose exports this folder has. All files in it are links into the installation.
    public var flatpakInstallation: String? {
      path.rest(before: "/exports/share")
    }
  }

  /// In the order of the specification: if two files have one id, the first counts.
  public var directories: [DataDirectory]
  /// The user's languages, as locales, the best first.
  public var locales: [String]
  /// Whose files are the administrator's.
  public var trustedOwner: uid_t = 0
  /// Whose files are the user's own.
  public var user: uid_t
  /// The topmost folder whose owner and mode are looked at: `/`, or a test's folder in a /tmp that all may write to.
  public var trustBoundary = "/"
  /// Where programs without a path are looked for.
  public var programPath: [String]

  /// Those folders, languages and programs.
  public init(
    directories: [DataDirectory], locales: [String] = [], user: uid_t = getuid(), programPath: [String] = []
  ) {
    self.directories = directories
    self.locales = locales
    self.user = user
    self.programPath = programPath
  }

  /// What an environment says (XDG Base Directory Specification: paths that are not absolute are ignored).
  public init(environment: (String) -> String?) {
    let home = Self.absolute(environment("HOME") ?? "")
    var directories: [DataDirectory] = []
    if let data = Self.absolute(environment("XDG_DATA_HOME") ?? "") ?? home.map({ $0 + "/.local/share" }) {
      directories.append(DataDirectory(path: data, isSystem: false))
    }
    let named = Self.paths(environment("XDG_DATA_DIRS") ?? "")
    for path in named.isEmpty ? ["/usr/local/share", "/usr/share"] : named.prefix(Limits.dataFolders) {
      guard !directories.contains(where: { $0.path.isSame(as: path) }) else { continue }
      let isBelowHome = home.map { path.isSame(as: $0) || path.begins(with: $0 + "/") } ?? false
      directories.append(DataDirectory(path: path, isSystem: !isBelowHome))
    }
    let programs = Self.paths(environment("PATH") ?? "")
    self.init(
      directories: directories, locales: Self.locales(environment),
      programPath: programs.isEmpty ? ["/usr/local/bin", "/usr/bin", "/bin"] : programs)
  }

  /// What this process's environment says.
  public static func current() -> RegistrySettings {
    RegistrySettings { name in getenv(name).flatMap { String(validatingCString: $0) } }
  }

  private static func paths(_ list: String) -> [String] {
    list.parts(at: ":").compactMap { absolute($0) }
  }

  /// Without slashes at the end and doubled ones; nil unless it is absolute, and not the root itself.
  private static func absolute(_ path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count < Int(PATH_MAX) else { return nil }
    let parts = path.parts(at: "/")
    return parts.isEmpty ? nil : "/" + parts.joined(separator: "/")
  }

  /// As gettext has it: LC_ALL, LC_MESSAGES or LANG, whichever is set first; before it the list in LANGUAGE, unless the
  /// locale is C.
  private static func locales(_ environment: (String) -> String?) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? "C"
    let language = locale.parts(at: ".").first
    guard language != "C", language != "POSIX" else { return [] }
    return (environment("LANGUAGE") ?? "").parts(at: ":").prefix(Limits.environmentItems) + [
      locale
    ]
  }
}
