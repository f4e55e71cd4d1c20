import ArgumentParser
import Glibc
import SegueCore
import SegueState

/// A folder of files in which a plugin's names are to be filled in. Folders in it hold files only.
struct PluginTemplate {
  let folder: String

  /// The languages that there are templates in.
  enum Language: String, CaseIterable, ExpressibleByArgument {
    case c
    case swift
  }

  /// Copies the files out. The target is a folder that is not there yet, or empty; files that were written stay where
  /// something fails after them.
  func copy(to target: String, as id: PluginID) throws(SegueError) {
    guard access(folder + "/Makefile", R_OK) == 0 else {
      throw SegueError(
        .notFound, "There is no template in \(DisplayText.clean(folder, maximum: Limits.shownPath)).",
        advice: "It is installed with Segue: make install.")
    }
    if mkdir(target, 0o777) != 0 {
      let reason = errno
      guard reason == EEXIST, File.names(in: target).allSatisfy({ [".", ".."].contains($0) }), isFolder(target)
      else {
        throw SegueError(
          .invalidArgument,
          "\(DisplayText.clean(target, maximum: Limits.shownPath)) cannot be made: "
            + (reason == EEXIST ? "it is there, and not an empty folder." : "\(String(cString: strerror(reason)))."),
          advice: "Name another folder with --folder.")
      }
    }
    for name in File.names(in: folder) where name != "." && name != ".." {
      let path = folder + "/" + name
      guard isFolder(path) else {
        try copy(path, to: target + "/" + Self.fill(name, id, mark: ""), as: id)
        continue
      }
      let inner = target + "/" + name
      guard mkdir(inner, 0o777) == 0 else {
        throw SegueError(
          .system,
          "\(DisplayText.clean(inner, maximum: Limits.shownPath)) cannot be made: \(String(cString: strerror(errno)))."
        )
      }
      for file in File.names(in: path) { try copy(path + "/" + file, to: inner + "/" + file, as: id) }
    }
  }

  private func copy(_ path: String, to target: String, as id: PluginID) throws(SegueError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard let bytes = try File.read(path), let text = TextCheck.string(bytes, maximum: Limits.fileLength) else {
      throw SegueError(
        .invalidArgument, "The template's \(DisplayText.clean(path, maximum: Limits.shownPath)) is not text.")
    }
    try File.create(target, Array(Self.fill(text, id, mark: "@").utf8), mode: status.st_mode & 0o777)
  }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// `mark`: the characters around the names.
  static func fill(_ text: String, _ id: PluginID, mark: String) -> String {
    let name = id.string.parts(at: ".").last ?? id.string
    return text.replacing("\(mark)PLUGIN_ID\(mark)", with: id.string)
      .replacing("\(mark)PLUGIN_NAME\(mark)", with: name)
  }
}
