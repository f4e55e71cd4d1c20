import SegueCore
import Testing

@Suite struct PluginSignatureTests {
  static let letters: [(String, PluginType.Element)] = [
    ("b", .bool), ("C", .int8), ("y", .uint8), ("n", .int16), ("q", .uint16), ("i", .int32), ("u", .uint32),
    ("x", .int64), ("t", .uint64), ("F", .float), ("d", .double), ("s", .string), ("U", .url), ("D", .date),
    ("v", .value),
  ]

  /// The letters of types that arrays can have as elements.
  static let elements = "CynqiuxtFds"

  @Test func everyLetter() throws {
    #expect(Self.letters.map { $0.1 } == PluginType.Element.allCases)
    for byte in UInt8.min...UInt8.max {
      let expected = Self.letters.first { $0.0.utf8.first == byte }?.1
      #expect(PluginType.Element(letter: byte) == expected)
    }
  }

  /// Each letter alone, as an array, optional, and both: what there is reads and writes the same, the rest is refused.
  @Test func everyType() throws {
    for (letter, element) in Self.letters {
      #expect(try PluginType(signature: letter) == PluginType(element))
      let mayBeElement = Self.elements.contains(letter)
      #expect(element.mayBeElement == mayBeElement)
      if mayBeElement {
        #expect(try PluginType(signature: "a" + letter) == PluginType(element, isArray: true))
        let both = try PluginType(signature: "ma" + letter)
        #expect(both == PluginType(element, isArray: true, isOptional: true))
        #expect(both.signature == "ma" + letter)
      } else {
        let error = #expect(throws: SegueError.self) { try PluginSignature("a" + letter) }
        #expect(error?.message.contains("has an array of \(letter) at 1") == true)
        #expect(throws: SegueError.self) { try PluginSignature("ma" + letter) }
      }
      if element == .value {
        let error = #expect(throws: SegueError.self) { try PluginSignature("mv") }
        #expect(error?.message.contains("has an optional v at 1") == true)
      } else {
        #expect(try PluginType(signature: "m" + letter) == PluginType(element, isOptional: true))
      }
    }
    #expect(try PluginType(signature: "ay").isData)
    #expect(try PluginType(signature: "may").isData)
    #expect(try !PluginType(signature: "y").isData)
    #expect(try !PluginType(signature: "aC").isData)
  }

  static let bad: [(String, String)] = [
    ("z", "has an unknown letter at 0"), ("uz", "has an unknown letter at 1"), ("é", "has an unknown letter at 0"),
    ("u ", "has an unknown letter at 1"), ("u\u{0}", "has an unknown letter at 1"),
    ("(u)", "has an unknown letter at 0"),
    ("a{sv}", "has an unknown letter at 1"), ("c", "has an unknown letter at 0"), ("f", "has an unknown letter at 0"),
    ("a", "ends inside a type at 1"), ("m", "ends inside a type at 1"), ("ma", "ends inside a type at 2"),
    ("ua", "ends inside a type at 2"), ("aai", "has an array of arrays at 1"), ("mmi", "has an m that stands before"),
    ("ami", "has an m that stands before no type at 1"), ("mab", "has an array of b at 2"),
    ("umv", "has an optional v at 2"),
  ]

  @Test(arguments: bad)
  func malformed(_ text: String, _ why: String) {
    let error = #expect(throws: SegueError.self) { try PluginSignature(text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(why) == true, "\(error?.message ?? "")")
    #expect(error?.advice.contains("segue/plugin.h") == true)
  }

  @Test func several() throws {
    #expect(try PluginSignature("").types.isEmpty)
    let all = try PluginSignature("bmsaymauUvD")
    #expect(all.types.map { $0.signature } == ["b", "ms", "ay", "mau", "U", "v", "D"])
    #expect(all.text == "bmsaymauUvD")
    let most = String(repeating: "ay", count: Limits.pluginParameters)
    #expect(try PluginSignature(most).types.count == Limits.pluginParameters)
    let error = #expect(throws: SegueError.self) { try PluginSignature(most + "u") }
    #expect(error?.code == .limitExceeded)
    #expect(throws: SegueError.self) { try PluginSignature(String(repeating: "u", count: 1_000_000)) }
  }

  @Test(arguments: ["", "uu", "ayu"])
  func notOne(_ text: String) {
    let error = #expect(throws: SegueError.self) { try PluginType(signature: text) }
    #expect(error?.message == "The signature \(text) is not that of one type")
  }

  /// A message shows a foreign signature shortened, and on one line.
  @Test func messagesAreShort() {
    let error = #expect(throws: SegueError.self) { try PluginSignature("z\n" + String(repeating: "u", count: 1_000)) }
    #expect(error?.message.contains("\n") == false)
    #expect((error?.message.utf8.count ?? .max) < 200)
  }
}
