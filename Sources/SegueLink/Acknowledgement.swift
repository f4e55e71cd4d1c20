import Glibc

/// How far the peer's system has acknowledged the bytes that this side has sent, and when bytes of the peer came last, by
/// TCP_INFO of tcp(7).
struct Acknowledgement {
  /// Whether all sent bytes are acknowledged.
  var isComplete: Bool
  /// Whether no bytes wait to be sent either.
  var isEmpty: Bool
  /// When the last acknowledgement came.
  var last: UInt64
  /// How long TCP waits for an acknowledgement before it sends again, in milliseconds.
  var timeout: UInt64
  /// When bytes of the peer arrived last, read or not.
  var received: UInt64
}

extension Acknowledgement {
  /// Nothing is known, and so nothing is acknowledged.
  static func unknown(now: UInt64) -> Self {
    Self(isComplete: false, isEmpty: false, last: 0, timeout: 1_000, received: now)
  }

  /// Reads it from a TCP connection. If the kernel does not report it, no byte counts as acknowledged.
  init(of socket: Socket, now: UInt64) {
    var info = tcp_info()
    var length = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(socket.raw, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else {
      self = .unknown(now: now)
      return
    }
    self.init(
      isComplete: info.tcpi_unacked == 0, isEmpty: socket.queued == 0,
      last: now - min(now, UInt64(info.tcpi_last_ack_recv)), timeout: UInt64(info.tcpi_rto) / 1_000,
      received: now - min(now, UInt64(info.tcpi_last_data_recv)))
  }
}
