import Glibc
import SegueCore

/// A part that a bridged program needs and does not bring: one of these files.
public struct BridgeNeed: Equatable, Sendable {
  /// The package that brings it, in Debian's words.
  public let package: String
  /// What is not so without it, as part of a sentence.
  public let without: String
  /// Paths; of the home folder with `~`, of the folder of the program itself, links followed, with `beside`.
  let files: [String]

  static let beside = "@"

  /// Whether one of its files is there, for the program at this path.
  func isThere(for program: String) -> Bool {
    files.contains { file in
      if let rest = file.rest(after: "~") { return access((environment("HOME") ?? "") + rest, F_OK) == 0 }
      guard let rest = file.rest(after: Self.beside) else { return access(file, F_OK) == 0 }
      guard let real = realpath(program, nil) else { return false }
      defer { free(real) }
      return access((String(cString: real).pathParts?.folder ?? "") + rest, F_OK) == 0
    }
  }
}
