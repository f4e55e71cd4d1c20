import CLinux
import Glibc
import NIOCore
import SegueBus
import SegueCore

/// A TCP socket that never blocks. A call that fails throws the system's error.
struct Socket {
  let descriptor: SegueBus.FileDescriptor

  var raw: Int32 { descriptor.raw }

  /// Owns a socket that was accepted.
  init(accepted descriptor: Int32) {
    self.descriptor = SegueBus.FileDescriptor(owning: descriptor)
    configure()
  }

  /// Opens a socket for an address of this family.
  init(for address: SocketAddress) throws(IOError) {
    let family: Int32 = if case .v6 = address { AF_INET6 } else { AF_INET }
    let raw = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard raw >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
    descriptor = SegueBus.FileDescriptor(owning: raw)
    configure()
  }

  /// Sends small writes at once, and keeps little unsent data in the kernel, so that a ping or another urgent frame is
  /// not stuck behind megabytes of data.
  private func configure() {
    set(TCP_NODELAY, 1, level: Int32(IPPROTO_TCP))
    set(Self.notSentLowWater, 128 * 1024, level: Int32(IPPROTO_TCP))
  }

  /// From how many bytes on the socket counts as readable (SO_RCVLOWAT of socket(7)); its end does in any case.
  func setLowWater(_ bytes: Int) { set(SO_RCVLOWAT, Int32(clamping: bytes), level: SOL_SOCKET) }

  /// How long TCP goes on to send what nobody acknowledges, before it ends the connection (TCP_USER_TIMEOUT of tcp(7)), in
  /// milliseconds; 0 is the system's own time of many minutes.
  func setUserTimeout(_ milliseconds: UInt64) {
    set(Self.userTimeout, Int32(clamping: milliseconds), level: Int32(IPPROTO_TCP))
  }

  /// The number of bytes that were not sent, or not acknowledged; 1 where the system does not tell.
  var queued: Int {
    var count: Int32 = 0
    return ioctl(raw, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 1
  }

  private func set(_ option: Int32, _ value: Int32, level: Int32) {
    var value = value
    setsockopt(raw, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// TCP_NOTSENT_LOWAT of linux/tcp.h.
  private static let notSentLowWater: Int32 = 25

  /// TCP_USER_TIMEOUT of linux/tcp.h.
  private static let userTimeout: Int32 = 18

  /// IPV6_FREEBIND of linux/in6.h.
  private static let freeBindIPv6: Int32 = 78

  // MARK: Making connections

  /// Listens at the address. An ended process may have left connections at it, and this machine may get it only later,
  /// when a cable is plugged in for instance.
  func listen(at address: SocketAddress, backlog: Int32) throws(IOError) {
    set(SO_REUSEADDR, 1, level: SOL_SOCKET)
    set(IP_FREEBIND, 1, level: Int32(IPPROTO_IP))
    set(Self.freeBindIPv6, 1, level: Int32(IPPROTO_IPV6))
    try check(address.withSockAddr { Glibc.bind(raw, $0, socklen_t($1)) }, "bind")
    try check(Glibc.listen(raw, backlog), "listen")
  }

  /// Begins to connect. The socket is writable once the outcome is known.
  func connect(to address: SocketAddress) throws(IOError) {
    let result = address.withSockAddr { Glibc.connect(raw, $0, socklen_t($1)) }
    if result < 0, errno == EINPROGRESS || errno == EINTR { return }
    try check(result, "connect")
  }

  /// Throws the error of `connect`, if it has failed.
  func checkConnected() throws(IOError) {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    try check(getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &length), "getsockopt")
    if code != 0 { throw IOError(errnoCode: code, reason: "connect") }
  }

  /// Accepts the next connection; nil where none waits.
  func accept() throws(IOError) -> Socket? {
    while true {
      let accepted = segue_accept(raw)
      if accepted >= 0 { return Socket(accepted: accepted) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      default: throw IOError(errnoCode: errno, reason: "accept")
      }
    }
  }

  /// The address of this end, and that of the other.
  var localAddress: SocketAddress? { address(getsockname) }
  var remoteAddress: SocketAddress? { address(getpeername) }

  private func address(
    _ get: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { get(raw, $0, &length) }
      return result == 0 ? storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress(of: $0) } : nil
    }
  }

  // MARK: Bytes

  /// Appends so many bytes to the buffer at most. Returns their number; 0 at the end, nil where none are there now.
  func read(into buffer: inout ByteBuffer, most: Int) throws(IOError) -> Int? {
    while true {
      var count = 0
      buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { space in
        count = recv(raw, space.baseAddress, most, 0)
        return max(0, count)
      }
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      default: throw IOError(errnoCode: errno, reason: "recv")
      }
    }
  }

  /// Sends as much as the socket takes at once; nil where it takes nothing now. It raises no SIGPIPE.
  func write(_ parts: inout [iovec]) throws(IOError) -> Int? {
    while true {
      let count = parts.withUnsafeMutableBufferPointer { parts in
        var message = msghdr()
        message.msg_iov = parts.baseAddress
        message.msg_iovlen = parts.count
        return sendmsg(raw, &message, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      default: throw IOError(errnoCode: errno, reason: "sendmsg")
      }
    }
  }

  /// Ends this side's sending.
  func finish() throws(IOError) { try check(shutdown(raw, Int32(SHUT_WR)), "shutdown") }

  func close() {
    let number = descriptor.take()
    if number >= 0 { _ = Glibc.close(number) }
  }

  private func check(_ result: Int32, _ call: String) throws(IOError) {
    guard result >= 0 else { throw IOError(errnoCode: errno, reason: call) }
  }
}

extension SocketAddress {
  /// The kernel's address; nil for a family that is neither IPv4 nor IPv6.
  init?(of address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET: self.init(address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee })
    case AF_INET6: self.init(address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee })
    default: return nil
    }
  }
}
