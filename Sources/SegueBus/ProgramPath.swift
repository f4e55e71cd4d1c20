import CLinux
import SegueCore

/// The path by which this process was started, as the kernel knows it: `argv[0]` may be anything.
public struct ProgramPath {
  /// Absolute; the directory is free of symbolic links, and the last component is the program's name.
  public let string: String
  public let program: ProgramName
  /// The directory, in which other programs are installed, without a slash at its end.
  public var folder: String { string.pathParts?.folder ?? "" }

  /// Of this process; nil where it was not started by the name of a program.
  public static func current() -> ProgramPath? {
    guard let start = UnsafePointer<CChar>(bitPattern: getauxval(UInt(AT_EXECFN))) else { return nil }
    return ProgramPath(of: String(cString: start))
  }

  /// A link of the user's own, with another name, is followed until a program's name is reached.
  init?(of start: String) {
    var path = start
    for _ in 0...Limits.followedLinks {
      let (folder, name) = path.pathParts ?? (".", path)
      guard let place = Self.resolved(folder.isEmpty ? "/" : folder) else { return nil }
      if let program = ProgramName.allCases.first(where: { $0.rawValue.isSame(as: name) }) {
        string = place + "/" + name
        self.program = program
        return
      }
      guard let target = Self.target(of: place + "/" + name) else { return nil }
      path = target.begins(with: "/") ? target : place + "/" + target
    }
    return nil
  }

  /// "" for the root.
  private static func resolved(_ folder: String) -> String? {
    guard let real = realpath(folder, nil) else { return nil }
    defer { free(real) }
    let path = String(cString: real)
    return path.isSame(as: "/") ? "" : path
  }

  private static func target(of link: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Limits.pathLength)
    let length = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink(link, $0, buffer.count) } ?? -1
    }
    return length > 0 ? String(decoding: bytes.prefix(length), as: UTF8.self) : nil
  }
}
