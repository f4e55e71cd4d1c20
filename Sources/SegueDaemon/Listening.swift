import Glibc
import SegueCore
import SegueLink
import SegueState

// Where this device can be reached: a port that stays the same, and the machine's own addresses.

extension Link {
  /// Listens on `addresses`, and for a port of 0 on the saved one if it is free, else on any, which is then saved.
  func start(listenOn addresses: [LinkAddress], saved: SavedPort) throws(SegueError) -> [UInt16] {
    let ports: [UInt16]
    if let port = saved.read(), addresses.count == 1, addresses[0].port == 0 {
      do throws(SegueError) {
        return try start(listenOn: [LinkAddress(host: addresses[0].host, port: port)])
      } catch {
        ports = try start(listenOn: addresses)
      }
    } else {
      ports = try start(listenOn: addresses)
    }
    if addresses.count == 1, addresses[0].port == 0, let port = ports.first { saved.write(port) }
    return ports
  }
}

enum Interfaces {
  /// This machine's IPv4 addresses that others may reach: of interfaces that are up, without loopback.
  static func addresses() -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [String] = []
    var next = list
    while let interface = next {
      next = interface.pointee.ifa_next
      let flags = Int32(truncatingIfNeeded: interface.pointee.ifa_flags)
      guard let address = interface.pointee.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
        flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
      let isText = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        inet_ntop(AF_INET, &address.pointee.sin_addr, &text, socklen_t(text.count)) != nil
      }
      if isText { found.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)) }
    }
    return found
  }
}
