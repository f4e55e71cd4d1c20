import Glibc
import SegueCore
import SegueState

/// Follows paths step by step, and asks of each step whose it is.
struct PathTrust {
  /// The owners whose directories, links and files are accepted.
  let owners: [uid_t]
  /// The mode bits that no folder or file may have.
  let forbidden: mode_t
  /// Folders at and above this path are not asked about; `/` asks about all.
  let boundary: String

  enum Verdict: Equatable {
    /// The path without links.
    case trusted(String)
    /// Why not, to stand behind a path in a sentence: "/a is …".
    case refused(String)
  }

  /// The target of a path, if every step is accepted. Only an accepted owner can exchange an accepted step, so the
  /// verdict on the path stays true.
  func follow(_ path: String) -> Verdict {
    var pending = Array(path.parts(at: "/").reversed())
    var current = ""
    var links = 0
    if let reason = refusal(of: "/") { return .refused(reason) }
    while let name = pending.popLast() {
      if name == "." { continue }
      if name == ".." {
        current = current.pathParts?.folder ?? ""
        continue
      }
      let next = current + "/" + name
      var status = stat()
      guard lstat(next, &status) == 0 else { return .refused("\(next): \(systemMessage())") }
      guard FileKind(status) == .link else {
        if let reason = refusal(of: next, status) { return .refused(reason) }
        current = next
        continue
      }
      guard owners.contains(status.st_uid) || isExempt(next) else {
        return .refused("\(next) is another user's link")
      }
      links += 1
      guard links <= Limits.pathLinks, let target = Self.target(of: next) else {
        return .refused("\(next) leads nowhere")
      }
      if target.begins(with: "/") { current = "" }
      pending += target.parts(at: "/").reversed()
    }
    return .trusted(current.isEmpty ? "/" : current)
  }

  private func isExempt(_ path: String) -> Bool {
    boundary != "/" && (path == "/" || path.isSame(as: boundary) || boundary.begins(with: path + "/"))
  }

  private func refusal(of path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return "\(path): \(systemMessage())" }
    return refusal(of: path, status)
  }

  private func refusal(of path: String, _ status: stat) -> String? {
    guard !isExempt(path) else { return nil }
    guard owners.contains(status.st_uid) else { return "\(path) is another user's" }
    guard status.st_mode & forbidden == 0 else { return "\(path) is writable by its group or by others" }
    return nil
  }

  /// Where a symbolic link leads, as it is written.
  static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(link, start, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(validating: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
    }
  }
}
