import Glibc
import SegueCore
import SegueState

/// A plugin's two files, side by side: `<id>.so` and `<id>.plugin`.
struct PluginPlace {
  static let librarySuffix = ".so"
  static let metadataSuffix = ".plugin"

  let folder: String
  /// The files' common name.
  let name: String

  var library: String { folder + "/" + name + Self.librarySuffix }
  var metadata: String { folder + "/" + name + Self.metadataSuffix }

  /// The plugin that a user has named: by one of its two files, or by the id of an installed one.
  static func named(_ file: String) throws(SegueError) -> PluginPlace {
    let name = file.parts(at: "/").last ?? ""
    for suffix in [librarySuffix, metadataSuffix] where name.ends(with: suffix) && name.utf8.count > suffix.utf8.count {
      return PluginPlace(
        folder: Installation.folder(file), name: String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self))
    }
    let folders = try Installation.current().pluginFolders
    for folder in folders {
      let place = PluginPlace(folder: folder, name: file)
      if PluginID(file) != nil, access(place.metadata, F_OK) == 0 || access(place.library, F_OK) == 0 { return place }
    }
    throw SegueError(
      .notFound, "There is no plugin \(DisplayText.clean(file)).",
      advice: "Name a file that ends in .so or .plugin, or an id that `segue plugin list` shows.")
  }

  /// All in a folder, by name.
  static func all(in folder: String) -> [PluginPlace] {
    var names: TextSet = []
    for file in File.names(in: folder) {
      for suffix in [librarySuffix, metadataSuffix] where file.ends(with: suffix) {
        names.insert(String(decoding: file.utf8.dropLast(suffix.utf8.count), as: UTF8.self))
      }
    }
    return names.texts.map { PluginPlace(folder: folder, name: $0) }
  }

  /// Reads the metadata. Throws for the first error in it, its name, or its library's absence.
  func read() throws(SegueError) -> PluginMetadata {
    if let problem = problems().first { throw problem }
    return try PluginMetadata(bytes())
  }

  /// All errors of the metadata by itself.
  func problems() -> [SegueError] {
    do throws(SegueError) {
      let bytes = try bytes()
      var problems = PluginMetadata.problems(bytes).map { problem in
        SegueError(problem.code, "\(shown(metadata)): \(problem.message).", advice: problem.advice)
      }
      if problems.isEmpty {
        let id = try PluginMetadata(bytes).id.string
        if id != name {
          problems.append(
            SegueError(
              .invalidArgument, "\(shown(metadata)) is of \(id).",
              advice: "Call the files \(id)\(Self.librarySuffix) and \(id)\(Self.metadataSuffix)."))
        }
      }
      if access(library, F_OK) != 0 {
        problems.append(
          SegueError(
            .notFound, "There is no \(shown(library)).", advice: "The shared library lies beside its metadata."))
      }
      return problems
    } catch {
      return [error]
    }
  }

  private func bytes() throws(SegueError) -> [UInt8] {
    guard let bytes = try File.read(metadata) else {
      throw SegueError(
        .notFound, "There is no \(shown(metadata)).",
        advice: "Beside a plugin lies a file that says what it is (docs/plugin-metadata.md).")
    }
    return bytes
  }

  private func shown(_ path: String) -> String { DisplayText.clean(path, maximum: Limits.shownPath) }
}
