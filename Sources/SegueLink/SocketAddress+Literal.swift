import Glibc
import NIOCore
import SegueCore

extension SocketAddress {
  /// The address of a host that is written as a number, with a scope where it needs one (`fe80::1%eth0`). Nil for a name,
  /// and for a scope that this machine does not have. Asks nobody.
  init?(literal address: LinkAddress) {
    var hints = addrinfo()
    (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST | AI_NUMERICSERV, Int32(SOCK_STREAM.rawValue))
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let first = list?.pointee else {
      return nil
    }
    defer { freeaddrinfo(list) }
    switch first.ai_family {
    case AF_INET: self.init(first.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee })
    case AF_INET6: self.init(first.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee })
    default: return nil
    }
  }
}
