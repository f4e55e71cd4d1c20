import Foundation
import SegueBus
import SegueCore
import SegueState
import Testing

@testable import segue

/// A folder that is removed with the object.
private final class Folder {
  let path: String

  init() {
    var template = Array("/tmp/segue-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: Installation.folder(file), withIntermediateDirectories: true)
    try File.replace(file, Array(text.utf8), mode: mode)
  }

  func text(_ name: String) -> String? { try? String(contentsOfFile: path + "/" + name, encoding: .utf8) }
}

@Suite struct PluginTests {
  static let metadata = """
    [Plugin]
    Id=org.example.place
    Name=Place
    Version=1.0
    ABI=1
    ActivityTypes=org.example.reading;org.example.writing;
    Objects=position;empty;

    [Object position]
    Name=A place in a text
    Properties=file;line;marks;note;
    RestoreKeys=line;file;

    [Property position/file]
    Type=s
    Required=true
    Scope=this-device

    [Property position/line]
    Type=u
    Scope=portable
    Default=1

    [Property position/marks]
    Type=au
    Scope=portable

    [Property position/note]
    Type=mU
    Scope=portable

    [Object empty]
    Name=Nothing
    """

  private func folder(_ text: String = metadata, name: String = "org.example.place") throws -> Folder {
    let folder = Folder()
    try folder.write(name + ".plugin", text)
    try folder.write(name + ".so", "a library")
    return folder
  }
}

// MARK: Showing
extension PluginTests {
  @Test func page() throws {
    let folder = try folder()
    for name in ["org.example.place.so", "org.example.place.plugin"] {
      let place = try PluginPlace.named(folder.path + "/" + name)
      #expect(
        PluginText.page(try place.read(), place) == """
          id          org.example.place
          name        Place
          version     1.0
          ABI         1
          activities  org.example.reading
                      org.example.writing
          file        \(folder.path)/org.example.place.so

          position: A place in a text
            KEY    TYPE                                 SCOPE         WHERE MISSING
            file   text (s)                             this device   nothing is restored
            line   integer, 0 to 4294967295 (u)         every device  "1"
            marks  list: integer, 0 to 4294967295 (au)  every device  left alone
            note   URL, or none (mU)                    every device  set to none
            restored together: line, file

          empty: Nothing
          """)
    }
  }

  @Test func json() throws {
    let folder = try folder()
    let place = try PluginPlace.named(folder.path + "/org.example.place.so")
    let text = PluginText.json(try place.read(), place)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["id"] as? String == "org.example.place")
    #expect(object["abi"] as? Int == 1)
    #expect(object["activity-types"] as? [String] == ["org.example.reading", "org.example.writing"])
    let objects = try #require(object["objects"] as? [[String: Any]])
    #expect(objects.map { $0["id"] as? String } == ["position", "empty"])
    #expect(objects[0]["restore-keys"] as? [String] == ["line", "file"])
    let properties = try #require(objects[0]["properties"] as? [[String: Any]])
    #expect(properties.map { $0["type"] as? String } == ["s", "u", "au", "mU"])
    #expect(properties.map { $0["required"] as? Bool } == [true, false, false, false])
    #expect(properties.map { $0["portable"] as? Bool } == [false, true, true, true])
    #expect(properties.map { $0["default"] as? String } == [nil, "1", nil, nil])
  }

  static let words: [(String, String)] = [
    ("b", "true or false (b)"), ("C", "integer, -128 to 127 (C)"), ("y", "integer, 0 to 255 (y)"),
    ("x", "integer (x)"), ("t", "integer, not negative (t)"), ("F", "number, single precision (F)"),
    ("d", "number (d)"), ("s", "text (s)"), ("D", "date (D)"), ("v", "anything (v)"), ("ay", "bytes (ay)"),
    ("may", "bytes, or none (may)"), ("as", "list: text (as)"), ("mad", "list: number, or none (mad)"),
  ]

  @Test(arguments: words)
  func inWords(_ signature: String, _ expected: String) throws {
    #expect(try PluginText.words(PluginType(signature: signature)) == expected)
  }

  @Test(arguments: ["org.example.none", "org", "/no/such/folder", "", "/", ".so", "x.plug"])
  func nobodyKnows(_ name: String) throws {
    let error = #expect(throws: SegueError.self) { try PluginPlace.named(name) }
    #expect(error?.code == .notFound)
    #expect(error?.advice.contains("segue plugin list") == true)
  }
}

