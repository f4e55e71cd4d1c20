import SegueCore
import Testing

@Suite struct PluginMetadataTests {
  static let good = """
    [Plugin]
    Id=org.example.place
    Name=Place
    Version=1.0
    ABI=1
    ActivityTypes=org.example.reading;org.example.writing;
    Objects=position;view;

    # The one that all have
    [Object position]
    Name=A place in a text
    Properties=file;line;name\\;s;
    RestoreKeys=line;file;

    [Property position/file]
    Type=s
    Required=true
    Scope=this-device

    [Property position/line]
    Type=u
    Scope=portable
    Default=1

    [Property position/name;s]
    Type=mas
    Required=false
    Scope=portable

    [Object view]
    Name=A view
    Properties=

    """

  private func read(_ text: String) throws(SegueError) -> PluginMetadata { try PluginMetadata(Array(text.utf8)) }

  @Test func whole() throws {
    let metadata = try read(Self.good)
    #expect(metadata.id.string == "org.example.place")
    #expect(metadata.name == "Place")
    #expect(metadata.version == "1.0")
    #expect(metadata.abi == 1)
    #expect(metadata.activityTypes.map { $0.string } == ["org.example.reading", "org.example.writing"])
    #expect(metadata.objects.map { $0.id } == ["position", "view"])
    let position = try #require(metadata.objects.first)
    #expect(position.name == "A place in a text")
    #expect(position.properties.map { $0.key } == ["file", "line", "name;s"])
    #expect(position.properties.map { $0.type.signature } == ["s", "u", "mas"])
    #expect(position.properties.map { $0.isRequired } == [true, false, false])
    #expect(position.properties.map { $0.isPortable } == [false, true, true])
    #expect(position.properties.map { $0.defaultText } == [nil, "1", nil])
    #expect(position.properties.map { $0.defaultValue } == [nil, .integer(1), nil])
    #expect(position.restored == [1, 0])
    #expect(metadata.objects[1].properties.isEmpty)
    #expect(PluginMetadata.problems(Array(Self.good.utf8)) == [])
  }

  @Test func least() throws {
    let metadata = try read("[Plugin]\nId=a.b\nName=x\nVersion=0\nABI=4294967295\nObjects=\n")
    #expect(metadata.activityTypes.isEmpty)
    #expect(metadata.objects.isEmpty)
    #expect(metadata.abi == 0xFFFF_FFFF)
  }

