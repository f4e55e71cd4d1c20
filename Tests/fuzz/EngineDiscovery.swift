import SegueCore
import SegueEngine

private func network(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }

/// The networks that an engine is in, where anybody may announce anything.
final class DiscoveryWorld {
  private let interfaces = [
    NetworkInterface(index: 2, name: "eth0", addresses: network("192.0.2.1/24", "fe80::1/64"), port: 4711),
    NetworkInterface(index: 3, name: "wlan0", addresses: network("2001:db8::1/64"), port: 4711),
    NetworkInterface(index: 4, name: "docker0", addresses: network("172.17.0.1/16"), port: 4711),
  ]
  private let addresses = [
    "192.0.2.9", "192.0.2.1", "198.51.100.1", "127.0.0.1", "fe80::9", "fe80::1", "2001:db8::9", "172.17.0.2",
    "224.0.0.1",
    "name", "",
  ]
  private var own: Set<String> = []
  private var nonces: Set<[UInt8]> = []
  private var running: Set<UInt64> = []
  private var number: UInt64 = 0

  func event(_ bytes: inout Bytes, devices: [DeviceID]) -> DiscoveryEvent {
    switch bytes.below(8) {
    case 0:
      let flags = bytes.byte()
      return .interfaces(interfaces.enumerated().filter { flags & (1 << $0.offset) == 0 }.map { $0.element })
    case 1: return bytes.below(4) == 0 ? unavailable : .available(nil)
    case 2:
      let kind: ServiceKind = bytes.bool() ? .device : .pairing
      return bytes.bool() ? .collided(kind) : .notAnnounced(kind, SegueError(.system, "It is not announced."))
    case 3, 4:
      let number = bytes.any(of: running.sorted()) ?? UInt64(bytes.byte())
      running.remove(number)
      return .probed(number, bytes.bool() ? bytes.one(of: devices) : nil)
    case 5: return .gone(key(&bytes))
    default:
      let key = key(&bytes)
      let text = bytes.bool() ? ["v=1", "n=aaaaaaaaaaaaaaaaaaaaaaaaaa"].map { Array($0.utf8) } : [bytes.bytes()]
      return .found(
        FoundService(
          key: key, address: bytes.one(of: addresses), port: bytes.one(of: [4000, 1024, 1023, 0]), text: text))
    }
  }

  var unavailable: DiscoveryEvent { .available(SegueError(.connectionUnavailable, "It does not run.")) }

  private func key(_ bytes: inout Bytes) -> FoundService.Key {
    let names = ["one", "two", ""] + own.sorted()
    return FoundService.Key(
      kind: bytes.bool() ? .device : .pairing, interface: Int32(bytes.below(6)), isIPv6: bytes.bool(),
      name: bytes.one(of: names))
  }

  func perform(_ effect: DiscoveryEffect) {
    switch effect {
    case .announce(let list):
      check(Set(list.map { $0.kind }).count == list.count, "a service is announced twice")
      for announcement in list {
        check(announcement.interfaces.allSatisfy { $0.name != "docker0" }, "a container's network is told")
        check(!announcement.interfaces.isEmpty, "a service is announced nowhere")
        if own.insert(announcement.name).inserted, announcement.kind == .device {
          check(nonces.insert(announcement.nonce).inserted, "a nonce outlives its name")
        }
      }
    case .browse: break
    case .probe(let number, let address, let nonce):
      check(number > self.number, "a dial's number is used again")
      self.number = number
      running.insert(number)
      check(running.count <= Limits.probesAtOnce, "\(running.count) services are dialled at once")
      check(address.port >= UInt16(Limits.lowestPort) && nonce.count == 16, "\(address) is dialled")
      check(
        ["192.0.2.9", "2001:db8::9", "fe80::9%eth0", "fe80::9%wlan0", "fe80::1%wlan0"].contains(address.host),
        "\(address) is dialled, which is not the address of another machine here")
    }
  }

  /// The daemon is killed.
  func restart() { (running, number) = ([], 0) }
}
