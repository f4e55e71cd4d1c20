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

  @Test(arguments: ["\u{0301}x", "\u{200D}x", "a=b", ""])
  func pinKeepsAnyName(_ name: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let device = PairedDevice(id: .some(), name: name, addresses: [], added: 0)
    try PinStore(folder: folder).add(device)
    #expect(try PinStore(folder: folder).devices == [device])
  }

  @Test func pins() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folder = try StateFolder(folder)
    let store = try PinStore(folder: folder)
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
    let again = try PinStore(folder: folder)
    #expect(again.devices.count == 31)
    #expect(again.devices[0].name == "tab line [x]=é")
    #expect(again.devices[1] == devices[1])
    #expect(again.removed == [devices[5].id])
    try again.add(devices[5])
    #expect(try PinStore(folder: folder).removed.isEmpty)
    // Damage is found and left alone.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("devices"))))
    bytes[20] ^= 1
    try overwrite(path("devices"), bytes)
    #expect(code { try PinStore(folder: folder) } == .invalidArgument)
  }

  private func overwrite(_ file: String, _ bytes: [UInt8]) throws {
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }
}
