import Glibc
import SegueCore
import SegueLink
import SegueState

// Where this device can be reached: a port that stays the same, and the machine's own addresses.

extension Link {
  /// Listens on `addresses`, and for a port of 0 on the saved one, which paired devices know. If that is taken, on any for
  /// this run, and `tell` gets a sentence; the saved one stays what it is. Without a saved one on any, which is then saved.
  func start(
    listenOn addresses: [LinkAddress], saved: SavedPort, tell: (String) -> Void
  ) throws(SegueError) -> [UInt16] {
    guard addresses.count == 1, addresses[0].port == 0 else { return try start(listenOn: addresses) }
    guard let port = saved.read() else {
      let ports = try start(listenOn: addresses)
      if let port = ports.first { saved.write(port) }
      return ports
    }
    do throws(SegueError) {
      return try start(listenOn: [LinkAddress(host: addresses[0].host, port: port)])
    } catch {
      let ports = try start(listenOn: addresses)
      tell(
        "Port \(port), at which paired devices know this one, is taken. Until the next start it listens on "
          + "\(ports.first ?? 0), where they do not look. End the program that has it, or set Listen in segue.conf.")
      return ports
    }
  }
}

enum Interfaces {
  /// Beginnings of the names of interfaces that lead to containers and virtual machines of this machine, and to nobody else.
  private static let inner = ["virbr", "vnet", "docker", "br-", "veth", "lxc", "lxdbr", "podman", "cni"]

  /// This machine's addresses that others may reach: of interfaces that are up, without loopback and what means nothing
  /// to another machine; IPv4 first.
  static func addresses(withIPv6: Bool) -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var (v4, v6): ([String], [String]) = ([], [])
    var next = list
    while let interface = next {
      next = interface.pointee.ifa_next
      let flags = Int32(truncatingIfNeeded: interface.pointee.ifa_flags)
      guard let address = interface.pointee.ifa_addr, let name = interface.pointee.ifa_name,
        flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0
      else { continue }
      let label = String(cString: name)
      guard !inner.contains(where: { label.hasPrefix($0) }), let text = text(address),
        IPAddress(text)?.isUnicast ?? false
      else { continue }
      if text.contains(":") { v6.append(text) } else { v4.append(text) }
    }
    return withIPv6 ? v4 + v6 : v4
  }

  /// An IP address, without port and scope; nil for another family.
  private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let length = socklen_t(text.count)
    let isText =
      switch Int32(address.pointee.sa_family) {
      case AF_INET:
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          inet_ntop(AF_INET, &$0.pointee.sin_addr, &text, length) != nil
        }
      case AF_INET6:
        address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          inet_ntop(AF_INET6, &$0.pointee.sin6_addr, &text, length) != nil
        }
      default: false
      }
    return isText ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}
