import CLinux
import SegueCore

/// The path by which this process was started, as the kernel knows it: `argv[0]` may be anything.
public struct ProgramPath {
  /// Absolute; the directory is free of symbolic links, and the last component is the program's name.
  public let string: String
  public let program: ProgramName
  /// The directory, in which other programs are installed, without a slash at its end.
  public var folder: String { string.pathParts?.folder ?? "" }

  /// The path of this process; nil where it was not started by the name of a program.
  public static func current() -> ProgramPath? {
    guard let start = UnsafePointer<CChar>(bitPattern: getauxval(UInt(AT_EXECFN))) else { return nil }
    return ProgramPath(of: String(cString: start))
  }

  /// The directory of the file that this process runs; nil where the kernel does not tell.
  public static var executableFolder: String? { realPath("/proc/self/exe")?.pathParts?.folder }

  /// The links are followed to their end. The last one with a program's name is that of the installation: the user's own
  /// link to it may have the same name, or another.
  init?(of start: String) {
    var path = start
    var found: (string: String, program: ProgramName)?
    for _ in 0...Limits.followedLinks {
      let (folder, name) = path.pathParts ?? (".", path)
      guard let place = Self.resolved(folder.isEmpty ? "/" : folder) else { break }
      let file = place + "/" + name
      if let program = ProgramName.allCases.first(where: { $0.rawValue.isSame(as: name) }) { found = (file, program) }
      guard let target = Self.target(of: file) else {
        guard let found else { return nil }
        (string, program) = found
        return
      }
      path = target.begins(with: "/") ? target : place + "/" + target
    }
    return nil
  }

  /// "" for the root.
  private static func resolved(_ folder: String) -> String? {
    realPath(folder).map { $0.isSame(as: "/") ? "" : $0 }
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func target(of link: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Limits.pathLength)
    let length = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink(link, $0, buffer.count) } ?? -1
    }
    return length > 0 ? String(decoding: bytes.prefix(length), as: UTF8.self) : nil
  }
}
