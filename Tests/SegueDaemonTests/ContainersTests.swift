import Glibc
import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

@Suite struct ContainersTests {
  private let folder: RegistryFolder
  private let settings: ContainerSettings

  init() throws {
    folder = try RegistryFolder()
    let home = folder.path
    settings = ContainerSettings { ["HOME": home][$0] }
  }

  private func containers(_ log: @escaping (String) -> Void = { _ in }) throws -> Containers {
    try Containers(settings, log: log)
  }

  private func described(_ containers: Containers) -> [String] {
    containers.table.containers.map { "\($0.id) \($0.path.replacing(folder.path, with: "HOME"))" }
  }

  private static func syncthing(_ inside: String) -> String {
    "<configuration version=\"36\">\(inside)</configuration>"
  }

  @Test func R8_whereConfigurationsAre() {
    let environment = ["HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative"]
    let settings = ContainerSettings { environment[$0] }
    #expect(settings.declared == "/c/segue/segue.conf")
    #expect(settings.nextcloud == "/c/Nextcloud/nextcloud.cfg")
    #expect(
      settings.syncthing
        == ["/c", "/h/.config", "/h/.local/state", "/h/.local/state"].map { $0 + "/syncthing/config.xml" })
    #expect(settings.path("~") == "/h")
    #expect(settings.path("~/a b/") == "/h/a b")
    for path in ["~other/a", "a", "", "~/../a"] { #expect(settings.path(path) == nil) }
  }

