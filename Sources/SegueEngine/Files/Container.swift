import SegueCore

/// A directory that several devices share, by whatever program keeps it the same on each of them.
public struct Container: Hashable, Sendable {
  /// The name by which all devices know it.
  public let id: String
  /// Its absolute path on this device.
  public let path: String

  /// Nil unless the id is 1 to `Limits.nameLength` bytes without controls, and the path one of a `FileURL`, but not the
  /// root.
  public init?(id: String, path: String) {
    guard (1...Limits.nameLength).contains(id.utf8.count), !hasControls(id), let file = FileURL(path: path),
      file.path != "/"
    else { return nil }
    self.id = id
    self.path = file.path
  }

  /// Whether the bytes of both are the same.
  public static func == (left: Container, right: Container) -> Bool {
    left.id.isSame(as: right.id) && left.path.isSame(as: right.path)
  }

  /// Feeds the bytes of both.
  public func hash(into hasher: inout Hasher) {
    id.hashBytes(into: &hasher)
    path.hashBytes(into: &hasher)
  }
}

/// The path of an item in a container.
public struct ContainerPath: Hashable, Sendable {
  /// Elements with single slashes between them.
  public let string: String

  /// Nil for a path that is absolute, empty or longer than `Limits.pathLength` bytes, has more than `Limits.pathDepth`
  /// elements, or has a NUL (security attack 28), an empty, `.` or `..` element, or one of more than
  /// `Limits.fileNameLength` bytes.
  public init?(_ string: String) {
    let bytes = Array(string.utf8)
    guard bytes.count <= Limits.pathLength, bytes.count(where: { $0 == UInt8(ascii: "/") }) < Limits.pathDepth,
      FileURL.areElements(bytes[...])
    else { return nil }
    self.string = string
  }

  /// Whether the bytes are the same.
  public static func == (left: ContainerPath, right: ContainerPath) -> Bool { left.string.isSame(as: right.string) }

  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }

  /// The elements, from the container's folder down.
  public var elements: [String] {
    Array(string.utf8).split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// All containers that one device knows.
public struct ContainerTable: Equatable, Sendable {
  /// One container for each id.
  public let containers: [Container]
  /// A sentence for each container that was left out.
  public let problems: [String]

  /// Keeps the first of several containers with one id.
  public init(_ found: [Container] = []) {
    var containers: [Container] = []
    var problems: [String] = []
    var places: [[UInt8]: Int] = [:]
    for container in found {
      let id = Array(container.id.utf8)
      let name = Self.shown(container.id)
      if let place = places[id] {
        guard containers[place].path.utf8.elementsEqual(container.path.utf8) else {
          let (here, there) = (Self.shown(containers[place].path), Self.shown(container.path))
          problems.append("The container \(name) is \(here), so not \(there) too.")
          continue
        }
      } else if containers.count < Limits.containers {
        places[id] = containers.count
        containers.append(container)
      } else {
        problems.append("The container \(name) is one more than \(Limits.containers), and is left out.")
      }
    }
    self.containers = containers
    self.problems = problems
  }

  /// Ids and paths come from other programs' files.
  private static func shown(_ name: String) -> String { DisplayText.clean(name, maximum: Limits.pathLength) }

  /// The container with an id.
  public func container(_ id: String) -> Container? { containers.first { $0.id.utf8.elementsEqual(id.utf8) } }

  /// The container that a path lies in, and the rest of the path. Nested containers yield the innermost one, containers
  /// with one directory the first. It compares names alone.
  public func container(for path: String) -> (container: Container, path: ContainerPath)? {
    Self.innermost(containers.map { ($0, $0.path) }, path)
  }

  /// As above, for containers whose folders are at other paths than they are configured with.
  public static func innermost(
    _ places: [(container: Container, path: String)], _ path: String
  ) -> (container: Container, path: ContainerPath)? {
    let bytes = Array(path.utf8)
    var best: (container: Container, length: Int)?
    for (container, folder) in places {
      let length = folder.utf8.count
      guard bytes.count > length &+ 1, bytes[length] == UInt8(ascii: "/"), bytes.starts(with: folder.utf8),
        length > best?.length ?? 0
      else { continue }
      best = (container, length)
    }
    guard let best, let rest = ContainerPath(String(decoding: bytes[(best.length &+ 1)...], as: UTF8.self)) else {
      return nil
    }
    return (best.container, rest)
  }
}
