import Glibc
import SegueCore
import SegueEngine

/// Finds out in which containers files lie, by whatever way they are named. It looks into file systems; any thread.
struct ContainerFinder: Sendable {
  private let places: [(container: Container, path: String)]

  /// Looks where the containers' folders are. One that is not there has no files.
  init(_ table: ContainerTable) {
    places = table.containers.compactMap { container in RealPath.of(container.path).map { (container, $0) } }
  }

  /// The container files for these URLs, as many as a snapshot may name.
  func files(_ urls: [String]) -> [ContainerFile] {
    ContainerFile.fitting(
      urls.lazy.compactMap { url in
        guard let (file, _) = FileURL.split(url), let (container, path) = find(file.path) else { return nil }
        return ContainerFile(url: url, container: container.id, path: path.string)
      }.prefix(Limits.filesPerSnapshot + 1).map { $0 })
  }

  /// The container and the path in it, without links. The item need not exist: its application may be about to write
  /// it, and so may the program that synchronises the directory. Nil for an item that is neither a file nor a
  /// directory.
  func find(_ path: String) -> (container: Container, path: ContainerPath)? {
    guard !places.isEmpty, let real = Self.real(path), let found = ContainerTable.innermost(places, real),
      let folder = ContainerFolder(found.container)
    else { return nil }
    // A link that leads nowhere is not what the path names.
    if case .refused = folder.item(found.path) { return nil }
    return found
  }

  /// A path without links, as far as it exists, and the rest of it as it is written.
  private static func real(_ path: String) -> String? {
    var rest = ""
    var existing = path
    while true {
      if let real = RealPath.of(existing) { return (real == "/" ? "" : real) + rest }
      guard errno == ENOENT, let (folder, name) = existing.pathParts else { return nil }
      rest = "/" + name + rest
      existing = folder.isEmpty ? "/" : folder
    }
  }
}