  @Test func R8_whatTheUserSaysGoesBeforeWhatIsFound() throws {
    folder.write(".config/segue/segue.conf", "[Container syncthing:a]\nPath=~/mine\n\n[Container b]\nPath=/b\n")
    folder.write(
      ".local/state/syncthing/config.xml", Self.syncthing("<folder id='a' path='~/a'/><folder id='b' path='/b'/>"))
    folder.write(
      ".config/Nextcloud/nextcloud.cfg",
      "[Accounts]\n0\\Folders\\1\\localPath=/cloud/\n0\\Folders\\1\\targetPath=/\n0\\dav_user=u\n0\\url=https://c.org\n"
    )
    var lines: [String] = []
    let containers = try containers { lines.append($0) }
    #expect(
      described(containers) == ["syncthing:a HOME/mine", "b /b", "syncthing:b /b", "nextcloud:u@c.org#/ /cloud"])
    #expect(lines.count == 1 && lines[0].contains("so not \(folder.path)/a too"))
    #expect(containers.container(for: "/b/x/y").map { $0.id + " " + $0.path } == "b x/y")
    #expect(containers.container(for: "/c") == nil)
  }

  @Test func R8_badConfigurationsLeaveTheOthers() throws {
    folder.write(
      ".config/segue/segue.conf",
      "[Container none]\n[Container relative]\nPath=a\n[Container root]\nPath=/\n[Container escape]\nPath=/\\q\n"
        + "[Container good]\nPath=/good\n")
    folder.write(".config/syncthing/config.xml", "<configuration><folder id='x' path='/x'")
    folder.write(".config/Nextcloud/nextcloud.cfg", [0xFF])
    var lines: [String] = []
    let containers = try containers { lines.append($0) }
    #expect(described(containers) == ["good /good"])
    #expect(lines.count == 6)
    for line in lines { #expect(line.hasPrefix(folder.path)) }
  }

  @Test func R8_configurationsAreFollowed() throws {
    let containers = try containers()
    var changes = 0
    containers.onChange = { changes += 1 }
    let file = ".local/state/syncthing/config.xml"
    func settle(_ wanted: [String]) { #expect(containers.settle { described(containers) == wanted }) }
    // Its folders come one after the other.
    folder.makeFolder(".local")
    folder.makeFolder(".local/state/syncthing")
    folder.write(file, Self.syncthing("<folder id='a' path='/a'/>"))
    settle(["syncthing:a /a"])
    // Replaced by a rename.
    folder.write("draft", Self.syncthing("<folder id='a' path='/b'/>"))
    folder.move("draft", to: file)
    settle(["syncthing:a /b"])
    // A file that is not XML changes nothing; a valid one that comes after it does.
    folder.write(file, "<configuration")
    folder.write(file, Self.syncthing("<folder id='c' path='/c'/>"))
    settle(["syncthing:c /c"])
    // A link to a file elsewhere, which is then written.
    folder.write("elsewhere/config.xml", Self.syncthing("<folder id='d' path='/d'/>"))
    folder.remove(file)
    folder.link(file, to: folder.absolute("elsewhere/config.xml"))
    settle(["syncthing:d /d"])
    folder.write("elsewhere/config.xml", Self.syncthing("<folder id='e' path='/e'/>"))
    settle(["syncthing:e /e"])
    // The whole folder goes, and one of a former version comes.
    folder.remove(".local")
    settle([])
    folder.write(".config/syncthing/config.xml", Self.syncthing("<folder id='f' path='/f'/>"))
    settle(["syncthing:f /f"])
    #expect(changes >= 6)
  }

  // MARK: Syncthing

  /// A watch that one file needs is kept while the next file is looked at in the same pass.
  @Test func R8_aFileThatComesLaterIsNoticedBesideThoseThatAreThere() throws {
    folder.write(".config/syncthing/config.xml", Self.syncthing("<folder id='a' path='~/a'/>"))
    folder.write(".config/Nextcloud/nextcloud.cfg", "[Accounts]\n")
    let containers = try containers()
    #expect(described(containers) == ["syncthing:a HOME/a"])
    folder.write(".config/segue/segue.conf", "[Container b]\nPath=~/b\n")
    #expect(containers.settle { described(containers) == ["b HOME/b", "syncthing:a HOME/a"] })
  }

  private func syncthing(_ text: String) throws -> [String] {
    try SyncthingContainers.read(Array(text.utf8), settings).containers.map { $0.id + " " + $0.path }
  }

  @Test func R8_onlySyncthingsOwnFolders() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <configuration version="36">
        <folder id="a&amp;b" label="A" path="/a &#x26; b" type="sendreceive"><device id="X"/></folder>
        <folder id="receive" path="/r" type="receiveonly"/>
        <folder id="encrypted" path="/e" type="receiveencrypted"/>
        <device id="X"><folder id="inside" path="/i"/></device>
        <defaults><folder id="" path="~"/></defaults>
      </configuration>
      """
    #expect(try syncthing(text) == ["syncthing:a&b /a & b", "syncthing:receive /r"])
    let reading = try SyncthingContainers.read(
      Array(Self.syncthing("<folder path='/a'/><folder id='b' path='b'/><folder id='' path='/c'/>").utf8), settings)
    #expect(reading.problems.count == 3)
    #expect(reading.containers.isEmpty)
  }

  @Test(arguments: [
    "", "<", "text", "<configuration>", "<html/>", "<configuration/><configuration/>",
    "<configuration>&nothing;</configuration>", "<configuration>\u{1}</configuration>",
  ])
  func R8_whatIsNoConfigurationOfSyncthing(_ text: String) {
    #expect(throws: SegueError.self) { try syncthing(text) }
  }

  @Test func R8_entitiesDoNotGrow() {
    var text = "<?xml version='1.0'?><!DOCTYPE configuration [<!ENTITY a0 'laugh'>"
    for number in 1...30 {
      let one = "&a\(number - 1);"
      text += "<!ENTITY a\(number) '\(one)\(one)\(one)\(one)\(one)\(one)\(one)\(one)\(one)\(one)'>"
    }
    text += "]><configuration><folder id='a' path='/a&a30;'/></configuration>"
    #expect(throws: SegueError.self) { try syncthing(text) }
    #expect(throws: SegueError.self) {
      try syncthing("<!DOCTYPE configuration SYSTEM 'file:///etc/passwd'><configuration/>")
    }
    // Depth alone costs nothing.
    #expect(throws: SegueError.self) { try syncthing(String(repeating: "<configuration>", count: 200_000)) }
  }

  // MARK: Nextcloud

  /// As Qt writes it, and as DNS has it; the vectors are of RFC 3492, section 7.1, and of names that there are.
  @Test(arguments: [
    ("https://b\u{FC}cher.example/a", "https://xn--bcher-kva.example/a"),
    ("https://B\u{DC}CHER.example:444", "https://xn--bcher-kva.example:444"),
    (
      "https://\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}?x",
      "https://xn--ihqwcrb4cv8a8dqg056pqjye?x"
    ),
    (
      "https://a.\u{43F}\u{43E}\u{447}\u{435}\u{43C}\u{443}\u{436}\u{435}\u{43E}\u{43D}\u{438}\u{43D}\u{435}\u{433}\u{43E}\u{432}\u{43E}\u{440}\u{44F}\u{442}\u{43F}\u{43E}\u{440}\u{443}\u{441}\u{441}\u{43A}\u{438}/",
      "https://a.xn--b1abfaaepdrnnbgefbadotcwatmq2g4l/"
    ),
    ("https://c.org/\u{FC}", "https://c.org/\u{FC}"), ("c.org", "c.org"), ("https:", "https:"), ("", ""),
  ]) func R8_aHostInUnicodeIsTheOneInASCII(_ address: String, _ ascii: String) {
    #expect(HostName.inASCII(address) == ascii)
  }

  @Test func R8_aServerWithAHostInUnicodeHasOneId() throws {
    func ids(_ address: String) throws -> [String] {
      let reading = try nextcloud("0\\url=\(address)\n0\\dav_user=u\n0\\Folders\\1\\localPath=/m\n")
      #expect(reading.problems == [])
      return reading.containers.map { $0.id }
    }
    #expect(try ids("https://b\\xfc\\x63her.example/next") == ["nextcloud:u@xn--bcher-kva.example/next#/"])
    #expect(try ids("https://xn--bcher-kva.example/next") == ["nextcloud:u@xn--bcher-kva.example/next#/"])
  }

  private func nextcloud(_ lines: String) throws -> ContainerReading {
    try NextcloudContainers.read(Array(("[General]\n0\\url=no\n[Accounts]\n" + lines).utf8), settings)
  }

  @Test func R8_whatQtWrites() throws {
    let reading = try nextcloud(
      #"""
      0\Folders\1\localPath="/home/u/Nextcloud, \xfc\x20ac \xd83d\xde00\\/"
      0\Folders\1\targetPath=/
      0\FoldersWithPlaceholders\2\localPath=/home/u/Bücher/
      0\FoldersWithPlaceholders\2\targetPath=/Books/A/
      0\Multifolders\%203\localPath=  /m
      0\Folders\4\localPath=@ByteArray(/x)
      0\Folders\5\localPath=/a, /b
      0\Folders\6\localPath="/open
      0\Other\7\localPath=/o
      0\dav_user=a@b/c
      0\url=https://Cloud.Example.org:444/next/
      1\Folders\1\localPath=/one
      1\url=https://user:secret@cloud.example.org
      ; 0\Folders\8\localPath=/comment
      """#)
    let id = "nextcloud:a%40b%2fc@cloud.example.org:444/next#/"
    #expect(
      reading.containers.map { $0.id + " " + $0.path } == [
        "\(id) /home/u/Nextcloud, ü€ 😀\\", "\(id)Books/A /home/u/Bücher", "\(id) /m",
      ])
    #expect(reading.problems == ["The account 1 has no server's address."])
  }

  @Test(arguments: [
    "\\x", "\\xd83d", "\\x12345", "\\q", "\\", "\"", "@x", "a,b", "%", "=", "@@/a", "\u{0}",
  ])
  func R8_valuesThatAreNoPath(_ value: String) throws {
    // The reader survives each of these values.
    let reading = try? nextcloud("0\\Folders\\1\\localPath=\(value)\n0\\url=https://c.org\n%\\=1\n%UZ=2\n=3\n=\n\\")
    #expect(reading?.containers.isEmpty ?? true)
  }
}

extension Containers {
  /// Waits for events and takes them in until `condition` holds. Whether it came to hold.
  func settle(_ condition: () -> Bool) -> Bool {
    while !condition() {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 60_000) == 1 else { return false }
      process()
    }
    return true
  }
}
