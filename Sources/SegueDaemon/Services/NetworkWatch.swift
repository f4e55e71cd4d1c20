import Glibc
import SegueBus
import SegueCore
import SegueState

/// Tells when an address or an interface of this machine comes or goes, and on demand a route or a neighbor, by
/// rtnetlink(7).
final class NetworkWatch {
  private let descriptor: FileDescriptor
  private let loop: EventLoop
  private let changed: () -> Void
  private var watch: LoopWatch?
  private var timer: LoopTimer?

  /// `ofRouters`: routes and neighbors count too. `changed` is called in dispatches of the loop, until `close`. Throws `system` where the kernel does not tell.
  init(_ loop: EventLoop, ofRouters: Bool = false, changed: @escaping () -> Void) throws(SegueError) {
    self.loop = loop
    self.changed = changed
    let kind = Int32(SOCK_RAW.rawValue) | O_CLOEXEC | O_NONBLOCK
    guard let descriptor = FileDescriptor(socket(AF_NETLINK, kind, 0)) else { throw Self.refusal }
    self.descriptor = descriptor
    // sockaddr_nl, which Swift does not see: the family in two bytes and two of nothing, the port, and the groups for
    // interfaces, addresses of IPv4, and addresses of IPv6; then for neighbors, and routes of IPv4.
    let groups: UInt32 = 0x1 | 0x10 | 0x100 | (ofRouters ? 0x4 | 0x40 : 0)
    let address = (UInt16(AF_NETLINK), UInt16(0), UInt32(0), groups)
    let isBound = withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor.raw, $0, 12) == 0 }
    }
    guard isBound else { throw Self.refusal }
    watch = try loop.watch(descriptor.raw, .readable) { [weak self] _ in self?.read() }
  }

  private static var refusal: SegueError {
    SegueError(.system, "The kernel does not report changes of the network: \(systemMessage()).")
  }

  /// Ignores the messages' content: this machine's addresses are read anew.
  private func read() {
    guard drain(), timer == nil else { return }
    timer = loop.timer(after: Limits.networkTime) { [weak self] in
      self?.timer = nil
      self?.changed()
    }
  }

  /// Whether there was any message, or more than the socket could keep.
  private func drain() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
      var isNews = false
      while true {
        let count = recv(descriptor.raw, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
          isNews = true
        } else if count == 0 || errno != EINTR {
          return isNews || (count < 0 && errno == ENOBUFS)
        }
      }
    }
  }

  func close() {
    timer?.cancel()
    timer = nil
    watch?.cancel()
    watch = nil
  }
}
