import Glibc

/// How far the peer's system has acknowledged the bytes that this side has sent, by TCP_INFO of tcp(7).
struct Acknowledgement {
  /// Whether all sent bytes are acknowledged.
  var isComplete: Bool
  /// When the last acknowledgement came.
  var last: UInt64
  /// How long TCP waits for an acknowledgement before it sends again, in milliseconds.
  var timeout: UInt64
}

extension Acknowledgement {
  /// Reads it from a TCP connection. If the kernel does not report it, no byte counts as acknowledged.
  init(of socket: Socket, now: UInt64) {
    var info = tcp_info()
    var length = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(socket.raw, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else {
      self.init(isComplete: false, last: 0, timeout: 1_000)
      return
    }
    self.init(
      isComplete: info.tcpi_unacked == 0, last: now - min(now, UInt64(info.tcpi_last_ack_recv)),
      timeout: UInt64(info.tcpi_rto) / 1_000)
  }
}
