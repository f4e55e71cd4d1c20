import Glibc
import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct PluginFoldersTests {
  let tree: PluginTree

  init() throws { tree = try PluginTree() }

  @Test(arguments: ["", "app", "./app", "../app", "/app/../b", "/app/.", "//app", "/app//", "/a\0b"])
  func malformedPrefix(_ prefix: String) throws {
    let error = try #require(throws: SegueError.self) { try PluginFolders(prefix: prefix) }
    #expect(error.code == .invalidArgument)
    #expect(!error.advice.isEmpty)
  }

  @Test(arguments: [
    ("/", "/lib/segue/plugins"), ("/opt/app", "/opt/app/lib/segue/plugins"),
    ("/opt/app/", "/opt/app/lib/segue/plugins"),
  ])
  func prefix(_ prefix: String, _ folder: String) throws {
    #expect(try PluginFolders(prefix: prefix).all.map(\.path) == [folder])
  }

  @Test(
    arguments: [
      ("/usr/lib/x/libsegue.so.0", ["/usr/lib/x/segue/plugins"]), ("/libsegue.so.0", ["/segue/plugins"]),
      // As with LD_LIBRARY_PATH=. or an empty element in it.
      ("./libsegue.so.0", []), ("libsegue.so.0", []), ("", []), (nil, []),
    ] as [(String?, [String])])
  func attack47_systemFolder(_ library: String?, _ folders: [String]) throws {
    #expect(try system(library).all.map(\.path) == folders)
  }

  @Test func paths() throws {
    let id = try #require(PluginID(PluginTree.id))
    tree.makeFolder("lib/segue/plugins")
    let library = tree.absolute("lib/libsegue.so.0")
    let process = PluginFolders.Process(user: geteuid(), isSetID: false)
    let folders = try PluginFolders(prefix: tree.absolute("app"), library: library, process: process)
    #expect(folders.path(of: id) == tree.absolute(PluginTree.library))
    // The application's own goes before the system's.
    let other = "lib/segue/plugins/\(PluginTree.id).so"
    tree.write(other, "not loaded")
    #expect(folders.path(of: id) == tree.absolute(PluginTree.library))
    tree.remove(PluginTree.library)
    #expect(folders.path(of: id) == tree.absolute(other))
    tree.remove(other)
    #expect(folders.path(of: id) == nil)
  }

  @Test(.enabled(if: PluginTree.isRoot, "only root can give files away"))
  func attack47_onlyAPrefixMayBeTheUsers() throws {
    let user: uid_t = 12345
    run("/bin/chown", ["-R", "\(user)", tree.absolute("app")])
    let library = tree.absolute("app/lib/libsegue.so.0")
    let mine = PluginFolders.Process(user: user, isSetID: false)
    let anothers = PluginFolders.Process(user: PluginTree.stranger, isSetID: false)
    let prefix = tree.absolute("app")
    // By the prefix, though the folder is the system's too.
    _ = try open(PluginFolders(prefix: prefix, library: library, process: mine))
    for (folders, owners) in [
      (try PluginFolders(prefix: nil, library: library, process: mine), "root"),
      (try PluginFolders(prefix: prefix, library: library, process: anothers), "root or user \(PluginTree.stranger)"),
    ] {
      let error = try #require(throws: SegueError.self) { try open(folders) }
      #expect(error.message == "\(prefix) belongs to user \(user), and not to \(owners)")
    }
    // A file that root put into a directory of the user's is accepted too.
    tree.setOwner(PluginTree.library, 0)
    _ = try open(PluginFolders(prefix: prefix, library: nil, process: mine))
  }

  @Test(.enabled(if: PluginTree.isRoot, "the folder is to be root's"))
  func attack47_setIDProcessHasNoPrefix() throws {
    let process = PluginFolders.Process(user: 12345, isSetID: true)
    let prefix = tree.absolute("app")
    let folders = try PluginFolders(prefix: prefix, library: nil, process: process)
    #expect(folders.all.isEmpty)
    #expect(throws: SegueError.self) { try open(folders) }
    // A malformed one is told of all the same.
    #expect(throws: SegueError.self) { try PluginFolders(prefix: "app", library: nil, process: process) }
    // The system's folder is there for it, and is to be root's.
    let system = try PluginFolders(prefix: prefix, library: prefix + "/lib/libsegue.so.0", process: process)
    _ = try open(system)
    tree.setOwner(PluginTree.library, 12345)
    #expect(throws: SegueError.self) { try open(system) }
  }

  @Test(.enabled(if: PluginTree.isRoot, "the folder is to be root's"))
  func systemFolderByLinks() throws {
    // As /lib is usr/lib, or as $ORIGIN leads to a library.
    tree.link("lib", to: "app/lib")
    tree.makeFolder("bin")
    for library in ["lib/libsegue.so.0", "app/lib/libsegue.so.0", "bin/../lib/libsegue.so.0"] {
      let folders = try system(tree.absolute(library))
      for path in ["lib/segue/plugins", PluginTree.plugins] {
        _ = try PluginFile(path: tree.absolute(path) + "/\(PluginTree.id).so", folders: folders)
      }
    }
  }

  @Test func onlyOneFolder() throws {
    let folders = PluginFolders(only: tree.absolute(PluginTree.plugins))
    _ = try open(folders)
    tree.setMode(PluginTree.library, 0o664)
    #expect(throws: SegueError.self) { try open(folders) }
  }

  private func system(_ library: String?) throws -> PluginFolders {
    try PluginFolders(prefix: nil, library: library, process: .current())
  }

  private func open(_ folders: PluginFolders) throws -> PluginFile {
    try PluginFile(path: tree.absolute(PluginTree.library), folders: folders)
  }
}
