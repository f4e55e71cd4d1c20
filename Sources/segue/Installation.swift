import Glibc
import SegueBus
import SegueCore
import SegueState

/// Where Segue is installed: this executable is `<prefix>/bin/segue`.
struct Installation {
  let prefix: String

  static func current() throws(SegueError) -> Installation {
    // The tests are a process that was not started by the name of a program.
    guard let folder = ProgramPath.current()?.folder ?? ProgramPath.executableFolder else {
      throw SegueError(.system, "Where this program is installed cannot be told.")
    }
    return Installation(prefix: "/" + folder.parts(at: "/").dropLast().joined(separator: "/"))
  }

  /// The folders that plugins of the system are installed in, those that are there: beside the library, and in what may
  /// be an application's own prefix.
  var pluginFolders: [String] {
    var folders: [String] = []
    for library in [installed("libsegue.so.0").map(Self.folder), prefix + "/lib", prefix + "/lib/" + Self.multiarch] {
      guard let folder = library.map({ $0 + "/segue/plugins" }), !folders.contains(folder) else { continue }
      if access(folder, F_OK) == 0 { folders.append(folder) }
    }
    return folders
  }

  /// The directory that `segue plugin new` copies.
  func pluginTemplate(_ language: PluginTemplate.Language) -> String {
    prefix + "/share/segue/plugin-template/" + language.rawValue
  }

  /// The program that loads a plugin for `segue plugin check`.
  var pluginChecker: String {
    installed("segue-plugin-check") ?? prefix + "/libexec/segue-plugin-check"
  }

  /// The program that fetches, opens and signs association files.
  var associations: String { installed("segue-associations") ?? prefix + "/libexec/segue-associations" }

  /// The program that shows terminal sessions.
  var shell: String { installed("segue-shell") ?? prefix + "/bin/segue-shell" }

  /// The program that acts for other programs.
  var bridge: String { installed("segue-bridge") ?? prefix + "/libexec/segue-bridge" }

  /// The daemon.
  var daemon: String { installed("segued") ?? prefix + "/libexec/segued" }

  /// The libraries that programs may find, in the loader's usual folders and in this installation's, with the version
  /// that the name of each file says.
  var libraries: [(path: String, version: String)] {
    let own = installed("libsegue.so.0").map { [Self.folder($0)] } ?? []
    var found: [(path: String, version: String)] = []
    for folder in own + ["/usr/local/lib", "/usr/lib", "/usr/lib/" + Self.multiarch] {
      guard let target = Self.path(behind: folder + "/libsegue.so.0"),
        let version = target.rest(after: "libsegue.so."),
        !found.contains(where: { $0.path.isSame(as: folder + "/" + target) })
      else { continue }
      found.append((folder + "/" + target, version))
    }
    return found
  }

  /// The target of a symbolic link, as it is written there; nil where there is no link.
  static func path(behind link: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(link, $0, bytes.count) } ?? 0
    }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  /// A file's path by its name, from the list that the installation has left; nil without one.
  private func installed(_ name: String) -> String? {
    guard let bytes = try? File.read(prefix + "/share/segue/installed") else { return nil }
    return String(decoding: bytes, as: UTF8.self).parts(at: "\n").first { $0.ends(with: "/" + name) }
      .map { String($0) }
  }

  static func folder(_ path: String) -> String {
    path.pathParts?.folder ?? "."
  }

  #if arch(arm64)
    private static let multiarch = "aarch64-linux-gnu"
  #else
    private static let multiarch = "x86_64-linux-gnu"
  #endif
}
