import Glibc
import SegueCore
import SegueState
import SegueTeam

/// A team's files, as the commands read them. Every error names its file.
enum ManifestFile {
  /// A manifest whose signatures are good.
  static func read(_ path: String) throws(SegueError) -> TeamManifest {
    let bytes = try bytes(path)
    do throws(TeamProblem) { return try TeamManifest(verifying: bytes) } catch {
      throw SegueError(
        .invalidArgument, "\(DisplayText.clean(path, maximum: Limits.shownPath)) \(error.reason).",
        advice: "Get it again from whoever signed it.")
    }
  }

  /// A private key. One that others can read is not taken: it may not be secret any more.
  static func key(_ path: String) throws(SegueError) -> TeamKey {
    let bytes = try bytes(path)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
      throw SegueError(
        .accessDenied, "Others can read \(DisplayText.clean(path, maximum: Limits.shownPath)).",
        advice:
          "If they cannot have, run: chmod go= \(ShellText.quote(path)). Else replace the key: segue team sign --help")
    }
    do throws(SegueError) { return try TeamKey(bytes) } catch {
      throw error.about(DisplayText.clean(path, maximum: Limits.shownPath))
    }
  }

  private static func bytes(_ path: String) throws(SegueError) -> [UInt8] {
    guard let bytes = try File.read(path) else {
      throw SegueError(.notFound, "There is no \(DisplayText.clean(path, maximum: Limits.shownPath)).")
    }
    return bytes
  }
}
