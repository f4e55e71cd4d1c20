import Glibc
import SegueCore
import SegueEngine

/// An interface of this machine that is up, has a carrier, and leads to other machines, or to others on this one; with
/// its addresses and their networks.
struct MachineInterface {
  let index: Int32
  let name: String
  var networks: [IPNetwork]

  /// The interface's addresses at which `listening` accepts connections, each with its network.
  func networks(of listening: LinkAddress) -> [IPNetwork] {
    switch listening.host {
    case "0.0.0.0": return networks.filter { $0.address.bytes.count == 4 }
    // Linux takes IPv4 there too.
    case "::": return networks
    default: break
    }
    let parts = listening.host.parts(at: "%", maxSplits: 1)
    // One that means something on one interface only names it, or has its number.
    if parts.count == 2, parts[1] != name, parts[1] != String(index) { return [] }
    let ip = parts.first.flatMap { IPAddress(String($0)) }
    return networks.filter { $0.address == ip }
  }

  /// All of them, without loopback, in the kernel's order.
  static var all: [MachineInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [MachineInterface] = []
    var next = list
    while let entry = next {
      next = entry.pointee.ifa_next
      let flags = Int32(truncatingIfNeeded: entry.pointee.ifa_flags)
      guard let name = entry.pointee.ifa_name, flags & Int32(IFF_UP) != 0, flags & Int32(IFF_RUNNING) != 0,
        flags & Int32(IFF_LOOPBACK) == 0, let address = IPAddress(entry.pointee.ifa_addr)
      else { continue }
      let mask = IPAddress(entry.pointee.ifa_netmask)?.bytes ?? [UInt8](repeating: 0xff, count: address.bytes.count)
      let network = IPNetwork(address, prefix: mask.reduce(0) { $0 + $1.nonzeroBitCount })
      let label = String(cString: name)
      if let place = found.firstIndex(where: { $0.name == label }) {
        found[place].networks.append(network)
      } else {
        found.append(
          MachineInterface(index: Int32(clamping: if_nametoindex(name)), name: label, networks: [network]))
      }
    }
    return found
  }
}

/// Where this machine can be reached.
enum Interfaces {
  /// This machine's addresses that others may reach: without what means nothing to another machine; IPv4 first.
  static func addresses(withIPv6: Bool, _ settings: DiscoverySettings) -> [String] {
    let all = MachineInterface.all.filter { settings.isOutside($0.name) }.flatMap { $0.networks.map(\.address) }
    let usable = all.filter { $0.isUnicast }
    let (v4, v6) = (usable.filter { $0.bytes.count == 4 }, usable.filter { $0.bytes.count == 16 })
    return (withIPv6 ? v4 + v6 : v4).map { $0.text }
  }

  /// The addresses among `addresses` that this machine does not have now: until it has them, no device can connect
  /// there.
  static func absent(_ addresses: [LinkAddress]) -> [LinkAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    let own = sequence(first: list) { $0?.pointee.ifa_next }.prefix { $0 != nil }
      .compactMap { IPAddress($0?.pointee.ifa_addr) }
    return addresses.filter { address in
      guard let ip = address.ip, ip.bytes.contains(where: { $0 != 0 }) else { return false }
      // All of 127.0.0.0/8 is this machine's.
      return !ip.isLoopback && !own.contains(ip)
    }
  }

  /// The interfaces on which this device listens, each with those of its addresses at which it does, and one port: the
  /// first of `addresses` that is for an address of this interface.
  static func listening(at addresses: [LinkAddress]) -> [NetworkInterface] {
    MachineInterface.all.compactMap { interface in
      var found = NetworkInterface(index: interface.index, name: interface.name, addresses: [], port: 0)
      for listening in addresses where found.addresses.isEmpty || listening.port == found.port {
        found.port = listening.port
        found.addresses += interface.networks(of: listening)
      }
      return found.addresses.isEmpty ? nil : found
    }
  }
}

extension IPAddress {
  /// Nil for another family.
  init?(_ address: UnsafeMutablePointer<sockaddr>?) {
    guard let address else { return nil }
    let bytes: [UInt8]
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
      }
    default: return nil
    }
    self.init(Self.text(bytes))
  }

  /// The address in the usual notation.
  var text: String { Self.text(bytes) }

  private static func text(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
      return ""
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
