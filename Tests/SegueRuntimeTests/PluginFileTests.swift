import CLinux
import Glibc
import SegueCore
import Testing

@testable import SegueRuntime

@Suite(.timeLimit(.minutes(10))) struct PluginFileTests {
  let tree: PluginTree

  init() throws { tree = try PluginTree() }

  @Test func opened() throws {
    let file = try tree.open()
    #expect(file.id.string == PluginTree.id)
    #expect(file.path == tree.absolute(PluginTree.library))
    #expect(file.metadata.name == "Place")
    #expect(file.metadata.objects.map(\.id) == ["place"])
    #expect(file.loaderPath == "/proc/self/fd/\(file.descriptor)")
    #expect(segue_fcntl(file.descriptor, F_GETFD, 0) == FD_CLOEXEC)
    #expect(segue_fcntl(file.descriptor, F_GETFL, 0) & O_ACCMODE == O_RDONLY)
  }

  @Test func sameFile() throws {
    let file = try tree.open()
    #expect(file.isSameFile(as: try tree.open()))
    tree.write("copy", "not loaded")
    tree.move("copy", to: PluginTree.library)
    #expect(!file.isSameFile(as: try tree.open()))
  }

  @Test(arguments: [
    "org.example.place.so", "./org.example.place.so", "", "/", "//tmp/org.example.place.so",
    "/tmp//org.example.place.so", "/tmp/./org.example.place.so", "/tmp/x/../org.example.place.so",
    "/tmp/org.example.place.so/", "/tmp/org.example.place.so/.", "/tmp/place.so", "/tmp/.so", "/tmp/..so",
    "/tmp/org.example.place", "/tmp/org.example.place.SO", "/tmp/org.1example.so", "/tmp/org..example.so",
    "/tmp/:1.2.so", "/tmp/org.example.pl\u{e4}ce.so", "/tmp/org.example.place\0.so",
  ])
  func malformedPath(_ path: String) throws {
    let folders = try PluginFolders(prefix: tree.absolute("app"))
    let error = try #require(throws: SegueError.self) { try PluginFile(path: path, folders: folders) }
    #expect(error.code == .invalidArgument)
    #expect(!error.advice.isEmpty)
  }

  @Test func tooLong() throws {
    let folders = try PluginFolders(prefix: tree.absolute("app"))
    // Both below Limits.pathLength and above, and a name that no file system has.
    let name = "/org." + String(repeating: "a", count: 251) + ".so"
    for path in [
      tree.path + String(repeating: "/xxxxxxx", count: 600) + "/org.example.place.so",
      tree.absolute(PluginTree.plugins) + name,
    ] {
      let error = try #require(throws: SegueError.self) { try PluginFile(path: path, folders: folders) }
      #expect(error.code == .invalidArgument)
    }
  }

  @Test func missing() throws {
    #expect(try tree.refusal("nowhere/org.example.place.so").code == .notFound)
    #expect(try tree.refusal(PluginTree.library + "/org.example.place.so").code == .notFound)
    let error = try tree.refusal(PluginTree.plugins + "/org.example.other.so")
    #expect(error.code == .notFound)
    #expect(error.message.contains("org.example.other.so"))
  }

  @Test func empty() throws {
    tree.write(PluginTree.library, "")
    let error = try tree.refusal()
    #expect(error.code == .invalidArgument)
    #expect(error.message.contains("is empty"))
  }

  // MARK: Where it is

  @Test func attack47_elsewhere() throws {
    tree.makeFolder("other")
    tree.makeFolder(PluginTree.plugins + "/more")
    for folder in ["other", "app", PluginTree.plugins + "/more"] {
      tree.write(folder + "/org.example.place.so", "not loaded")
      tree.write(folder + "/org.example.place.plugin", PluginTree.text())
      let error = try tree.refusal(folder + "/org.example.place.so")
      #expect(error.code == .accessDenied)
      #expect(error.advice.contains(tree.absolute(PluginTree.plugins)))
    }
  }

  @Test func attack47_withoutPrefix() throws {
    // The tests are a program, not the library, so that there is no folder of the system either.
    let folders = try PluginFolders(prefix: nil)
    #expect(folders.all.isEmpty)
    let error = try #require(throws: SegueError.self) {
      try PluginFile(path: tree.absolute(PluginTree.library), folders: folders)
    }
    #expect(error.code == .accessDenied)
  }

  @Test func linkAboveThePluginFolder() throws {
    tree.link("alias", to: "app")
    tree.link("app/lib64", to: tree.absolute("app/lib"))
    // The path, the prefix, or both go by a link.
    for (prefix, path) in [
      ("app", "alias/lib/segue/plugins"), ("alias", "app/lib/segue/plugins"), ("alias", "alias/lib64/segue/plugins"),
    ] {
      let file = try PluginFile(
        path: tree.absolute(path) + "/org.example.place.so", folders: PluginFolders(prefix: tree.absolute(prefix)))
      #expect(file.metadata.name == "Place")
    }
    tree.move("app/lib", to: "app/real")
    tree.link("app/lib", to: "../app/./real")
    #expect(try tree.open().metadata.name == "Place")
  }

  @Test func attack47_linkBelowThePluginFolder() throws {
    tree.makeFolder("evil")
    tree.write("evil/org.example.place.so", "not loaded")
    tree.write("evil/org.example.place.plugin", PluginTree.text())
    tree.link(PluginTree.plugins + "/more", to: tree.absolute("evil"))
    #expect(try tree.refusal(PluginTree.plugins + "/more/org.example.place.so").code == .accessDenied)
  }

  @Test(arguments: [PluginTree.library, PluginTree.metadata])
  func attack47_linkedFile(_ name: String) throws {
    tree.move(name, to: "real")
    for target in ["../../../../real", tree.absolute("real"), "/nowhere"] {
      tree.link(name, to: target)
      let error = try tree.refusal()
      #expect(error.code == .accessDenied)
      #expect(error.message.contains(tree.absolute(name)))
      #expect(error.message.contains("symbolic link"))
      tree.remove(name)
    }
  }

  @Test(arguments: [0, 1]) func linksOnTheWay(_ more: Int) throws {
    tree.move("app/lib", to: "app/real")
    let count = Limits.pluginLinks + more
    tree.link("app/lib", to: "l1")
    for number in 1..<count { tree.link("app/l\(number)", to: number == count - 1 ? "real" : "l\(number + 1)") }
    if more == 0 {
      _ = try tree.open()
    } else {
      #expect(try tree.refusal().code == .accessDenied)
    }
  }

  @Test func linksWithoutEnd() throws {
    tree.move("app/lib", to: "app/real")
    tree.link("app/lib", to: "lib")
    #expect(try tree.refusal().code == .accessDenied)
    tree.remove("app/lib")
    tree.link("app/lib", to: "nowhere")
    #expect(try tree.refusal().code == .notFound)
  }

  // MARK: Its owner

  @Test(
    arguments: [
      PluginTree.library, PluginTree.metadata, PluginTree.plugins, "app/lib/segue", "app/lib", "app", "",
    ], [0o020, 0o002, 0o022] as [mode_t])
  func attack47_writable(_ name: String, _ bits: mode_t) throws {
    let isFolder = ![PluginTree.library, PluginTree.metadata].contains(name)
    tree.setMode(name, (isFolder ? 0o755 : 0o644) | bits)
    let error = try tree.refusal()
    #expect(error.code == .accessDenied)
    let path = name.isEmpty ? tree.path : tree.absolute(name)
    #expect(error.message == "\(path) can be written by \(bits & 0o002 != 0 ? "everybody" : "its group")")
    #expect(error.advice.contains("chmod go-w \(path)"))
    // The advice helps.
    tree.setMode(name, isFolder ? 0o755 : 0o644)
    _ = try tree.open()
  }

  @Test(
    .enabled(if: PluginTree.isRoot, "only root can give files away"),
    arguments: [PluginTree.library, PluginTree.metadata, PluginTree.plugins, "app/lib/segue", "app/lib", "app", ""])
  func attack47_foreign(_ name: String) throws {
    tree.setOwner(name, PluginTree.stranger)
    let error = try tree.refusal()
    #expect(error.code == .accessDenied)
    let path = name.isEmpty ? tree.path : tree.absolute(name)
    #expect(error.message == "\(path) belongs to user \(PluginTree.stranger), and not to root")
    #expect(error.advice.contains("chown root \(path)"))
  }

  /// In a folder like /tmp names cannot be taken away, but anybody can make one.
  @Test(.enabled(if: PluginTree.isRoot, "only root can give files away"))
  func attack47_foldersLikeTmp() throws {
    tree.setMode("app", 0o1777)
    _ = try tree.open()
    tree.setOwner("app/lib", PluginTree.stranger)
    #expect(try tree.refusal().message.contains(tree.absolute("app/lib") + " belongs to"))
    tree.setOwner("app/lib", 0)
    tree.setOwner("app", PluginTree.stranger)
    #expect(try tree.refusal().message.contains(tree.absolute("app") + " belongs to"))
    tree.setOwner("app", 0)
    tree.setMode(PluginTree.plugins, 0o1777)
    #expect(try tree.refusal().message.contains(tree.absolute(PluginTree.plugins) + " can be written by"))
  }

  @Test(.enabled(if: PluginTree.isRoot, "only root can give files away"))
  func attack47_linkOfAnotherOnTheWay() throws {
    tree.move("app/lib", to: "app/real")
    tree.setMode("app", 0o1777)
    tree.link("app/lib", to: "real")
    _ = try tree.open()
    tree.setOwner("app/lib", PluginTree.stranger)
    #expect(try tree.refusal().message.contains(tree.absolute("app/lib") + " belongs to"))
    // The folder that a link stands in counts as well, though the plugin is not below it.
    tree.makeFolder("aliases")
    tree.link("aliases/app", to: tree.absolute("app"))
    tree.setOwner("app/lib", 0)
    tree.setMode("aliases", 0o757)
    let folders = try PluginFolders(prefix: tree.absolute("aliases/app"))
    let error = try #require(throws: SegueError.self) {
      try PluginFile(path: tree.absolute(PluginTree.library), folders: folders)
    }
    #expect(error.message.contains(tree.absolute("aliases") + " can be written by"))
  }

  // MARK: Its kind

  @Test(arguments: [PluginTree.library, PluginTree.metadata])
  func attack47_fifo(_ name: String) throws {
    tree.remove(name)
    #expect(mkfifo(tree.absolute(name), 0o644) == 0)
    try expectNoFile(name)
  }

  @Test(arguments: [PluginTree.library, PluginTree.metadata])
  func attack47_folder(_ name: String) throws {
    tree.remove(name)
    tree.makeFolder(name)
    try expectNoFile(name)
  }

  @Test(
    .enabled(if: PluginTree.isRoot, "only root can make devices"), arguments: [PluginTree.library, PluginTree.metadata])
  func attack47_device(_ name: String) throws {
    tree.remove(name)
    // As /dev/zero, which has no end: device 1:5.
    try #require(mknod(tree.absolute(name), S_IFCHR | 0o644, 0x105) == 0)
    try expectNoFile(name)
  }

  @Test(arguments: [PluginTree.library, PluginTree.metadata])
  func attack47_socket(_ name: String) throws {
    tree.remove(name)
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: tree.absolute(name).utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    chmod(tree.absolute(name), 0o644)
    try expectNoFile(name)
  }

  private func expectNoFile(_ name: String) throws {
    let error = try tree.refusal()
    #expect(error.code == .accessDenied)
    #expect(error.message == "\(tree.absolute(name)) is not a regular file")
  }

  // MARK: Metadata

  @Test func metadataMissing() throws {
    tree.remove(PluginTree.metadata)
    let error = try tree.refusal()
    #expect(error.code == .notFound)
    #expect(error.message.contains(tree.absolute(PluginTree.metadata)))
  }

  @Test func metadataTooLong() throws {
    tree.write(PluginTree.metadata, PluginTree.text() + "#" + String(repeating: "x", count: Limits.fileLength))
    let error = try tree.refusal()
    #expect(error.code == .invalidArgument)
    #expect(error.message.contains("more than \(Limits.fileLength) bytes"))
    // Just as long as it may be.
    let rest = Limits.fileLength - PluginTree.text().utf8.count - 1
    tree.write(PluginTree.metadata, PluginTree.text() + "#" + String(repeating: "x", count: rest))
    _ = try tree.open()
  }

  @Test func metadataOfAnother() throws {
    tree.write(PluginTree.metadata, PluginTree.text(id: "org.example.other"))
    let error = try tree.refusal()
    #expect(error.code == .invalidArgument)
    #expect(error.message.contains("org.example.other"))
  }

  @Test(arguments: ["", "\0", "\u{feff}", "[Plugin]\nId=org.example.place\n", "no key-file"])
  func metadataMalformed(_ text: String) throws {
    tree.write(PluginTree.metadata, text)
    let error = try tree.refusal()
    #expect(error.code == .invalidArgument)
    #expect(error.message.hasPrefix(tree.absolute(PluginTree.metadata) + ": "))
  }
}
