import Foundation
import SegueCore
import SegueState
import Testing

/// The bounds of the stored state: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  @Test func devices() throws {
    let path = "/tmp/segue-state-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var store = try PinStore(folder: try StateFolder(path))
    func device(_ addresses: Int = 0) -> PairedDevice {
      PairedDevice(
        id: .some(), name: "n", addresses: (0..<addresses).map { LinkAddress(host: "h\($0)", port: 1) }, added: 0)
    }
    try store.add(device(Limits.deviceAddresses))
    #expect(code { try store.add(device(Limits.deviceAddresses + 1)) } == .limitExceeded)
    // The newest addresses that the device sends are kept, besides those that the user gave.
    let id = try #require(store.devices.first).id
    for port in 1...UInt16(Limits.deviceAddresses + 1) {
      #expect(try store.learn(id, [LinkAddress(host: "10.0.0.1", port: port)], reached: nil))
    }
    let known = try #require(store.devices.first)
    #expect(known.learned.map { $0.port } == (2...UInt16(Limits.deviceAddresses + 1)).reversed())
    #expect(known.addresses.count == Limits.deviceAddresses)
    for _ in 1..<Limits.devices { try store.add(device()) }
    #expect(code { try store.add(device()) } == .limitExceeded)
    #expect(store.devices.count == Limits.devices)
    // The devices that were removed are remembered, the latest of them.
    var first: DeviceID?
    for count in 1...(Limits.removedDevices + 1) {
      let gone = try #require(store.devices.last)
      first = first ?? gone.id
      try store.remove(gone.id)
      #expect(store.removed.count == min(count, Limits.removedDevices))
      if let first { #expect(store.removed.contains(first) == (count <= Limits.removedDevices)) }
      try store.add(device())
    }
  }

  @Test(arguments: [0, 1]) func foldersAndDesktopsInTheEnvironment(_ more: Int) {
    let items = (0..<Limits.environmentItems + more).map { "d\($0)" }
    let lists = MimeLists {
      switch $0 {
      case "XDG_CONFIG_DIRS": items.map { "/" + $0 }.joined(separator: ":")
      case "XDG_CURRENT_DESKTOP": items.joined(separator: ":")
      default: nil
      }
    }
    let looked = items.prefix(Limits.environmentItems)
    #expect(lists.folders == looked.map { "/" + $0 })
    #expect(lists.names == looked.map { $0 + "-mimeapps.list" } + ["mimeapps.list"])
  }

  /// A process that was killed has the directory until the kernel has cleaned up; a running process keeps it.
  @Test func whoEndsIsWaitedFor() throws {
    let path = "/tmp/segue-state-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    // This makes the directory and the file.
    _ = try StateFolder(path)
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exec 9>>$0/lock; flock 9; echo $$ >$0/lock; echo; exec sleep 1000", path]
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1)
    #expect(code { try StateFolder(path) } == .nameTaken)
    kill(process.processIdentifier, SIGKILL)
    #expect(code { try StateFolder(path) } == nil)
    process.waitUntilExit()
  }
}