  /// A text of the good file, its replacement, and the words of the problem.
  static let bad: [(String, String, String)] = [
    ("[Plugin]", "[Plug-in]", "[Plugin] is missing"),
    ("Id=org.example.place\n", "", "[Plugin] Id is missing"),
    ("Id=org.example.place", "Id=place", "Line 2: [Plugin] Id: \"place\" cannot be it"),
    ("Id=org.example.place", "Id=../a.b", "Line 2: [Plugin] Id: \"../a.b\" cannot be it"),
    ("Id=org.example.place", "Id=:1.2", "Line 2: [Plugin] Id: \":1.2\" cannot be it"),
    ("Id=org.example.place", "Id=org.\\n", "Line 2: [Plugin] Id: \"org. \" cannot be it"),
    ("Id=org.example.place", "Id=org.\\x", "Line 2: Id has an unknown escape"),
    ("Name=Place\n", "", "[Plugin] Name is missing"),
    ("Name=Place", "Name=", "Line 3: [Plugin] Name: \"\" cannot be it"),
    ("Name=Place", "Name=a\\nb", "Line 3: [Plugin] Name: \"a b\" cannot be it"),
    ("Name=Place", "Name=a\u{202E}b", "Line 3: [Plugin] Name: \"ab\" cannot be it"),
    ("Name=Place", "Name[de]=Ort", "[Plugin] Name[de] is not known"),
    ("Version=1.0\n", "", "[Plugin] Version is missing"),
    ("Version=1.0", "Version=", "Line 4: [Plugin] Version: \"\" cannot be it"),
    ("ABI=1\n", "", "[Plugin] ABI is missing"),
    ("ABI=1", "ABI=one", "Line 5: [Plugin] ABI: \"one\" cannot be it"),
    ("ABI=1", "ABI=0", "Line 5: [Plugin] ABI: \"0\" cannot be it"),
    ("ABI=1", "ABI=+1", "Line 5: [Plugin] ABI: \"+1\" cannot be it"),
    ("ABI=1", "ABI=4294967296", "Line 5: [Plugin] ABI: \"4294967296\" cannot be it"),
    ("ABI=1", "Abi=1", "[Plugin] ABI is missing"),
    ("ABI=1", "Abi=1", "[Plugin] Abi is not known"),
    ("org.example.writing", "writing", "Line 6: [Plugin] ActivityTypes: \"writing\" cannot be it"),
    ("org.example.writing", "org.example.reading", "[Plugin] ActivityTypes: org.example.reading is there twice"),
    ("Objects=position;view;\n", "", "[Plugin] Objects is missing"),
    ("Objects=position;view;\n", "", "[Object view] is not known"),
    ("Objects=position;view;", "Objects=position;", "[Object view] is not known"),
    ("Objects=position;view;", "Objects=position;view;view", "Line 7: [Plugin] Objects: view is there twice"),
    (
      "Objects=position;view;", "Objects=position;view;more",
      "Line 7: [Plugin] Objects: more has no group [Object more]"
    ),
    ("Objects=position;view;", "Objects=position;view;;", "Line 7: [Plugin] Objects: \"\" cannot be it"),
    ("Objects=position;view;", "Objects=position;view;a/b", "Line 7: [Plugin] Objects: \"a/b\" cannot be it"),
    ("Name=A view\n", "", "[Object view] Name is missing"),
    ("Name=A view", "Name=\\t", "[Object view] Name: \" \" cannot be it"),
    (
      "Properties=file;line;", "Properties=file;line;file;",
      "Line 12: [Object position] Properties: file is there twice"
    ),
    ("Properties=file;line;", "Properties=file;line;[x];", "[Object position] Properties: \"[x]\" cannot be it"),
    ("Properties=file;line;", "Properties=file;line;é;", "[Object position] Properties: \"é\" cannot be it"),
    ("Properties=file;line;", "Properties=file;", "[Property position/line] is not known"),
    (
      "Properties=file;line;", "Properties=file;",
      "Line 13: [Object position] RestoreKeys: line is none of the properties"
    ),
    (
      "Properties=file;line;", "Properties=file;line;column;",
      "Line 12: [Object position] Properties: column has no group [Property position/column]"
    ),
    ("RestoreKeys=line;file;", "RestoreKeys=line;x;", "Line 13: [Object position] RestoreKeys: x is none of"),
    ("RestoreKeys=line;file;", "RestoreKeys=line;line;", "Line 13: [Object position] RestoreKeys: line is there twice"),
    ("RestoreKeys=line;file;", "Restore=line;file;", "[Object position] Restore is not known"),
    ("Default=1\n", "", "its restore function takes line, which may be missing"),
    ("Type=s\n", "", "[Property position/file] Type is missing"),
    ("Type=s", "Type=z", "Line 16: [Property position/file] Type: The signature z has an unknown letter at 0"),
    ("Type=s", "Type=ss", "Line 16: [Property position/file] Type: The signature ss is not that of one type"),
    ("Type=s", "Type=", "Line 16: [Property position/file] Type: The signature  is not that of one type"),
    ("Required=true", "Required=yes", "Line 17: Required is neither true nor false"),
    ("Required=true", "Required=true\nDefault=a", "Line 18: [Property position/file] Default: it is required, and"),
    ("Scope=this-device\n", "", "[Property position/file] Scope is missing"),
    ("Scope=this-device", "Scope=device", "Line 18: [Property position/file] Scope: \"device\" cannot be it"),
    ("Default=1", "Default=-1", "[Property position/line] Default: its default, -1, is none of its type"),
    ("Default=1", "default=1", "[Property position/line] default is not known"),
    ("[Object view]", "[View]\n[Object view]", "[View] is not known"),
    ("[Object view]", "[Plugin]\n[Object view]", "the group [Plugin] is there twice"),
    ("Type=u", "Type=u\nType=u", "the key Type is there twice"),
    ("Type=u", "Type u", "Line 21: neither a comment, a group nor a key with a value"),
    ("Type=u", "Type=\u{0}", "Line 21: not UTF-8, or a NUL"),
  ]

