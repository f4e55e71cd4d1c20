import SegueCore

// The files of a snapshot in containers, as they are to be sent, and as they came (semantics R8).

/// A file that another device named, as this device knows it.
public struct WantedFile: Equatable, Sendable {
  /// The URL in userInfo, which is the origin's.
  public let url: String
  /// The part of the URL after its path: a final slash, a query, a fragment.
  public let rest: String
  public let container: Container
  public let path: ContainerPath

  /// The same file at another path of its container: this device may write its name in other scalars.
  public func at(_ path: ContainerPath) -> WantedFile {
    WantedFile(url: url, rest: rest, container: container, path: path)
  }

  /// The file's URL on this device; nil if its path would be too long.
  public var localURL: String? {
    FileURL(path: container.path + "/" + path.string).map { $0.string + rest }
  }

  /// The file's name, quoted, as the beginning of a sentence.
  public var name: String { DisplayText.quoted(path.string) }

  /// The files of a snapshot in this device's containers. Throws the problem of the first file that cannot be placed
  /// there.
  public static func files(of snapshot: Snapshot, in table: ContainerTable) throws(SegueError) -> [WantedFile] {
    var wanted: [Value: WantedFile] = [:]
    var files: [WantedFile] = []
    for file in snapshot.files {
      // Only a file's URL is ever replaced, so no page becomes a file.
      guard let path = ContainerPath(file.path), let (_, rest) = FileURL.split(file.url) else {
        throw SegueError(
          .protocolViolation,
          "The other device named \(DisplayText.quoted(file.path)), which is not the path of a file.")
      }
      guard let container = table.container(file.container) else {
        throw SegueError(
          .handoffFailed,
          "\(DisplayText.quoted(file.path)) is in the shared folder \(DisplayText.quoted(file.container)), which this device does not have.",
          advice: "Share the folder with this device, then continue again.")
      }
      let new = WantedFile(url: file.url, rest: rest, container: container, path: path)
      guard new.localURL != nil else {
        throw SegueError(.limitExceeded, "\(new.name) has too long a path on this device.")
      }
      if let known = wanted.updateValue(new, forKey: .url(file.url)) {
        guard known == new else {
          throw SegueError(
            .protocolViolation, "The other device named two files for one URL: \(known.name), \(new.name).")
        }
      } else {
        files.append(new)
      }
    }
    return files
  }
}

extension Snapshot {
  /// The snapshot with each file's URL on this device in place of the origin's. Throws if userInfo then exceeds its
  /// limits.
  public func localized(_ files: [WantedFile]) throws(SegueError) -> Snapshot {
    var replacements: [Value: Value] = [:]
    for file in files {
      if let url = file.localURL { replacements[.url(file.url)] = .url(url) }
    }
    var snapshot = self
    let localized = try CBOR.decode(userInfo).replacing(replacements)
    do throws(SegueError) {
      snapshot.userInfo = try CBOR.encode(userInfo: localized).bytes
    } catch {
      // A more detailed message would name keys, which the other device chose.
      throw SegueError(
        error.code, "The state is too large with the paths that its files have on this device.",
        advice: "Keep the shared folder at a shorter path here, then continue again.")
    }
    snapshot.files = []
    snapshot.filesHere = TextSet(of: files.compactMap { $0.localURL })
    return snapshot
  }
}
