import Foundation
import SegueCore
import SegueState
import Testing

@Suite struct PinStoreTests {
  private let folder = "/tmp/segue-state-\(UUID().uuidString.prefix(8))"

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  @Test func secondProcessIsToldWhoRuns() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try StateFolder(folder)
    // flock belongs to the open file, so a second open in this process stands for another process.
    #expect(code { try StateFolder(folder) } == .nameTaken)
    withExtendedLifetime(first) {}
  }

  @Test(arguments: ["\u{0301}x", "\u{200D}x", "a=b", "", " a ", "a\\b", "\\", "#x", "[x]"])
  func pinKeepsAnyName(_ name: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let device = PairedDevice(id: .some(), name: name, addresses: [], added: 0)
    var store = try PinStore(folder: folder)
    try store.add(device)
    #expect(try PinStore(folder: folder).devices == [device])
  }

  @Test func X11_whatADeviceSendsHasARule() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let device = PairedDevice(id: .some(), name: "desk", addresses: [], added: 0)
    var store = try PinStore(folder: folder)
    #expect(code { try store.receive(device.id, .open) } == .notFound)
    try store.add(device)
    // An earlier version does not know the key, so that it is written only where the user has chosen.
    #expect(try !String(contentsOfFile: path("devices"), encoding: .utf8).contains("receive"))
    for rule in ReceivingRule.allCases {
      try store.receive(device.id, rule)
      #expect(try PinStore(folder: folder).devices.map { $0.receiving } == [rule])
    }
  }

  @Test func pins() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    var store = try PinStore(folder: folder)
    #expect(store.devices.isEmpty)
    let devices = (0..<32).map { number in
      PairedDevice(
        id: .some(), name: number == 0 ? "tab\tline\n[x]=é" : "n\(number)",
        addresses: number == 1 ? ["10.0.0.1:1", "[::1]:2"].compactMap { LinkAddress($0) } : [], added: UInt64(number))
    }
    for device in devices { try store.add(device) }
    let extra = PairedDevice(id: .some(), name: "", addresses: [], added: 0)
    #expect(code { try store.add(extra) } == .limitExceeded)
    try store.remove(devices[5].id)
    #expect(code { try store.remove(devices[5].id) } == .notFound)
    let bad = PairedDevice(
      id: devices[6].id, name: "", addresses: [LinkAddress(host: "a\nb", port: 1)], added: 0)
    #expect(code { try store.add(bad) } == .invalidArgument)
    var again = try PinStore(folder: folder)
    #expect(again.devices.count == 31)
    #expect(again.devices[0].name == "tab line [x]=é")
    #expect(again.devices[1] == devices[1])
    #expect(again.removed == [devices[5].id])
    try again.add(devices[5])
    #expect(try PinStore(folder: folder).removed.isEmpty)
    // A damaged file is detected and left alone.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("devices"))))
    bytes[20] ^= 1
    try overwrite(path("devices"), bytes)
    #expect(code { try PinStore(folder: folder) } == .invalidArgument)
  }

  @Test func D3_whereADeviceWasReachedIsRememberedAndTriedFirst() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let (given, lan, vpn) = try (address("desk:1"), address("10.0.0.7:1"), address("[fd00::7]:1"))
    let device = PairedDevice(id: .some(), name: "desk", addresses: [given], added: 0)
    var store = try PinStore(folder: folder)
    try store.add(device)
    #expect(try store.learn(device.id, [lan, given], reached: nil))
    #expect(store.devices[0].dialled == [given, lan])
    #expect(try store.learn(device.id, [vpn], reached: lan))
    #expect(!(try store.learn(device.id, [vpn], reached: lan)))
    #expect(!(try store.learn(.some(), [vpn], reached: lan)))
    let again = try PinStore(folder: folder).devices[0]
    #expect(again.addresses == [given] && again.learned == [vpn, lan, given] && again.reached == lan)
    #expect(again.dialled == [lan, given, vpn])
    #expect(again.reachedUs == nil && again.seen == nil)
    // The addresses to dial stay the same.
    #expect(!(try store.learn(device.id, [], reached: nil, reachedUs: 17, seen: 18)))
    #expect(!(try store.learn(device.id, [], reached: nil, seen: 19)))
    let seen = try PinStore(folder: folder).devices[0]
    #expect(seen.reachedUs == 17 && seen.seen == 19 && seen.dialled == again.dialled)
    // An address that is no longer known is not dialled, even if it was the one that worked.
    #expect(try store.learn(device.id, [vpn], reached: try address("10.0.0.9:1")))
    #expect(store.devices[0].dialled == [given, vpn, lan])
  }

  @Test func theNameOfADeviceThatWasNotNamedHereFollows() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    var store = try PinStore(folder: folder)
    for name in ["", "desk", "tablet"] { try store.add(PairedDevice(id: .some(), name: name, addresses: [], added: 0)) }
    func names(after name: String?) throws -> [String] {
      for device in store.devices { _ = try store.learn(device.id, [], name: name, reached: nil) }
      let again = try PinStore(folder: folder).devices
      #expect(again == store.devices)
      return again.map { $0.name }
    }
    #expect(try names(after: "desk") == ["desk", "desk", "tablet"])
    #expect(try names(after: nil) == ["desk", "desk", "tablet"])
    #expect(try names(after: "office") == ["office", "office", "tablet"])
    // The user's name stays until it is removed.
    try store.rename(store.devices[0].id, "mine")
    try store.rename(store.devices[2].id, "")
    #expect(try names(after: "[x]\\=;") == ["mine", "[x]\\=;", "[x]\\=;"])
    #expect(throws: SegueError.self) { try store.rename(.some(), "nobody") }
  }

  @Test func whoIntroducedADeviceIsRemembered() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    var device = PairedDevice(id: .some(), name: "phone", addresses: [], added: 0)
    device.introducedBy = .some()
    var store = try PinStore(folder: folder)
    try store.add(device)
    #expect(try PinStore(folder: folder).devices == [device])
  }

  private func address(_ text: String) throws -> LinkAddress { try #require(LinkAddress(text)) }

  /// In the first version, names were stored as they are; a backslash in them was no escape.
  @Test func pinsOfTheFirstVersionAreRead() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let ids = (0..<3).map { _ in DeviceID.some() }
    let text = """
      [device \(ids[0])]
      name=C:\\desk
      added=17
      address=10.0.0.1:1
      address=[::1]:2
      [device \(ids[1])]
      name=b=c
      added=18
      [removed \(ids[2])]

      """
    try folder.write("devices", Array(text.utf8))
    let store = try PinStore(folder: folder)
    #expect(
      store.devices == [
        PairedDevice(
          id: ids[0], name: "C:\\desk", addresses: ["10.0.0.1:1", "[::1]:2"].compactMap { LinkAddress($0) }, added: 17),
        PairedDevice(id: ids[1], name: "b=c", addresses: [], added: 18),
      ])
    #expect(store.removed == [ids[2]])
  }

  @Test(arguments: [
    "nonsense", "name=a", "[device]", "[device x]", "[other ID]", "[device ID]\nadded=-1", "[device ID]\nadded=x",
    "[device ID]\nintroduced-by=desk", "[device ID]\nseen=-1", "[device ID]\nreached-us=now",
    "[device ID]\naddress=nowhere",
    "[device ID]\nname=a\nname=b", "[device ID]\ncolour=red", "[removed ID]\nname=a",
    "[device ID]\n[removed ID]", "[device ID]\n[device ID]",
  ])
  func whatIsNotUnderstoodAsAWholeIsLeftAlone(_ text: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let bytes = Array(text.replacing("ID", with: DeviceID.some().description).utf8) + [10]
    try folder.write("devices", bytes)
    #expect(code { try PinStore(folder: folder) } == .invalidArgument)
    #expect(try folder.read("devices") == bytes)
  }

  private func overwrite(_ file: String, _ bytes: [UInt8]) throws {
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }
}