  @Test(arguments: bad)
  func malformed(_ old: String, _ new: String, _ why: String) throws {
    let bytes = Array(Self.good.replacing(old, with: new, maxReplacements: 1).utf8)
    let problems = PluginMetadata.problems(bytes)
    #expect(problems.contains { $0.message.contains(why) }, "\(problems.map(\.message))")
    #expect(problems.allSatisfy { $0.code == .invalidArgument })
    let error = #expect(throws: SegueError.self) { try PluginMetadata(bytes) }
    #expect(error == problems.first)
  }

  @Test func allProblemsAreFound() {
    let text = Self.good.replacing("Version=1.0\n", with: "").replacing("Type=u", with: "Type=q2")
      .replacing("Scope=this-device", with: "Scope=none").replacing("Name=A view", with: "Title=A view")
    #expect(
      PluginMetadata.problems(Array(text.utf8)).map(\.message) == [
        "[Plugin] Version is missing",
        "Line 17: [Property position/file] Scope: \"none\" cannot be it",
        "Line 20: [Property position/line] Type: The signature q2 has an unknown letter at 1",
        "[Object view] Name is missing",
        "[Object view] Title is not known",
      ])
  }

  @Test func limits() throws {
    func text(objects: Int = 1, properties: Int = 1, restored: Int = 0, types: Int = 0) -> String {
      let keys = (0..<properties).map { "k\($0)" }
      var text = "[Plugin]\nId=a.b\nName=x\nVersion=0\nABI=1\n"
      text += "ActivityTypes=" + (0..<types).map { "a.b\($0);" }.joined() + "\n"
      text += "Objects=" + (0..<objects).map { "o\($0);" }.joined() + "\n"
      for object in 0..<objects {
        text += "[Object o\(object)]\nName=x\nProperties=" + keys.joined(separator: ";") + "\n"
        text += "RestoreKeys=" + keys.prefix(restored).joined(separator: ";") + "\n"
        for key in keys { text += "[Property o\(object)/\(key)]\nType=i\nScope=portable\nRequired=true\n" }
      }
      return text
    }
    func isRefused(_ text: String, _ group: String) -> Bool {
      PluginMetadata.problems(Array(text.utf8)).contains { $0.code == .limitExceeded && $0.message.contains(group) }
    }
    #expect(try read(text(objects: Limits.pluginObjects)).objects.count == Limits.pluginObjects)
    #expect(isRefused(text(objects: Limits.pluginObjects + 1), "[Plugin] Objects: There are 65, and at most 64"))
    let full = try read(
      text(
        properties: Limits.pluginProperties, restored: Limits.pluginParameters, types: Limits.typesPerApplication))
    #expect(full.objects.first?.properties.count == Limits.pluginProperties)
    #expect(full.objects.first?.restored.count == Limits.pluginParameters)
    #expect(full.activityTypes.count == Limits.typesPerApplication)
    // About as many groups as a file has room for.
    let large = try read(text(objects: 40, properties: 90))
    #expect(large.objects.allSatisfy { $0.properties.count == 90 })
    #expect(isRefused(text(properties: Limits.pluginProperties + 1), "[Object o0] Properties"))
    #expect(isRefused(text(properties: 20, restored: Limits.pluginParameters + 1), "[Object o0] RestoreKeys"))
    #expect(isRefused(text(types: Limits.typesPerApplication + 1), "[Plugin] ActivityTypes"))
    #expect(isRefused(String(repeating: "#", count: Limits.fileLength + 1), "bytes"))
  }

  /// Every byte of the file is changed, and left out: it is read or refused, and never traps.
  @Test func everyByte() {
    let good = Array(Self.good.utf8)
    var refused = 0
    for place in good.indices {
      var changed = good
      changed[place] ^= 0x15
      if !PluginMetadata.problems(changed).isEmpty { refused += 1 }
      if !PluginMetadata.problems(Array(good[..<place])).isEmpty { refused += 1 }
    }
    #expect(refused > good.count)
  }
}

