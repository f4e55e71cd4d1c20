import SegueCore
import Testing

@Suite struct PluginDescriptionTests {
  private func property(
    _ key: String, _ signature: String, required: Bool = false, defaultText: String? = nil
  ) throws(SegueError) -> PluginProperty {
    try PluginProperty(
      key: key, type: PluginType(signature: signature), isRequired: required, isPortable: true,
      defaultText: defaultText)
  }

  private func object(
    _ properties: [PluginProperty], _ restoreKeys: [String] = [], _ restoreSignature: String = "", id: String = "o",
    name: String = "Object"
  ) throws(SegueError) -> PluginObjectDescription {
    try PluginObjectDescription(
      id: id, name: name, properties: properties, restoreKeys: restoreKeys, restoreSignature: restoreSignature)
  }

  private func message(_ code: SegueError.Code = .invalidArgument, _ body: () throws(SegueError) -> Void) -> String {
    do throws(SegueError) {
      try body()
      return ""
    } catch {
      #expect(error.code == code)
      return error.message
    }
  }
}

// MARK: Properties
extension PluginDescriptionTests {
  static let longestKey = String(repeating: "k", count: Limits.keyLength)

  @Test(arguments: ["a", "line", "a b", "a/b", "a=b", "a;b", "#a", "~", longestKey])
  func key(_ key: String) throws { #expect(try property(key, "u").key == key) }

  @Test(arguments: ["", "[", "]", "a[de]", "a\n", "\u{7F}", "\u{0}", "é", "\u{202E}", longestKey + "k"])
  func noKey(_ key: String) {
    #expect(message { () throws(SegueError) in _ = try property(key, "u") }.hasSuffix(" is not a key of a property"))
  }

  static let defaults: [(String, String, Value)] = [
    ("b", "true", true), ("b", "false", false), ("C", "-128", -128), ("y", "255", 255), ("n", "-32768", -32_768),
    ("q", "65535", 65_535), ("i", "-2147483648", -2_147_483_648), ("u", "4294967295", 4_294_967_295),
    ("x", "-9223372036854775808", .integer(.min)), ("t", "9223372036854775807", .integer(.max)), ("F", "2.5", 2.5),
    ("F", "2", .double(2)), ("d", "-0.25", -0.25), ("d", "2", .double(2)), ("s", "", .string("")),
    ("s", "true", .string("true")), ("U", "https://example.org/", .url("https://example.org/")),
  ]

  @Test(arguments: defaults)
  func defaultValue(_ signature: String, _ text: String, _ expected: Value) throws {
    let property = try property("k", signature, defaultText: text)
    #expect(property.defaultValue == expected)
    #expect(property.defaultText == text)
    #expect(property.type.objection(to: expected) == nil)
  }

  static let noDefaults: [(String, String)] = [
    ("b", "1"), ("b", "True"), ("b", ""), ("C", "128"), ("C", "-129"), ("y", "256"), ("y", "300"), ("y", "-1"),
    ("n", "32768"), ("q", "-1"), ("q", "65536"), ("i", "2147483648"), ("u", "-1"), ("u", "4294967296"), ("u", "1.0"),
    ("u", ""), ("x", "9223372036854775808"), ("t", "-1"), ("t", "9223372036854775808"), ("d", "one"), ("d", ""),
    ("s", "a\u{0}b"), ("s", String(repeating: "a", count: Limits.valueLength + 1)), ("U", "no url"), ("U", ""),
    ("U", "x:\u{1}"), ("D", "0"), ("D", "2026-01-01"), ("v", "1"), ("v", ""), ("ay", ""), ("au", "1"), ("as", "a"),
    ("mu", "1"), ("ms", ""), ("mas", ""),
  ]

  @Test(arguments: noDefaults)
  func noDefault(_ signature: String, _ text: String) {
    let message = message { () throws(SegueError) in _ = try property("k", signature, defaultText: text) }
    #expect(message.hasPrefix("its default, "))
    #expect(message.hasSuffix(", is none of its type"))
    #expect(message.utf8.count < 200)
  }

  @Test func requiredHasNoDefault() {
    #expect(
      message { () throws(SegueError) in _ = try property("k", "u", required: true, defaultText: "1") }
        == "it is required, and has a default all the same")
  }
}

// MARK: Objects
extension PluginDescriptionTests {
  static let longestID = String(repeating: "i", count: Limits.pluginObjectIDLength)

