import Glibc
import SegueCore

/// Watches files that may come, change, be replaced and go, and whose folders may not be there yet.
final class ConfigurationWatch {
  private let files: [String]
  private let watch: FolderWatch
  private var watched: TextSet = []

  /// Watches nothing before `arm`.
  init(_ files: [String]) throws(SegueError) {
    self.files = files
    watch = try FolderWatch()
  }

  var descriptor: Int32 { watch.descriptor }

  /// Whether something happened since the last call that may concern one of the files.
  func hasChanges() -> Bool {
    guard let events = watch.events() else { return true }
    return events.contains { event in
      // Gone, or its owner or mode changed.
      guard let name = event.name else { return true }
      let path = (event.folder == "/" ? "" : event.folder) + "/" + name
      return places.contains { $0.isSame(as: path) || $0.begins(with: path + "/") }
    }
  }

  /// Watches each file's directory, or the nearest existing one above it. Changes from then on are reported, so the
  /// files are read after this call.
  func arm() {
    places = files
    // A link's target changes where it is. Files that several machines have in common are often such links.
    for file in files {
      if let target = RealPath.of(file), !target.isSame(as: file) { places.append(target) }
    }
    var looked = watched
    watched = TextSet(of: places.map { nearest(Self.folders(above: $0), &looked) })
    // Forgets directories that were watched before, or only on the way. It looks at all files first, since one file may
    // need a directory that another does not.
    for folder in looked.subtracting(watched) { watch.forget(folder.string) }
  }

  /// The files, and what those of them lead to that are links.
  private var places: [String] = []

  /// Watches the last of the folders that exists, and on the way to it those that `looked` gets.
  private func nearest(_ way: [String], _ looked: inout TextSet) -> String {
    looked.formUnion(TextSet(of: way))
    var step = way.count - 1
    while step > 0, !isThere(way[step]) { step -= 1 }
    // And down again: what came into being meanwhile is then not missed.
    while step + 1 < way.count, isThere(way[step + 1]) { step += 1 }
    return way[step]
  }

  private func isThere(_ folder: String) -> Bool { watch.watch(folder) == nil }

  /// `/`, and each folder down to the file's.
  private static func folders(above file: String) -> [String] {
    var way = ["/"]
    for part in file.parts(at: "/").dropLast() {
      way.append((way.count == 1 ? "" : way[way.count - 1]) + "/" + part)
    }
    return way
  }
}

/// Paths as they are without links.
enum RealPath {
  /// Nil where there is nothing, or it cannot be looked at.
  static func of(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(validatingCString: real)
  }
}
