import Foundation
import SegueCore
import SegueState
import Testing

@testable import SegueDaemon

/// On which port a device listens (network.md D4).
@Suite struct ListeningTests {
  private let path = "/tmp/segue-listening-\(UUID().uuidString.prefix(8))"

  /// A machine whose ports `taken` are other programs', and which has IPv6 or not.
  private final class Machine {
    var taken: Set<UInt16> = []
    var hasIPv6 = true
    var listening: [LinkAddress] = []
    var said: [String] = []

    func listen(_ addresses: [LinkAddress]) throws(SegueError) -> [UInt16] {
      var ports: [UInt16] = []
      for address in addresses {
        guard !taken.contains(address.port), hasIPv6 || !address.host.contains(":") else {
          throw SegueError(.connectionUnavailable, "Could not listen on \(address).")
        }
        ports.append(address.port == 0 ? 40_000 + UInt16(listening.count) : address.port)
        listening.append(LinkAddress(host: address.host, port: ports[ports.count - 1]))
      }
      return ports
    }
  }

  /// Where others can dial, and what is saved then.
  private func start(
    _ machine: Machine, saved port: UInt16? = nil, on texts: [String]? = nil
  ) throws -> (addresses: [String], saved: UInt16?) {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let saved = SavedPort(folder: try StateFolder(path, sha256: { _ in [UInt8](repeating: 0, count: 32) }))
    if let port { saved.write(port) }
    let listening = Listening(saved: saved, listen: machine.listen) { machine.said.append($0) }
    let found = try listening.start(on: texts?.compactMap { LinkAddress($0) })
    return (found.map { $0.description }, saved.read())
  }

  @Test func D4_theUsualPortOfIPv6AndIPv4() throws {
    let machine = Machine()
    let (addresses, saved) = try start(machine)
    #expect(addresses == ["[::]:19736"] && saved == 19736)
    #expect(machine.listening.map { $0.description } == addresses && machine.said.isEmpty)
  }

  @Test func D4_aMachineWithoutIPv6() throws {
    let machine = Machine()
    machine.hasIPv6 = false
    #expect(try start(machine).addresses == ["0.0.0.0:19736"])
    machine.taken = [19736]
    #expect(try start(machine, saved: 4711).addresses == ["0.0.0.0:4711"])
  }

  @Test func D4_whereTheUsualPortIsTakenAFreeOneIsAndStays() throws {
    let machine = Machine()
    machine.taken = [19736]
    let (addresses, saved) = try start(machine)
    #expect(addresses == ["[::]:40000"] && saved == 40000)
    #expect(machine.said.count == 1 && machine.said[0].contains("19736") && machine.said[0].contains("40000"))
    #expect(try start(machine, saved: 40000).addresses == ["[::]:40000"])
    // It was on the usual port so far.
    machine.listening = []
    let moved = try start(machine, saved: 19736)
    #expect(moved.addresses == ["[::]:40000"] && moved.saved == 40000)
    machine.taken = [19736, 4711]
    let next = try start(machine, saved: 4711)
    #expect(next.addresses == ["[::]:40001"] && next.saved == 4711)
  }

  @Test func aPortOfAnEarlierVersionStillLeadsHere() throws {
    let machine = Machine()
    let (addresses, saved) = try start(machine, saved: 4711)
    #expect(addresses == ["[::]:19736"] && saved == 4711)
    #expect(machine.listening.map { $0.port } == [19736, 4711])
    machine.taken = [4711]
    #expect(try start(machine, saved: 4711).addresses == ["[::]:19736"] && machine.said.isEmpty)
  }

  @Test func whatTheUserSaysIsDone() throws {
    let machine = Machine()
    #expect(try start(machine, saved: 4711, on: ["192.0.2.1:0"]).addresses == ["192.0.2.1:4711"])
    #expect(try start(machine, saved: 19736, on: ["192.0.2.1:0"]).addresses == ["192.0.2.1:19736"])
    #expect(try start(machine, on: ["192.0.2.1:5", "[fd00::1]:6"]).addresses == ["192.0.2.1:5", "[fd00::1]:6"])
    #expect(try start(machine, on: []).addresses == [])
    machine.taken = [5]
    #expect(throws: SegueError.self) { try start(machine, on: ["192.0.2.1:5"]) }
  }
}
