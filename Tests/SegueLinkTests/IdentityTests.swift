import Crypto
import Foundation
import SegueCore
import Testing

@testable import SegueLink
@testable import SegueState

@Suite struct IdentityTests {
  private let folder = "/tmp/segue-link-\(UUID().uuidString.prefix(8))"

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  @Test func anAliasIsOfOneDeviceAndOneApplication() throws {
    let ids = (1...2).compactMap { DeviceID(bytes: Array(repeating: $0, count: 32)) }
    let applications = try ["org.t.One", "org.t.Two"].map { try #require(AppID($0)) }
    let aliases = ids.flatMap { id in applications.map { id.alias(for: $0) } }
    #expect(Set(aliases).count == 4)
    #expect(aliases == ids.flatMap { id in applications.map { id.alias(for: $0) } })
    #expect(aliases.allSatisfy { $0.count == 32 && !ids.map { $0.description }.contains($0) })
  }

  @Test func deviceIDText() throws {
    // The same ids in each run: of a million random mistakes, one passes.
    for number in 0..<50 as Range<UInt8> {
      let id = DeviceID(publicKeyInfo: [number])
      let text = id.description
      #expect(text.count == 69)
      #expect(DeviceID(text) == id)
      #expect(DeviceID(text.uppercased()) == id)
      #expect(DeviceID(text.filter { $0 != "-" }) == id)
      // Each digit changed, and each two neighbours swapped, is refused.
      let digits = Array(text.utf8)
      for index in digits.indices where digits[index] != UInt8(ascii: "-") {
        var wrong = digits
        wrong[index] = wrong[index] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
        #expect(DeviceID(String(decoding: wrong, as: UTF8.self)) == nil)
      }
      var groups = text.split(separator: "-")
      if groups[2] != groups[3] {
        groups.swapAt(2, 3)
        #expect(DeviceID(groups.joined(separator: "-")) == nil)
      }
    }
    for text in ["", "-", "abcd", String(repeating: "a", count: 56), String(repeating: "é", count: 56), "1890"] {
      #expect(DeviceID(text) == nil)
    }
    #expect(DeviceID(bytes: []) == nil)
  }

  @Test func identityIsKept() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = try Identity.loadOrCreate(in: StateFolder(folder)).id
    #expect(try Identity.loadOrCreate(in: StateFolder(folder)).id == id)
    #expect(try mode(folder) == 0o700)
    #expect(try mode(path("identity.pem")) == 0o600)
    #expect(!FileManager.default.fileExists(atPath: path("identity.pem.new")))
  }

  /// Attack 49: whatever is wrong with the file, there is never a new identity.
  @Test(arguments: ["empty", "truncated", "flipped", "link", "readable", "huge", "folder", "noPEM", "leftover"])
  func brokenIdentity(_ how: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = try Identity.loadOrCreate(in: StateFolder(folder)).id
    let file = path("identity.pem")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var expected: SegueError.Code? = .invalidArgument
    switch how {
    case "empty": bytes = []
    case "truncated": bytes.removeLast(100)
    case "flipped": bytes[100] ^= 1
    case "huge":
      bytes += [UInt8](repeating: 10, count: 300_000)
      expected = .limitExceeded
    case "noPEM": bytes = Checksum(hash: { Array(SHA256.hash(data: $0)) }).added(to: Array("hello\n".utf8))
    case "leftover":
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path("identity.pem.new")))
      expected = nil
    default: break
    }
    try overwrite(file, bytes)
    switch how {
    case "link":
      try FileManager.default.moveItem(atPath: file, toPath: path("elsewhere"))
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: path("elsewhere"))
      expected = .system
    case "readable":
      chmod(file, 0o640)
      expected = .accessDenied
    case "folder":
      chmod(folder, 0o750)
      expected = .accessDenied
    default: break
    }
    if let expected {
      #expect(code { try Identity.loadOrCreate(in: StateFolder(folder)) } == expected)
      #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == bytes)
    } else {
      #expect(try Identity.loadOrCreate(in: StateFolder(folder)).id == id)
    }
  }

  @Test func lostKeyWithPairedDevicesIsNoNewKey() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do {
      let folder = try StateFolder(folder)
      _ = try Identity.loadOrCreate(in: folder)
      var pins = try PinStore(folder: folder)
      try pins.add(PairedDevice(id: try Identity.temporary().id, name: "", addresses: [], added: 0))
    }
    try FileManager.default.removeItem(atPath: path("identity.pem"))
    #expect(code { try Identity.loadOrCreate(in: StateFolder(folder)) } == .invalidArgument)
  }

  private func overwrite(_ file: String, _ bytes: [UInt8]) throws {
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }
}

/// The code of the error that `body` throws; nil if it throws none.
func code(_ body: () throws -> some Any) -> SegueError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? SegueError)?.code
  }
}
