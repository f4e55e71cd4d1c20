import Glibc
import SegueCore
import SegueState

/// The clone that a folder lies in, as git's files have it. Git itself is not run, since a repository can name programs
/// for it to run.
struct GitFolder: Equatable {
  /// The clone's own folder.
  let top: String
  /// The place of the folder in it; empty for the clone itself.
  let path: String
  /// The remote `origin` as host/path, without a scheme, a user and `.git`.
  let repository: String?
  let branch: String?
  let head: String?

  /// Nil for a folder in no clone.
  init?(of folder: String) {
    var top = folder
    while access(top + "/.git", F_OK) != 0 {
      guard let above = top.pathParts?.folder, !above.isEmpty, above != "/" else { return nil }
      top = above
    }
    self.top = top
    path = folder.rest(after: top + "/") ?? ""
    // A work tree has a file that names git's folder, in which another one names that of the clone.
    var git = top + "/.git"
    if let linked = Self.text(git)?.rest(after: "gitdir: ") { git = Self.path(linked, in: top) }
    let common = Self.text(git + "/commondir").map { Self.path($0, in: git) } ?? git
    repository = Self.remote(Self.text(common + "/config") ?? "").flatMap { Self.repository($0) }
    let head = Self.text(git + "/HEAD") ?? ""
    if let name = head.rest(after: "ref: ") {
      branch = name.rest(after: "refs/heads/")
      let packed = (Self.text(common + "/packed-refs") ?? "").parts(at: "\n").first { $0.ends(with: " " + name) }
      self.head = (Self.text(common + "/" + name) ?? packed?.parts(at: " ").first).flatMap { Self.commit($0) }
    } else {
      (branch, self.head) = (nil, Self.commit(head))
    }
  }

  private static func text(_ path: String) -> String? {
    var status = stat()
    // A folder can be opened, and a pipe waits.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let bytes = try? File.read(path, maximum: Limits.bridgeRecord)
    else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.rest(before: "\n") ?? text
  }

  private static func path(_ path: String, in folder: String) -> String {
    path.begins(with: "/") ? path : folder + "/" + path
  }

  private static func commit(_ text: String) -> String? {
    guard text.utf8.count == 40 || text.utf8.count == 64,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return text
  }

  /// The address of the remote `origin` in git's configuration.
  static func remote(_ configuration: String) -> String? {
    var isOrigin = false
    for line in configuration.parts(at: "\n") {
      let words = line.parts(at: "\t").flatMap { $0.parts(at: " ") }
      if words.first?.begins(with: "[") == true {
        isOrigin = words == ["[remote", "\"origin\"]"]
      } else if isOrigin, words.count == 3, words[0] == "url", words[1] == "=" {
        return words[2]
      }
    }
    return nil
  }

  /// A remote as host/path; nil for a local one.
  static func repository(_ remote: String) -> String? {
    let parts: [String]
    if let (scheme, rest) = split(remote, at: "://") {
      guard ["http", "https", "ssh", "git"].contains(scheme) else { return nil }
      parts = rest.parts(at: "/", maxSplits: 1)
    } else {
      parts = remote.parts(at: ":", maxSplits: 1)
      // "ext::command" is a program, which git would run.
      guard parts.count == 2, !parts[0].has("/"), !parts[1].begins(with: ":") else { return nil }
    }
    guard parts.count == 2, var host = parts[0].parts(at: "@").last?.parts(at: ":").first else { return nil }
    host = String(decoding: host.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    var path = parts[1]
    while path.ends(with: "/") { path = String(decoding: path.utf8.dropLast(), as: UTF8.self) }
    path = path.rest(before: ".git") ?? path
    while path.begins(with: "/") { path = path.rest(after: "/") ?? "" }
    return host.isEmpty || path.isEmpty ? nil : host + "/" + path
  }

  private static func split(_ text: String, at separator: String) -> (String, String)? {
    let (bytes, mark) = (Array(text.utf8), Array(separator.utf8))
    guard bytes.count >= mark.count,
      let index = (0...(bytes.count - mark.count)).first(where: { bytes[$0...].starts(with: mark) })
    else { return nil }
    return (
      String(decoding: bytes[..<index], as: UTF8.self), String(decoding: bytes[(index + mark.count)...], as: UTF8.self)
    )
  }

  // MARK: Clones of this device

  /// The clones of a repository below a folder, at most three folders deep, in the order of their paths. Hidden folders,
  /// links, and what is in a clone are not looked into.
  static func clones(of repository: String, below folder: String) -> [GitFolder] {
    var found: [GitFolder] = []
    var left = Limits.conversationFolders
    look(folder, 3, repository, &left, &found)
    return found
  }

  private static func look(
    _ folder: String, _ depth: Int, _ repository: String, _ left: inout Int, _ found: inout [GitFolder]
  ) {
    if access(folder + "/.git", F_OK) == 0, let clone = GitFolder(of: folder) {
      if clone.repository?.isSame(as: repository) == true { found.append(clone) }
      return
    }
    guard depth > 0 else { return }
    for name in File.names(in: folder) where !name.begins(with: ".") {
      guard left > 0 else { return }
      var status = stat()
      guard lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      left -= 1
      look(folder + "/" + name, depth - 1, repository, &left, &found)
    }
  }
}
