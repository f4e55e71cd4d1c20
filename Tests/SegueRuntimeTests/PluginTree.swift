import Glibc
import SegueCore
import Testing

@testable import SegueRuntime

/// A temporary folder with an application's prefix in it, `app`, and a plugin in that.
final class PluginTree {
  static let id = "org.example.place"
  static let plugins = "app/lib/segue/plugins"
  static let library = plugins + "/" + id + ".so"
  static let metadata = plugins + "/" + id + ".plugin"
  /// A user that owns nothing here.
  static let stranger: uid_t = 54321
  static var isRoot: Bool { geteuid() == 0 }

  let path: String

  init() throws {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
    // mkdtemp makes it for its owner only, and a prefix is for everybody.
    chmod(path, 0o755)
    makeFolder(Self.plugins)
    write(Self.library, "not loaded")
    write(Self.metadata, Self.text())
  }

  deinit { run("/bin/rm", ["-rf", path]) }

  func absolute(_ name: String) -> String { path + "/" + name }

  /// The plugin as an application loads it that was built for this prefix.
  func open(_ name: String = PluginTree.library) throws(SegueError) -> PluginFile {
    try PluginFile(path: absolute(name), folders: PluginFolders(prefix: absolute("app")))
  }

  /// Why it is not loaded.
  func refusal(_ name: String = PluginTree.library) throws -> SegueError {
    try #require(throws: SegueError.self) { try self.open(name) }
  }

  func makeFolder(_ name: String) {
    var folder = path
    for part in name.split(separator: "/") {
      folder += "/" + part
      mkdir(folder, 0o755)
      chmod(folder, 0o755)
    }
  }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) {
    let file = Glibc.open(absolute(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    defer { close(file) }
    let bytes = Array(text.utf8)
    #expect(bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count)
    #expect(fchmod(file, mode) == 0)
  }

  func link(_ name: String, to target: String) { #expect(symlink(target, absolute(name)) == 0) }

  func move(_ name: String, to other: String) { #expect(rename(absolute(name), absolute(other)) == 0) }

  func setMode(_ name: String, _ mode: mode_t) { #expect(chmod(absolute(name), mode) == 0) }

  /// Changes the owner of the name itself, even if it is a link.
  func setOwner(_ name: String, _ owner: uid_t) { #expect(lchown(absolute(name), owner, gid_t.max) == 0) }

  func remove(_ name: String) { #expect(Glibc.remove(absolute(name)) == 0) }

  /// A shared library whose function `which` returns the number.
  func compile(_ name: String, returning number: Int) throws {
    write("which.c", "int which(void) { return \(number); }\n")
    let status = run("/usr/bin/cc", ["-shared", "-fPIC", "-o", absolute(name), absolute("which.c")])
    try #require(status == 0)
    setMode(name, 0o755)
  }

  static func text(id: String = PluginTree.id) -> String {
    """
    [Plugin]
    Id=\(id)
    Name=Place
    Version=1.0
    ABI=1
    Objects=place;

    [Object place]
    Name=A place in a text
    Properties=line;

    [Property place/line]
    Type=u
    Scope=portable

    """
  }
}

/// Runs a program to its end. Its exit status, or -1.
@discardableResult
func run(_ program: String, _ arguments: [String]) -> Int32 {
  var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var process: pid_t = 0
  guard posix_spawn(&process, program, nil, nil, &words, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
  return status
}
