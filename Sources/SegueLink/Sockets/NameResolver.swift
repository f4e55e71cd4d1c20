import Glibc
import NIOCore
import SegueBus
import SegueCore
import SegueState

/// Knows the addresses of a host's name.
protocol NameResolver: AnyObject {
  /// Looks the name up, and calls `done` in a turn of the loop: with an empty list if the name has no address.
  func resolve(_ address: LinkAddress, _ done: @escaping ([SocketAddress]) -> Void)
}

/// The system's resolver, which may block for long: it runs on threads that exist only meanwhile.
final class SystemResolver: NameResolver {
  private let loop: SegueBus.EventLoop
  private let atOnce: Int
  private let look: @Sendable (LinkAddress) -> [SocketAddress]
  private let queue: WorkQueue
  /// The number of lookups under way, and the names that wait for their turn.
  private var pending = 0
  private var waiting: [(LinkAddress, ([SocketAddress]) -> Void)] = []

  /// `look` asks the system; at most `atOnce` lookups run at a time.
  init(
    _ loop: SegueBus.EventLoop, atOnce: Int = Limits.nameLookups,
    look: @escaping @Sendable (LinkAddress) -> [SocketAddress] = { SocketAddress.all(of: $0) }
  ) {
    self.loop = loop
    self.atOnce = atOnce
    self.look = look
    queue = WorkQueue("segue-names", threads: atOnce)
  }

  func resolve(_ address: LinkAddress, _ done: @escaping ([SocketAddress]) -> Void) {
    guard pending < atOnce else { return waiting.append((address, done)) }
    pending += 1
    let (loop, look) = (loop, look)
    // Both are used again only on the thread that they come from.
    nonisolated(unsafe) let (resolver, done) = (self, done)
    queue.add {
      let found = look(address)
      loop.post {
        resolver.pending -= 1
        if !resolver.waiting.isEmpty {
          let (address, done) = resolver.waiting.removeFirst()
          resolver.resolve(address, done)
        }
        done(found)
      }
    }
  }
}

extension SocketAddress {
  /// All addresses of a host, the best first. Blocks for as long as the system takes for a name.
  static func all(of address: LinkAddress) -> [SocketAddress] { look(address, flags: AI_NUMERICSERV) }

  /// The address of a host that is written as a number, with a scope where it needs one (`fe80::1%eth0`). Nil for a
  /// name, and for a scope that this machine does not have. Makes no lookup.
  init?(literal address: LinkAddress) {
    guard let found = Self.look(address, flags: AI_NUMERICSERV | AI_NUMERICHOST).first else { return nil }
    self = found
  }

  private static func look(_ address: LinkAddress, flags: Int32) -> [SocketAddress] {
    var hints = addrinfo()
    (hints.ai_flags, hints.ai_socktype) = (flags, Int32(SOCK_STREAM.rawValue))
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
      .compactMap { $0?.pointee.ai_addr.flatMap { SocketAddress(of: $0) } }
  }
}
