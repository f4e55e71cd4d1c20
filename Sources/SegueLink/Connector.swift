import NIOCore
import SegueCore

/// Makes TCP connections to other devices.
struct Connector {
  let loop: SocketLoop
  let resolver: any NameResolver
  let settings: LinkSettings

  /// Connects to the address, or to `socket`, which the address has led to before. `prepare` puts the handlers into
  /// each channel that is tried; a name may have several addresses. `done` is called once, in a turn of the loop.
  func connect(
    to address: LinkAddress, at socket: SocketAddress? = nil, prepare: @escaping (StreamChannel) throws -> Void,
    done: @escaping (Result<StreamChannel, any Error>) -> Void
  ) {
    let attempt = Attempt(loop, time: settings.connectTime, prepare, done)
    if let literal = socket ?? SocketAddress(literal: address) {
      attempt.begin([literal])
    } else {
      resolver.resolve(address, attempt.begin)
    }
  }
}

/// Tries the addresses of one host until one of them takes the connection; each some time after the one before, or when
/// that one has failed.
private final class Attempt {
  private let loop: SocketLoop
  private let prepare: (StreamChannel) throws -> Void
  private var done: ((Result<StreamChannel, any Error>) -> Void)?
  private var addresses: ArraySlice<SocketAddress> = []
  private var tried: [StreamChannel] = []
  private var error: any Error = SegueError(.connectionUnavailable, "The name has no address.")
  private var bound: SocketTimer?
  private var next: SocketTimer?

  /// As RFC 8305 advises, in milliseconds.
  private static let headStart: UInt64 = 250

  init(
    _ loop: SocketLoop, time: UInt64, _ prepare: @escaping (StreamChannel) throws -> Void,
    _ done: @escaping (Result<StreamChannel, any Error>) -> Void
  ) {
    self.loop = loop
    self.prepare = prepare
    self.done = done
    bound = loop.timer(after: time) { [self] in
      end(.failure(ChannelError.connectTimeout(.milliseconds(Int64(clamping: time)))))
    }
  }

  func begin(_ found: [SocketAddress]) {
    addresses = found.prefix(Limits.deviceAddresses)
    // The failure is reported in a later turn: `done` is never called within the call.
    if addresses.isEmpty { loop.soon { [self] in tryNext() } } else { tryNext() }
  }

  private func tryNext() {
    next?.cancel()
    guard done != nil, !loop.isEnding else { return }
    guard let address = addresses.popFirst() else {
      if tried.isEmpty { end(.failure(error)) }
      return
    }
    do {
      let channel = StreamChannel(try Socket(for: address), on: loop)
      tried.append(channel)
      channel.connect(to: address) { [self] in decided(channel, $0) }
      do { try prepare(channel) } catch { channel.close0(error: error, mode: .all, promise: nil) }
    } catch {
      self.error = error
      return loop.soon { [self] in tryNext() }
    }
    if !addresses.isEmpty { next = loop.timer(after: Self.headStart) { [self] in tryNext() } }
  }

  private func decided(_ channel: StreamChannel, _ result: Result<Void, any Error>) {
    tried.removeAll { $0 === channel }
    switch result {
    case .success: end(.success(channel))
    case .failure(let error):
      self.error = error
      loop.soon { [self] in tryNext() }
    }
  }

  private func end(_ result: Result<StreamChannel, any Error>) {
    guard let done else { return }
    self.done = nil
    bound?.cancel()
    next?.cancel()
    for channel in tried { channel.close() }
    done(result)
  }
}
