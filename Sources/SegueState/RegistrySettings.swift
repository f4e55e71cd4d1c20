import Glibc
import SegueCore

/// The directories in which applications are installed, and the owners whose files are trusted.
public struct RegistrySettings: Equatable, Sendable {
  /// A directory with `applications` and `dbus-1/services` below it.
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

    /// The Flatpak installation whose exports this directory has. All files in it are links into the installation.
    public var flatpakInstallation: String? {
      path.rest(before: "/exports/share")
    }
  }

  /// The data directories, in the order of the specification: if two files have one id, the first counts.
  public var directories: [DataDirectory]
  /// The user's languages, as locales, the best first.
  public var locales: [String]
  /// The user id of the administrator, whose files are trusted.
  public var trustedOwner: uid_t = 0
  /// The user's id, which marks the user's own files.
  public var user: uid_t
  /// The topmost directory whose owner and mode are checked: `/`, or a test's directory in a /tmp that all may write
  /// to.
  public var trustBoundary = "/"
  /// The directories in which programs without a path are searched.
  public var programPath: [String]

  /// Settings with these directories, languages and programs.
  public init(
    directories: [DataDirectory], locales: [String] = [], user: uid_t = getuid(), programPath: [String] = []
  ) {
    self.directories = directories
    self.locales = locales
    self.user = user
    self.programPath = programPath
  }

  /// The settings in an environment (XDG Base Directory Specification: paths that are not absolute are ignored).
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

  /// The settings in this process's environment.
  public static func current() -> RegistrySettings {
    RegistrySettings { name in getenv(name).flatMap { String(validatingCString: $0) } }
  }

  private static func paths(_ list: String) -> [String] {
    list.parts(at: ":").compactMap { absolute($0) }
  }

  /// The path without doubled slashes and slashes at its end; nil unless it is absolute, and not the root itself.
  private static func absolute(_ path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count < Int(PATH_MAX) else { return nil }
    let parts = path.parts(at: "/")
    return parts.isEmpty ? nil : "/" + parts.joined(separator: "/")
  }

  /// The locales in gettext's order: LC_ALL, LC_MESSAGES or LANG, whichever is set first; before it the list in
  /// LANGUAGE, unless the locale is C.
  private static func locales(_ environment: (String) -> String?) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? "C"
    let language = locale.parts(at: ".").first
    guard language != "C", language != "POSIX" else { return [] }
    return (environment("LANGUAGE") ?? "").parts(at: ":").prefix(Limits.environmentItems) + [
      locale
    ]
  }
}