// MARK: Differences
extension PluginMetadataTests {
  private func objects(_ replacements: (String, String)...) throws -> [PluginObjectDescription] {
    var text = Self.good
    for (old, new) in replacements { text = text.replacing(old, with: new, maxReplacements: 1) }
    return try read(text).objects
  }

  private func differences(
    _ objects: [PluginObjectDescription], id: String = "org.example.place", abi: Int64 = 1
  ) throws -> [String] {
    try read(Self.good).differences(id: id, abi: abi, objects: objects)
  }

  @Test func same() throws {
    let objects = try objects()
    #expect(try differences(objects) == [])
    // Objects are found by their ids, and 01 is 1.
    #expect(try differences(objects.reversed()) == [])
    #expect(try differences(self.objects(("Default=1", "Default=01"))) == [])
  }

  @Test func ofThePlugin() throws {
    let objects = try objects()
    #expect(
      try differences(objects, id: "org.example.other", abi: 2) == [
        "The library is org.example.other, and its metadata is of org.example.place",
        "The library is of ABI 2, and its metadata says 1",
      ])
    #expect(try differences([objects[0]]) == ["view is an object of the metadata, and not of the library"])
    #expect(try differences(objects + [objects[1]]) == ["The library has two objects view"])
    let other = try PluginObjectDescription(
      id: "other", name: "x", properties: [], restoreKeys: [], restoreSignature: "")
    #expect(try differences(objects + [other]) == ["other is an object of the library, and not of the metadata"])
  }

  static let changes: [([(String, String)], [String])] = [
    (
      [("Name=A view", "Name=Another")],
      ["view is called \"Another\" in the library, and \"A view\" in the metadata"]
    ),
    (
      [("Properties=file;line;", "Properties=line;file;")],
      [
        "The properties of position are in the order line, file, name;s in the library, and file, line, name;s in the metadata"
      ]
    ),
    (
      [("RestoreKeys=line;file;", "RestoreKeys=file;line;")],
      ["The restore function of position takes file, line in the library, and line, file in the metadata"]
    ),
    (
      [("RestoreKeys=line;file;", "RestoreKeys=")],
      ["The restore function of position takes nothing in the library, and line, file in the metadata"]
    ),
    (
      [("Type=mas", "Type=as")], ["position/name;s is of the type as in the library, and mas in the metadata"]
    ),
    (
      [("Required=true", "Required=false\nDefault=a")],
      [
        "position/file is required in the metadata only",
        "position/file has the default \"a\" in the library, and no default in the metadata",
      ]
    ),
    (
      [("Scope=portable", "Scope=this-device")],
      [
        "position/line is portable in the metadata, and of this device in the library"
      ]
    ),
    (
      [("Default=1", "Default=2")],
      [
        "position/line has the default \"2\" in the library, and the default \"1\" in the metadata"
      ]
    ),
    (
      [
        ("Properties=file;line;", "Properties=file;line;more;"),
        ("[Object view]", "[Property position/more]\nType=d\nScope=portable\n[Object view]"),
      ],
      ["position/more is a property of the library, and not of the metadata"]
    ),
    (
      [("name\\;s;", "other;"), ("position/name;s", "position/other")],
      [
        "position/other is a property of the library, and not of the metadata",
        "position/name;s is a property of the metadata, and not of the library",
      ]
    ),
  ]

  @Test(arguments: changes)
  func ofAnObject(_ replacements: [(String, String)], _ expected: [String]) throws {
    var text = Self.good
    for (old, new) in replacements { text = text.replacing(old, with: new, maxReplacements: 1) }
    #expect(try differences(read(text).objects) == expected)
  }
}
