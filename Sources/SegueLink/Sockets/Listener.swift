import CLinux
import NIOCore
import SegueBus
import SegueCore

/// Accepts the connections that come to one address, a few in each turn of the loop.
///
/// When the process has no descriptor left, a waiting connection would make the loop spin. The listener then accepts
/// and closes one connection with a descriptor in reserve, so that the other side is notified, and pauses.
final class Listener {
  private let socket: Socket
  private let loop: SocketLoop
  private var watch: LoopWatch?
  private var reserve = Listener.makeReserve()
  private var rest: SocketTimer?
  private var accepted: (Socket) -> Void = { _ in }
  private var exhausted: () -> Void = {}

  /// Throws the system's error if it cannot listen there.
  init(at address: SocketAddress, on loop: SocketLoop) throws(IOError) {
    self.loop = loop
    socket = try Socket(for: address)
    try socket.listen(at: address, backlog: 64)
  }

  var port: UInt16 { UInt16(clamping: socket.localAddress?.port ?? 0) }

  /// `exhausted` is called whenever there is no descriptor left.
  func start(accepted: @escaping (Socket) -> Void, exhausted: @escaping () -> Void) throws(SegueError) {
    self.accepted = accepted
    self.exhausted = exhausted
    watch = try loop.loop.watch(socket.raw, .readable) { [unowned self] _ in accept() }
  }

  func close() {
    rest?.cancel()
    watch?.cancel()
    watch = nil
    (accepted, exhausted) = ({ _ in }, {})
    socket.close()
  }

  private func accept() {
    for _ in 0..<Limits.acceptsPerTurn where watch?.events == .readable {
      do throws(IOError) {
        guard let next = try socket.accept() else { return }
        accepted(next)
      } catch {
        // Any other error ends only the connection that came.
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) { return pause() }
      }
    }
  }

  private func pause() {
    exhausted()
    if reserve != nil {
      reserve = nil
      // The accepted connection is closed at once.
      _ = try? socket.accept()
      reserve = Self.makeReserve()
    }
    watch?.setEvents([])
    rest = loop.timer(after: Limits.acceptPause) { [unowned self] in
      if reserve == nil { reserve = Self.makeReserve() }
      watch?.setEvents(.readable)
    }
  }

  private static func makeReserve() -> SegueBus.FileDescriptor? {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
    return descriptor < 0 ? nil : SegueBus.FileDescriptor(owning: descriptor)
  }
}