// MARK: Listing
extension PluginTests {
  @Test func list() throws {
    let folder = try folder()
    try folder.write("org.example.broken.plugin", "[Plugin]\nId=org.example.broken\nnonsense")
    try folder.write("org.example.broken.so", "")
    try folder.write("org.example.other.plugin", Self.metadata)
    try folder.write("org.example.other.so", "")
    try folder.write("org.example.alone.so", "")
    try folder.write("org.example.bare.plugin", Self.metadata.replacing("example.place", with: "example.bare"))
    try folder.write("README", "no plugin")
    let places = PluginPlace.all(in: folder.path)
    let lines = PluginCommand.List.text(places, [folder.path]).split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "ID                 VERSION  NAME   FILE",
        "org.example.place  1.0      Place  \(folder.path)/org.example.place.so",
        "error: There is no \(folder.path)/org.example.alone.plugin.",
        "error: There is no \(folder.path)/org.example.bare.so.",
        "error: \(folder.path)/org.example.broken.plugin: Line 3: neither a comment, a group nor a key with a value.",
        "error: \(folder.path)/org.example.other.plugin is of org.example.place.",
      ])
    let items = try #require(
      try JSONSerialization.jsonObject(with: Data(PluginCommand.List.json(places).utf8)) as? [[String: Any]])
    #expect(items.map { $0["id"] as? String } == [nil, nil, nil, nil, "org.example.place"])
    #expect(items.map { $0["error"] != nil } == [true, true, true, true, false])
  }

  @Test func noneAtAll() {
    #expect(PluginCommand.List.text([], []) == "No plugins are installed.")
    #expect(PluginCommand.List.text([], ["/a", "/b"]) == "There are no plugins in /a, /b.")
  }

  @Test func aFileThatIsNoFile() throws {
    let folder = Folder()
    try folder.write("org.example.folder.plugin/x", "")
    try folder.write("org.example.long.plugin", String(repeating: "#", count: Limits.fileLength + 1))
    #expect(mkfifo(folder.path + "/org.example.pipe.plugin", 0o600) == 0)
    let text = PluginCommand.List.text(PluginPlace.all(in: folder.path), [folder.path])
    #expect(text.split(separator: "\n").count == 3)
    #expect(text.contains("is larger than"))
  }
}

// MARK: The installation
extension PluginTests {
  @Test func foldersOfAPrefix() throws {
    let folder = Folder()
    let installation = Installation(prefix: folder.path)
    #expect(installation.pluginFolders == [])
    #expect(installation.pluginChecker == folder.path + "/libexec/segue-plugin-check")
    try folder.write("lib/segue/plugins/x", "")
    #expect(installation.pluginFolders == [folder.path + "/lib/segue/plugins"])
    // Where the list of what is installed says other folders.
    try folder.write("lib64/segue/plugins/x", "")
    try folder.write(
      "share/segue/installed",
      "\(folder.path)/lib64/libsegue.so.0\n\(folder.path)/lib/segue/segue-plugin-check\n")
    #expect(installation.pluginFolders == [folder.path + "/lib64/segue/plugins", folder.path + "/lib/segue/plugins"])
    #expect(installation.pluginChecker == folder.path + "/lib/segue/segue-plugin-check")
  }

  @Test func ofThisProgram() throws {
    let program = try #require(realpath("/proc/self/exe", nil))
    defer { free(program) }
    let installation = try Installation.current()
    #expect(String(cString: program).hasPrefix(installation.prefix + "/"))
  }
}

// MARK: Beginning one
extension PluginTests {
  private func template() throws -> Folder {
    let folder = Folder()
    try folder.write("Makefile", "id = @PLUGIN_ID@\nother = @OTHER@ PLUGIN_ID\n")
    try folder.write("PLUGIN_ID.plugin", "Id=@PLUGIN_ID@\nName=@PLUGIN_NAME@\n")
    try folder.write("PLUGIN_NAME.c", "/* @PLUGIN_ID@@PLUGIN_NAME@ */")
    try folder.write("check", "#!/bin/sh\n", mode: 0o755)
    #expect(mkdir(folder.path + "/inner", 0o755) == 0)
    try folder.write("inner/calls.h", "/* @PLUGIN_ID@ */")
    return folder
  }

  @Test func new() throws {
    let template = try template()
    let folder = Folder()
    let id = try #require(PluginID("org.example.my-place"))
    try PluginTemplate(folder: template.path).copy(to: folder.path + "/new", as: id)
    #expect(
      File.names(in: folder.path + "/new").filter { !$0.hasPrefix(".") } == [
        "Makefile", "check", "inner", "my-place.c", "org.example.my-place.plugin",
      ])
    #expect(folder.text("new/inner/calls.h") == "/* org.example.my-place */")
    #expect(folder.text("new/Makefile") == "id = org.example.my-place\nother = @OTHER@ PLUGIN_ID\n")
    #expect(folder.text("new/org.example.my-place.plugin") == "Id=org.example.my-place\nName=my-place\n")
    #expect(folder.text("new/my-place.c") == "/* org.example.my-placemy-place */")
    #expect(access(folder.path + "/new/check", X_OK) == 0)
    #expect(access(folder.path + "/new/Makefile", X_OK) != 0)
    // An empty folder will do as well; one with anything in it not.
    #expect(mkdir(folder.path + "/empty", 0o755) == 0)
    try PluginTemplate(folder: template.path).copy(to: folder.path + "/empty", as: id)
    let error = #expect(throws: SegueError.self) {
      try PluginTemplate(folder: template.path).copy(to: folder.path + "/new", as: id)
    }
    #expect(error?.message == "\(folder.path)/new cannot be made: it is there, and not an empty folder.")
    #expect(folder.text("new/Makefile")?.hasPrefix("id = org.example.my-place\n") == true)
  }

  @Test func newWhereItCannotBe() throws {
    let template = try template()
    let folder = Folder()
    try folder.write("file", "")
    let id = try #require(PluginID("org.example.place"))
    for target in ["file", "none/new", "file/new"] {
      let error = #expect(throws: SegueError.self) {
        try PluginTemplate(folder: template.path).copy(to: folder.path + "/" + target, as: id)
      }
      #expect(error?.advice == "Name another folder with --folder.")
    }
    #expect(folder.text("file") == "")
    let error = #expect(throws: SegueError.self) {
      try PluginTemplate(folder: folder.path + "/none").copy(to: folder.path + "/new", as: id)
    }
    #expect(error?.message.contains("There is no template") == true)
    #expect(access(folder.path + "/new", F_OK) != 0)
  }
}