  @Test(arguments: ["a", "position", "text-position_2", "-", longestID])
  func id(_ id: String) throws { #expect(try object([], id: id).id == id) }

  @Test(arguments: ["", "a b", "a/b", "a.b", "[a]", "a\n", "é", "\u{0}", longestID + "i"])
  func noID(_ id: String) {
    #expect(message { () throws(SegueError) in _ = try object([], id: id) }.hasSuffix(" is not an id of an object"))
  }

  @Test(arguments: ["", "a\nb", "a\u{202E}b", "\u{1B}[31m", String(repeating: "n", count: Limits.titleMaximum + 1)])
  func noName(_ name: String) {
    #expect(message { () throws(SegueError) in _ = try object([], name: name) } == "it has no name that can be shown")
  }

  @Test func properties() throws {
    let most = try (0..<Limits.pluginProperties).map { try property("k\($0)", "u") }
    #expect(try object(most).properties == most)
    let one = try property("more", "u")
    #expect(message(.limitExceeded) { () throws(SegueError) in _ = try object(most + [one]) }.contains("more than 128"))
    #expect(message { () throws(SegueError) in _ = try object([one, most[0], one]) } == "it has two properties more")
  }

  @Test func restored() throws {
    let file = try property("file", "s", required: true)
    let line = try property("line", "u", defaultText: "1")
    let note = try property("note", "ms")
    let loose = try property("loose", "ay")
    let all = [file, line, note, loose]
    #expect(try object(all).restored == [])
    #expect(try object(all, ["note", "file", "line"], "mssu").restored == [2, 0, 1])
    let wrong: [([String], String, String)] = [
      (["file"], "", "is not of as many types as the keys that it takes, 0 and 1"),
      ([], "s", "is not of as many types as the keys that it takes, 1 and 0"),
      (["file", "line"], "su1", "has an unknown letter at 2"),
      (["file", "line"], "us", "its restore function takes file as u, and its property is s"),
      (["note"], "s", "its restore function takes note as s, and its property is ms"),
      (["file", "file"], "ss", "its restore function takes file, which is not a property, or twice"),
      (["other"], "s", "its restore function takes other, which is not a property, or twice"),
      (["loose"], "ay", "its restore function takes loose, which may be missing"),
    ]
    for (keys, signature, expected) in wrong {
      let message = message { () throws(SegueError) in _ = try object(all, keys, signature) }
      #expect(message.contains(expected), "\(message)")
    }
    // The name that a plugin gives to a key goes to logs and terminals.
    let nasty = message { () throws(SegueError) in
      _ = try object(all, ["\u{1B}[31m\n" + String(repeating: "k", count: 1_000)], "s")
    }
    #expect(nasty.utf8.count < 200 && !nasty.utf8.contains(0x1B) && !nasty.utf8.contains(0x0A))
  }

  @Test func restoredLimit() throws {
    let all = try (0...Limits.pluginParameters).map { try property("k\($0)", "mu") }
    let keys = all.map(\.key)
    let most = String(repeating: "mu", count: Limits.pluginParameters)
    #expect(try object(all, Array(keys.dropLast()), most).restored.count == Limits.pluginParameters)
    #expect(message(.limitExceeded) { () throws(SegueError) in _ = try object(all, keys, most + "mu") } != "")
  }
}

// MARK: Settings
extension PluginDescriptionTests {
  private func sample() throws -> PluginObjectDescription {
    try object([
      property("file", "s", required: true), property("line", "u", defaultText: "1"), property("note", "ms"),
      property("scroll", "d"), property("marks", "au"), property("any", "v"), property("small", "y"),
    ])
  }

  private func plan(_ object: PluginObjectDescription, _ entries: [String: Value]) throws(SegueError) -> [Value?] {
    try object.plan { entries[object.properties[$0].key] }
  }

  @Test func everythingIsThere() throws {
    let entries: [String: Value] = [
      "file": "a", "line": 7, "note": "b", "scroll": 0.5, "marks": [1, 2], "any": .null, "small": 255,
      // Others have theirs in the same userInfo.
      "other": 1,
    ]
    #expect(try plan(sample(), entries) == ["a", 7, "b", 0.5, [1, 2], .some(.null), 255])
  }

  /// Left alone is not the same as set to null, and a nil literal could be either.
  @Test func whatIsMissing() throws {
    #expect(try plan(sample(), ["file": "a"]) == ["a", 1, .some(.null), nil, nil, nil, nil])
    #expect(try plan(sample(), ["file": "a", "note": .null]) == ["a", 1, .some(.null), nil, nil, nil, nil])
  }

  /// For a required property, even null counts as missing, though its type takes it.
  @Test func requiredAndOptional() throws {
    for signature in ["mu", "mas", "v"] {
      let object = try object([property("k", signature, required: true)])
      for entries in [[:], ["k": Value.null]] {
        #expect(message { () throws(SegueError) in _ = try plan(object, entries) }.hasPrefix("k: it is required, and "))
      }
    }
    #expect(try plan(object([property("k", "mu", required: true)]), ["k": 7]) == [7])
  }

  static let refused: [([String: Value], String)] = [
    ([:], "file: it is required, and missing"),
    (["line": 1], "file: it is required, and missing"),
    (["file": 1], "file: an integer is not a string"),
    (["file": "a\u{0}"], "file: its text has a NUL inside"),
    (["file": .null, "line": 1], "file: it is required, and null"),
    (["file": "a", "line": -1], "line: -1 is beyond a uint32"),
    (["file": "a", "line": 4_294_967_296], "line: 4294967296 is beyond a uint32"),
    (["file": "a", "line": .null], "line: null is not a uint32"),
    (["file": "a", "note": 1], "note: an integer is not a string"),
    (["file": "a", "scroll": "1"], "scroll: a string is not a double"),
    (["file": "a", "marks": [1, 2, -3]], "marks: at 2, -3 is beyond a uint32"),
    (["file": "a", "marks": [1, .null]], "marks: at 1, null is not a uint32"),
    (["file": "a", "marks": [[1]]], "marks: at 0, an array is not a uint32"),
    (["file": "a", "marks": .set([1])], "marks: a set is not an array"),
    (["file": "a", "small": 300], "small: 300 is beyond a uint8"),
    // The last one is looked at before any is set.
    (["file": "a", "line": 2, "scroll": 1.0, "small": -1], "small: -1 is beyond a uint8"),
  ]

  @Test(arguments: refused)
  func refusal(_ entries: [String: Value], _ expected: String) throws {
    let sample = try sample()
    #expect(message { () throws(SegueError) in _ = try plan(sample, entries) } == expected)
  }
}
