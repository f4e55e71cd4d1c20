import Foundation
import NIOCore
import NIOPosix
import SegueCore
import Testing

@testable import SegueLink

/// Dials of a name that has several addresses.
@Suite(.serialized) struct DialTests {
  /// Knows two addresses for every name.
  final class TwoAddresses: NameResolver {
    private let addresses: [SocketAddress]

    init(_ ports: [Int]) throws {
      addresses = try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) }
    }

    func resolve(_ address: LinkAddress, _ done: @escaping ([SocketAddress]) -> Void) { done(addresses) }
  }

  /// The next dial begins before the last one has ended, for ever.
  @Test func D4_whereNothingAnswersThatIsToldWhenTheFirstDialHasEnded() throws {
    var settings = LinkSettings.quick
    settings.connectTime = settings.dialTime * 2 - 10
    let (full, node, other) = (try FullListener(), try Node(settings: settings), try Identity.temporary())
    defer { node.stop() }
    node.link.setPeers([LinkPeer(id: other.id, addresses: [LinkAddress(host: "127.0.0.1", port: UInt16(full.port))])])
    #expect(node.wait { $0 == .unreached(other.id, isSilent: true) } != nil)
  }

  @Test func D2_anAddressKeepsItsScope() throws {
    let scoped = try #require(LinkAddress("[fe80::7%lo]:4711"))
    guard case .v6(let found)? = SocketAddress(literal: scoped) else { throw SegueError(.system, "It is no IPv6.") }
    #expect(found.address.sin6_scope_id == if_nametoindex("lo"))
    #expect(UInt16(bigEndian: found.address.sin6_port) == 4711)
    for text in ["192.0.2.7:1", "[2001:db8::1]:1", "[fe80::7%1]:1"] {
      #expect(SocketAddress(literal: try #require(LinkAddress(text)))?.port == 1, "\(text)")
    }
    // A name is asked for elsewhere, and there is no such interface.
    for text in ["desk:1", "localhost:1", "[fe80::7%nowhere]:1"] {
      #expect(SocketAddress(literal: try #require(LinkAddress(text))) == nil, "\(text)")
    }
  }

  /// A listener whose queue is full: who dials it waits until there is room.
  final class FullListener {
    private let listener: Int32
    private let filler: Int32
    let port: Int

    init() throws {
      (listener, filler) = (
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0),
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      )
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let (listener, filler) = (listener, filler)
      let isFull = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
            && connect(filler, $0, length) == 0
        }
      }
      try #require(isFull)
      // No test waits for ever.
      var bound = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
      port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
      close(listener)
      close(filler)
    }

    /// There is no event for this one: the kernel's table is looked at until somebody waits there.
    func waitForDial() throws {
      let target = ":" + String(port, radix: 16, uppercase: true).leftPadded(to: 4)
      let end = Date(timeIntervalSinceNow: 60)
      while Date() < end {
        let isDialled = try Self.sockets().split(separator: "\n").contains { line in
          let words = line.split(separator: " ")
          return words.count > 3 && words[2].hasSuffix(target) && words[3] == "02"
        }
        if isDialled { return }
        sched_yield()
      }
      throw SegueError(.system, "Nobody dials.")
    }

    /// The kernel's table of TCP sockets, complete. The kernel hands it out a page at a time, and a Foundation that
    /// reads a file by name takes the first page for the whole file, so that sockets are missing on a machine with
    /// many.
    private static func sockets() throws -> String {
      let file = open("/proc/net/tcp", O_RDONLY)
      try #require(file >= 0)
      defer { close(file) }
      var table: [UInt8] = []
      var page = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(file, &page, page.count), count > 0 { table += page[..<count] }
      return String(decoding: table, as: UTF8.self)
    }

    /// Makes room; the connection of who waits.
    func accept() throws -> Int32 {
      let filled = Glibc.accept(listener, nil, nil)
      close(filled)
      let socket = Glibc.accept(listener, nil, nil)
      try #require(socket >= 0)
      return socket
    }
  }

  /// The other end of a connection, with a device's key: it says what a test wants, when a test wants it.
  final class Peer: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let heard = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private var channel: (any Channel)?

    init(_ socket: Int32, _ identity: Identity) throws {
      channel = try ClientBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
              try TLS.server(TLS.Purpose(), shown: { _ in (.none, identity) }, accepts: { _ in true }), self,
            ])
          }
        }
        .withConnectedSocket(socket).wait()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { heard.signal() }
    func channelInactive(context: ChannelHandlerContext) { ended.signal() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    /// Whether something was said: TLS is finished then.
    func hears() -> Bool { heard.wait(timeout: .now() + 60) == .success }
    func isClosed() -> Bool { ended.wait(timeout: .now() + 60) == .success }

    func say(_ frames: [Frame]) {
      var buffer = ByteBuffer()
      for frame in frames { frame.write(to: &buffer) }
      channel?.writeAndFlush(buffer, promise: nil)
    }

    func stop() { try? group.syncShutdownGracefully() }
  }

  /// The dial gives a silent device up after `connectTime`, and not a device that answers before.
  @Test func aDialHasItsTime() throws {
    // The side that is asked speaks first.
    var (mine, theirs) = (try Identity.temporary(), try Identity.temporary())
    if mine.id < theirs.id { swap(&mine, &theirs) }
    func dial(_ listener: FullListener, within time: UInt64) throws -> Node {
      var settings = LinkSettings.quick
      settings.dialTime = 60_000
      settings.connectTime = time
      let node = try Node(identity: mine, settings: settings)
      let address = LinkAddress(host: "127.0.0.1", port: UInt16(listener.port))
      node.link.setPeers([LinkPeer(id: theirs.id, addresses: [address])])
      try listener.waitForDial()
      return node
    }
    func isUnreached(_ event: LinkEvent) -> Bool { if case .unreached = event { true } else { false } }
    let silent = try FullListener()
    let given = try dial(silent, within: 200)
    #expect(given.wait { isUnreached($0) } != nil)
    given.stop()
    let late = try FullListener()
    let node = try dial(late, within: 10_000)
    let peer = try Peer(late.accept(), theirs)
    #expect(peer.hears())
    node.stop()
    peer.stop()
  }

  /// Several connections are tried for one name, and the one that succeeds counts: it ends with the pairing. Here it is
  /// the first, and the second was tried after it.
  @Test func aDeviceThatIsRemovedWhileItIsDialledByNameHasNoLink() throws {
    // The side that is asked speaks first, so that the other one waits for the welcome when its peer is removed.
    var (mine, theirs) = (try Identity.temporary(), try Identity.temporary())
    if mine.id < theirs.id { swap(&mine, &theirs) }
    let (first, second) = (try FullListener(), try FullListener())
    var settings = LinkSettings.quick
    // One dial, which has the time that a packet takes that was dropped.
    settings.dialTime = 60_000
    settings.connectTime = 10_000
    settings.handshakeTime = 60_000
    let resolver = try TwoAddresses([first.port, second.port])
    let node = try Node(identity: mine, settings: settings, resolver: resolver)
    defer { node.stop() }
    node.link.setPeers([LinkPeer(id: theirs.id, addresses: [LinkAddress(host: "two.example", port: 1)])])
    try first.waitForDial()
    try second.waitForDial()
    let peer = try Peer(first.accept(), theirs)
    defer { peer.stop() }
    try #require(peer.hears())
    node.link.setPeers([])
    // Done when what was asked after it is.
    #expect(node.waitClosed(node.link.openChannel(to: theirs.id, first: []))??.code == .connectionUnavailable)
    peer.say([
      Frame(kind: .welcome, payload: Welcome(window: 1 << 18, name: "removed").payload),
      Frame(kind: .open, channel: 2, payload: ByteBuffer(string: "fetch")),
    ])
    #expect(peer.isClosed())
    #expect(node.reached.allSatisfy { if case .channelOpened = $0 { false } else { true } })
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}
