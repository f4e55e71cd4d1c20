import Glibc
import SegueCore
import Testing

@testable import SegueDaemon

/// Files that nobody should have written.
@Suite struct RegistryHostileTests {
  let folder: RegistryFolder
  static let path = "system/applications/com.example.Bad.desktop"
  static let good = "system/applications/com.example.Good.desktop"

  init() throws { folder = try RegistryFolder() }

  @Test func badFilesAreOneProblemEach() throws {
    let start = Array("[Desktop Entry]\nType=Application\nX-Segue-ActivityTypes=a.b;\n".utf8)
    let cases: [(String, String, () -> Void)] = [
      (
        "huge", "has more than",
        {
          folder.write(Self.path, start + [UInt8](repeating: 0x23, count: Limits.fileLength))
        }
      ),
      ("binary", "is malformed", { folder.write(Self.path, start + (0...255).map { UInt8($0) }) }),
      ("invalid UTF-8", "is malformed", { folder.write(Self.path, start + Array("Name=".utf8) + [0xFF, 0xFE]) }),
      ("no group", "before any group", { folder.write(Self.path, "X-Segue-ActivityTypes=a.b;\n") }),
      ("FIFO", "is not a regular file", { mkfifo(folder.absolute(Self.path), 0o644) }),
      (
        "link to a FIFO", "is not a regular file",
        {
          mkfifo(folder.absolute("fifo"), 0o644)
          folder.link(Self.path, to: folder.absolute("fifo"))
        }
      ),
      ("link loop", "is a link that leads to no file", { folder.link(Self.path, to: "com.example.Bad.desktop") }),
      ("link to nowhere", "is a link that leads to no file", { folder.link(Self.path, to: "nowhere") }),
    ]
    for (what, reason, make) in cases {
      folder.remove("system")
      folder.remove("fifo")
      folder.write(Self.good, RegistryFolder.desktop())
      make()
      var lines: [String] = []
      let registry = try Registry(folder.settings) { lines.append($0) }
      #expect(registry.ids == ["com.example.Good"], "\(what)")
      #expect(registry.problems.count == (reason.contains("no file") ? 0 : 1), "\(what): \(registry.problems)")
      #expect(lines == registry.problems)
      #expect(lines.allSatisfy { $0.contains(reason) }, "\(what): \(lines)")
    }
  }

  @Test func badFilesThatAreNotForUsAreNoProblem() throws {
    folder.write(Self.good, RegistryFolder.desktop())
    folder.write("system/applications/com.example.A.desktop", [UInt8](repeating: 0xFF, count: Limits.fileLength + 9))
    folder.write("system/applications/com.example.B.desktop", "")
    folder.write("home/.local/share/applications/com.example.C.desktop", "[Desktop Entry]\nHidden=true\n", mode: 0o666)
    folder.makeFolder("system/applications/com.example.D.desktop")
    let registry = try Registry(folder.settings) { _ in }
    #expect(registry.ids == ["com.example.Good"])
    #expect(registry.problems == [])
  }

  @Test func manyKeysAndTypes() throws {
    let lines = (0..<1000).map { "Key\($0)=x\nName[l\($0)]=x\n" }.joined()
    folder.write(Self.good, RegistryFolder.desktop(lines + "X-Segue-Team=" + String(repeating: "A", count: 9000)))
    let registry = try Registry(folder.settings) { _ in }
    #expect(registry.application(try appID("com.example.Good"))?.team == nil)
    #expect(registry.application(try appID("com.example.Good"))?.name == "Leser")
  }

  @Test func foldersLoopAndGoDeep() throws {
    folder.write(Self.good, RegistryFolder.desktop())
    folder.link("system/applications/loop", to: "../applications")
    folder.link("system/applications/up", to: "..")
    let deep = "system/applications/" + (0..<30).map { "a\($0)." }.joined(separator: "/")
    folder.write(deep + "/x.desktop", RegistryFolder.desktop())
    folder.write("system/applications/\u{1B}[31m/x.desktop", RegistryFolder.desktop())
    let registry = try Registry(folder.settings) { _ in }
    #expect(registry.ids == ["com.example.Good"])
    #expect(registry.problems.count == 1)
    #expect(registry.problems.allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test func namesThatAreNotUTF8() throws {
    folder.makeFolder("system/applications")
    let name = Array(folder.absolute("system/applications/a.").utf8CString.dropLast()) + [-1, -2]
    let path = name + Array(".desktop".utf8CString)
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
    let registry = try Registry(folder.settings) { _ in }
    folder.write(Self.good, RegistryFolder.desktop())
    unlink(path)
    #expect(registry.settle { registry.ids == ["com.example.Good"] })
  }

  @Test func noDescriptorIsLeft() throws {
    folder.write(Self.good, RegistryFolder.desktop())
    mkfifo(folder.absolute(Self.path), 0o644)
    let registry = try Registry(folder.settings) { _ in }
    for _ in 0..<500 { registry.rescan() }
    // Other tests have descriptors too, on other files.
    let root = folder.absolute("")
    #expect(openFiles().filter { $0.hasPrefix(root) } == [])
  }

  @Test func thousandsOfFiles() throws {
    let text = "[Desktop Entry]\nType=Application\nName=x\nExec=x\n" + String(repeating: "Name[xx]=x\n", count: 60)
    for number in 0..<10_000 { folder.write("system/applications/com.example.App\(number).desktop", text) }
    folder.write(Self.good, RegistryFolder.desktop())
    let registry = try Registry(folder.settings) { _ in }
    registry.rescan()
    #expect(registry.ids == ["com.example.Good"])
  }
}
