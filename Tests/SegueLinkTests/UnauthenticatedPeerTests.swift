import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SegueCore
import SegueState
import Testing

@testable import SegueLink

/// The attacks of an unauthenticated peer, and of a removed device, on the wire. The node must refuse them, report
/// nothing to its owner, and link with its paired device all the same.
@Suite(.serialized) struct UnauthenticatedPeerTests {
  /// A client with its own idea of TLS. It counts what it got, and waits for its end.
  final class Client: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let ended = DispatchSemaphore(value: 0)
    private var bytes = 0
    private var channel: (any Channel)?
    private let say: [UInt8]
    private var undecided: [EventLoopPromise<NIOSSLVerificationResult>] = []

    /// With `tls` nil, plain TCP. `name`: the server name. `say` is sent as soon as possible. `how` it takes a
    /// certificate.
    init(port: UInt16, tls: TLSConfiguration?, name: String? = nil, say: [UInt8] = [], how: String = "takes") throws {
      self.say = say
      channel = try ClientBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let tls {
              let context = try NIOSSLContext(configuration: tls)
              let handler = try NIOSSLClientHandler(context: context, serverHostname: name) { _, promise in
                if how == "waits" { return self.undecided.append(promise) }
                promise.succeed(how == "takes" ? .certificateVerified : .failed)
              }
              try channel.pipeline.syncOperations.addHandler(handler)
            }
            try channel.pipeline.syncOperations.addHandler(self)
          }
        }
        .connect(host: "127.0.0.1", port: Int(port)).wait()
    }

    func channelActive(context: ChannelHandlerContext) {
      if !say.isEmpty { context.writeAndFlush(NIOAny(ByteBuffer(bytes: say)), promise: nil) }
    }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytes }
    func channelInactive(context: ChannelHandlerContext) { ended.signal() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    /// Whether the node closed within `seconds`.
    func isClosed(within seconds: Double) -> Bool { ended.wait(timeout: .now() + seconds) == .success }
    /// How many bytes have come.
    func received() throws -> Int { try channel?.eventLoop.submit { self.bytes }.wait() ?? 0 }
    func stop() {
      try? channel?.eventLoop.submit { for promise in self.undecided { promise.succeed(.failed) } }.wait()
      try? group.syncShutdownGracefully()
    }
  }

  private func configuration(_ identity: Identity?) -> TLSConfiguration {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let identity {
      tls.certificateChain = [.certificate(identity.certificate)]
      tls.privateKey = .privateKey(identity.key)
    }
    tls.certificateVerification = .noHostnameVerification
    tls.trustRoots = .certificates([])
    tls.applicationProtocols = [TLS.alpn]
    return tls
  }

  @Test(arguments: ["endless hello", "oversized frame", "endless frame"])
  func attack2_whatIsTooLong(_ how: String) throws { try come(how) }

  @Test(arguments: ["silence", "no welcome"]) func attack3_whoSaysNothing(_ how: String) throws { try come(how) }

  @Test(arguments: ["garbage", "control first", "welcome cut short"])
  func attack7_whatIsNoWelcome(_ how: String) throws { try come(how) }

  @Test(arguments: ["no certificate", "another key", "two certificates"])
  func attack8_noOtherKeyThanThePairedOne(_ how: String) throws { #expect(try come(how) == 0) }

  @Test(arguments: ["TLS 1.2", "wrong ALPN", "no ALPN"])
  func attack9_noOtherProtocol(_ how: String) throws { try come(how) }

  @Test(arguments: ["no proof", "another's proof", "proof for another"])
  func attack19_aPinnedKeyWithoutAProofIsRefused(_ how: String) throws { #expect(try come(how) == 0) }

  @Test func whoIsHonestIsLetIn() throws { try come("honest") }

  /// Connects a client, which is refused unless it is honest. It has a paired device's key and proof unless `how` says
  /// otherwise, so that only `how` can be the reason. Returns the number of bytes that the client received.
  @discardableResult private func come(_ how: String) throws -> Int {
    var settings = LinkSettings.quick
    settings.handshakeTime = 700
    let node = try Node(settings: settings)
    let friend = try Identity.temporary()
    defer { node.stop() }
    node.link.setPeers([LinkPeer(id: friend.id, addresses: [])])
    let nonce = Identity.random(Proof.nonceLength)
    node.link.publish(nonce: nonce)
    var name: String? = Proof(of: friend.id, to: node.id, server: nonce).name
    var tls: TLSConfiguration? = configuration(friend)
    func frame(_ kind: Frame.Kind, _ payload: ByteBuffer) -> [UInt8] {
      var buffer = ByteBuffer()
      Frame(kind: kind, payload: payload).write(to: &buffer)
      return Array(buffer: buffer)
    }
    var say = frame(.welcome, Welcome(window: 1 << 18, name: "friend").payload)
    switch how {
    case "TLS 1.2": tls?.maximumTLSVersion = .tlsv12
    case "no certificate": tls = configuration(nil)
    case "another key":
      // The one of two devices with the larger id speaks first: so the node would say something at once.
      var other = try Identity.temporary()
      while !(other.id < node.id) { other = try Identity.temporary() }
      tls = configuration(other)
    case "no proof": name = nil
    case "another's proof": name = Proof(of: try Identity.temporary().id, to: node.id, server: nonce).name
    case "proof for another": name = Proof(of: friend.id, to: try Identity.temporary().id, server: nonce).name
    case "two certificates":
      tls?.certificateChain.append(.certificate(try Identity.temporary().certificate))
    case "wrong ALPN": tls?.applicationProtocols = ["h2", "segue-pair/1"]
    case "no ALPN": tls?.applicationProtocols = []
    case "garbage":
      tls = nil
      say = [UInt8](repeating: 0x41, count: 5000)
    case "silence":
      tls = nil
      say = []
    case "endless hello":
      tls = nil
      say = [0x16, 3, 1, 0x3f, 0xff, 1, 0, 0x3f, 0xfb, 3, 3]
    case "oversized frame": say = [0xff, 0xff, 0xff, 0xff, 1]
    case "endless frame": say = [0, 0, 0x20, 1] + [UInt8](repeating: 1, count: 100_000)
    case "control first": say = frame(.control, ByteBuffer(bytes: [1]))
    case "welcome cut short": say = frame(.welcome, ByteBuffer(bytes: [0, 1]))
    case "no welcome": say = []
    default: break
    }
    let client = try Client(port: node.port, tls: tls, name: name, say: say)
    defer { client.stop() }
    if how == "honest" {
      #expect(node.waitUp())
      #expect(!client.isClosed(within: 0.2))
    } else {
      #expect(client.isClosed(within: 60), "\(how)")
      #expect(node.reached.isEmpty)
    }
    return try client.received()
  }

  /// Many silent connections keep no paired device out.
  @Test func attack1_silentCrowdKeepsNobodyOut() throws {
    var settings = LinkSettings.quick
    // No connection ends because its time is over.
    settings.handshakeTime = 600_000
    let node = try Node(settings: settings)
    let friend = try Node()
    defer {
      node.stop()
      friend.stop()
    }
    node.link.setPeers([LinkPeer(id: friend.id, addresses: [])])
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { try? group.syncShutdownGracefully() }
    for number in 0..<200 {
      _ = try ClientBootstrap(group: group).bind(to: SocketAddress(ipAddress: "127.0.0.\(2 + number % 60)", port: 0))
        .connect(host: "127.0.0.1", port: Int(node.port)).wait()
    }
    friend.link.setPeers([LinkPeer(id: node.id, addresses: [node.address])])
    #expect(friend.waitUp())
  }

  /// To refuse an ephemeral certificate is what a paired device does that gets a nonce so. To take it, or to wait for
  /// more, is not.
  @Test(arguments: ["refuses", "takes", "waits"]) func attack1_whoAsksIsNotPunishedAndWhoStaysIs(_ how: String) throws {
    var settings = LinkSettings.quick
    settings.handshakeTime = how == "waits" ? 6_000 : 600_000
    settings.failures = 2
    let node = try Node(settings: settings)
    defer { node.stop() }
    let clients = try (0..<settings.failures).map { _ in
      try Client(port: node.port, tls: configuration(Identity.temporary()), how: how)
    }
    defer { for client in clients { client.stop() } }
    for client in clients { #expect(client.isClosed(within: 60)) }
    // A punished address has one slot: the first connection ends when the second comes, and not when its time is over.
    let first = try Client(port: node.port, tls: nil)
    let second = try Client(port: node.port, tls: nil)
    defer {
      first.stop()
      second.stop()
    }
    #expect(first.isClosed(within: how == "refuses" ? 0.3 : 4) == (how != "refuses"))
  }

  /// A session ticket from before does not bring a removed device back.
  @Test func attack15_ticketOfARemovedDevice() throws {
    let folder = "/tmp/segue-link-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = try Identity.loadOrCreate(in: StateFolder(folder)).id
    let node = try Node()
    defer { node.stop() }
    node.link.setPeers([LinkPeer(id: id, addresses: [])])
    let pem = "\(folder)/identity.pem"
    let common = ["s_client", "-connect", "127.0.0.1:\(node.port)", "-alpn", TLS.alpn, "-tls1_3", "-groups", "X25519"]
    let certificate = ["-cert", pem, "-key", pem]
    let nonce = Identity.random(Proof.nonceLength)
    node.link.publish(nonce: nonce)
    func proof() -> [String] { ["-servername", Proof(of: id, to: node.id, server: nonce).name] }
    var welcome = ByteBuffer()
    Frame(kind: .welcome, payload: Welcome(window: 1 << 18, name: "old").payload).write(to: &welcome)
    _ = try openssl(common + proof() + certificate + ["-sess_out", "\(folder)/ticket"], say: Array(buffer: welcome))
    #expect(node.waitUp())
    #expect(FileManager.default.fileExists(atPath: "\(folder)/ticket"))
    #expect(node.waitDown() != nil)
    node.link.setPeers([])
    let ups = node.reached.count
    for extra in [[], certificate] {
      let text = try openssl(common + proof() + extra + ["-sess_in", "\(folder)/ticket"], say: Array(buffer: welcome))
      #expect(!text.contains("Reused, TLSv1.3"))
    }
    #expect(node.reached.count == ups)
  }

  /// Runs openssl for up to two seconds with `say` as its input, and returns what it printed.
  private func openssl(_ arguments: [String], say: [UInt8]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    input.fileHandleForWriting.write(Data(say))
    // The input stays open for a while: at its end openssl leaves, ticket or not.
    if ended.wait(timeout: .now() + 1) == .timedOut {
      try? input.fileHandleForWriting.close()
      if ended.wait(timeout: .now() + 1) == .timedOut { process.terminate() }
    }
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}
