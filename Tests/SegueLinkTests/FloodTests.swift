import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SegueCore
import Synchronization
import Testing

@testable import SegueLink

/// UnauthenticatedPeers who shake hands without a break.
@Suite(.serialized) struct FloodTests {
  /// Clients from several sources, each of which comes again when it was refused.
  private final class Flood: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let port: UInt16
    private let context: NIOSSLContext
    private let refused = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    init(port: UInt16, strangers: Int) throws {
      self.port = port
      let identity = try Identity.temporary()
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.certificateChain = [.certificate(identity.certificate)]
      tls.privateKey = .privateKey(identity.key)
      tls.certificateVerification = .noHostnameVerification
      tls.trustRoots = .certificates([])
      tls.applicationProtocols = [TLS.alpn]
      context = try NIOSSLContext(configuration: tls)
      for number in 0..<strangers { come(number) }
    }

    /// How many handshakes have come to nothing.
    var count: Int { refused.load(ordering: .relaxed) }

    func stop() {
      isOver.store(true, ordering: .relaxed)
      try? group.syncShutdownGracefully()
    }

    private func come(_ number: Int) {
      guard !isOver.load(ordering: .relaxed),
        let source = try? SocketAddress(ipAddress: "127.0.0.\(2 + number / Limits.unauthenticatedPerSource)", port: 0)
      else { return }
      ClientBootstrap(group: group).bind(to: source)
        .channelInitializer { [context] channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: nil) { _, promise in
              promise.succeed(.certificateVerified)
            }
            try channel.pipeline.syncOperations.addHandler(handler)
          }
        }
        .connect(host: "127.0.0.1", port: Int(port)).flatMap { $0.closeFuture }
        .whenComplete { [self] _ in
          refused.add(1, ordering: .relaxed)
          come(number)
        }
    }
  }

  /// Meanwhile a paired device's fetches are answered, and so is whatever else the loop is asked.
  @Test func attack1_whoShakesHandsWithoutEndKeepsNobodyWaiting() throws {
    let (a, b) = try pair { event, _ in
      guard case .channelOpened(let channel, _) = event else { return }
      channel.send([UInt8](repeating: 7, count: 1024), finishing: true)
    }
    let flood = try Flood(port: b.port, strangers: Limits.unauthenticatedConnections)
    defer {
      flood.stop()
      a.stop()
      b.stop()
    }
    let end = ContinuousClock.now + .seconds(60)
    for round in 1...20 {
      // All of them have been there since the last time.
      while flood.count < round * Limits.unauthenticatedConnections {
        try #require(ContinuousClock.now < end, "\(flood.count) handshakes in a minute")
        try b.link.isHere()
      }
      let id = a.link.openChannel(to: b.id, first: [1])
      a.link.finish(id)
      #expect(a.waitClosed(id) == .some(nil))
    }
    // A device that comes now is let in, and the one that was there has stayed.
    let late = try Node()
    defer { late.stop() }
    b.link.setPeers([LinkPeer(id: a.id, addresses: []), LinkPeer(id: late.id, addresses: [])])
    late.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
    #expect(late.waitUp())
    #expect(!a.all.contains { if case .down = $0 { true } else { false } })
  }
}
