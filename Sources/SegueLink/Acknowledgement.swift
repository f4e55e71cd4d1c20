import NIOCore

/// What the peer's system has acknowledged of what this one has sent, by TCP_INFO of tcp(7).
struct Acknowledgement {
  /// Whether nothing is under way.
  var isComplete: Bool
  /// When the last acknowledgement came.
  var last: UInt64
  /// How long TCP waits for one before it sends again, in milliseconds.
  var timeout: UInt64

  /// The beginning of `struct tcp_info`: eight fields of a byte, then numbers of four. What is not used of its middle is `rest`.
  private struct Info {
    var bytes: UInt64 = 0
    var timeout: UInt32 = 0
    var rest: (UInt32, UInt32, UInt32) = (0, 0, 0)
    var unacknowledged: UInt32 = 0
    // Sacked, lost, retransmitted, forward; and when what was last sent, acknowledged, received.
    var counts: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    var times: (UInt32, UInt32, UInt32) = (0, 0, 0)
    var acknowledged: UInt32 = 0
  }

  private static let tcpInfo = NIOBSDSocket.Option(rawValue: 11)
}

extension Acknowledgement {
  /// Of a TCP connection, on its loop. Where the kernel does not tell, nothing was acknowledged.
  init(of channel: any Channel, now: UInt64) {
    self.init(isComplete: false, last: 0, timeout: 1_000)
    guard let options = channel as? any SocketOptionProvider else { return }
    let answer: EventLoopFuture<Info> = options.unsafeGetSocketOption(level: .tcp, name: Self.tcpInfo)
    var info: Info?
    // It is there when the call returns.
    answer.assumeIsolated().whenSuccess { info = $0 }
    guard let info else { return }
    isComplete = info.unacknowledged == 0
    timeout = UInt64(info.timeout) / 1_000
    last = now - min(now, UInt64(info.acknowledged))
  }
}
