import CLinux
import Foundation
import SegueBus
import SegueCore
import Testing

@testable import SegueRuntime

/// The application's side of continuation streams.
@Suite struct StreamsTests {
  private let offline: Offline
  private let streams: StreamRequests

  init() throws {
    offline = try Offline()
    streams = offline.application.streams
  }

  /// Two ends of a pipe.
  private static func pipe(_ flags: Int32 = 0) throws -> (read: FileDescriptor, write: FileDescriptor) {
    var ends: [Int32] = [-1, -1]
    try #require(Foundation.pipe(&ends) == 0)
    for end in ends { try #require(segue_fcntl(end, F_SETFL, flags) == 0) }
    return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
  }

  private static func sockets(_ kind: Int32 = segue_stream_socket) throws -> (FileDescriptor, FileDescriptor) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
  }

  private func code(_ body: () throws(SegueError) -> Void) -> SegueError.Code? {
    do throws(SegueError) {
      try body()
      return nil
    } catch { return error.code }
  }

  @Test func T1_whyThereAreNoStreamsIsSaid() throws {
    let activity = offline.activity()
    var received = 0
    let (one, other) = (try Self.pipe(), try Self.pipe())
    let pair = [BusValue.descriptor(one.read), .descriptor(other.write)]
    #expect(code { () throws(SegueError) in try streams.accept(activity.id, pair) } == .notFound)
    offline.application.makeCurrent(activity)
    #expect(code { () throws(SegueError) in try streams.accept(activity.id, pair) } == .accessDenied)
    try activity.setSupportsStreams(true)
    #expect(code { () throws(SegueError) in try streams.accept(activity.id, pair) } == .notHandled)
    activity.delegate.didReceiveStreams = { _, _ in received += 1 }
    try streams.accept(activity.id, pair)
    try activity.setSupportsStreams(false)
    #expect(code { () throws(SegueError) in try streams.accept(activity.id, pair) } == .accessDenied)
    try activity.setSupportsStreams(true)
    offline.application.invalidate(activity)
    #expect(code { () throws(SegueError) in try streams.accept(activity.id, pair) } == .notFound)
    #expect(received == 1)
  }

  @Test func T3_onlyWhatBehavesAsAStreamIsHandedOut() throws {
    let (one, other, waiting) = (try Self.pipe(), try Self.pipe(), try Self.pipe(O_NONBLOCK))
    let (socket, packets) = (try Self.sockets(), try Self.sockets(Int32(SOCK_SEQPACKET.rawValue)))
    let file = FileDescriptor(owning: open("/dev/null", O_RDWR | O_CLOEXEC))
    let good: [(FileDescriptor, FileDescriptor)] = [(one.read, other.write), (socket.0, other.write)]
    for (input, output) in good {
      #expect(throws: Never.self) { _ = try StreamPair([.descriptor(input), .descriptor(output)]) }
    }
    let bad: [(FileDescriptor, FileDescriptor)] = [
      (one.write, other.write), (one.read, other.read), (one.read, one.write), (packets.0, other.write),
      (one.read, socket.0), (file, other.write), (one.read, file), (waiting.read, other.write),
      (one.read, waiting.write),
    ]
    for (input, output) in bad {
      #expect(throws: SegueError.self) { _ = try StreamPair([.descriptor(input), .descriptor(output)]) }
    }
    for values in [[], [.descriptor(one.read)], [.bool(true), .bool(true)]] as [[BusValue]] {
      #expect(throws: SegueError.self) { _ = try StreamPair(values) }
    }
  }

  @Test func T4_theReasonsOfSoManyStreamsAreRemembered() {
    let ends = StreamLosses()
    let error = SegueError(.connectionUnavailable, "The other device is gone.")
    // The reason for the end of a stream that is not open is not kept.
    ends.ended(1, error)
    #expect(ends.reason(1) == nil)
    for inode in 1...UInt64(Limits.streamsRemembered) { ends.opened(inode) }
    ends.ended(1, error)
    ends.ended(1, SegueError(.system, "The second word does not count."))
    ends.ended(2, error)
    #expect(ends.reason(1) == error)
    // The next stream that has the inode does not inherit the reason.
    ends.opened(1)
    #expect(ends.reason(1) == nil)
    #expect(ends.reason(2) == error)
    ends.opened(UInt64(Limits.streamsRemembered) + 1)
    #expect(ends.reason(2) == nil)
  }

  /// The daemon goes without a word: what it has carried is lost, and what goes past it is not.
  @Test func T4_theDaemonsEndIsTheReason() throws {
    let activity = offline.activity()
    var pairs: [(input: Int32, output: Int32)] = []
    offline.application.makeCurrent(activity)
    try activity.setSupportsStreams(true)
    activity.delegate.didReceiveStreams = { pairs.append($1.take()) }
    let (socket, back, there, alsoBack) = (try Self.sockets(), try Self.pipe(), try Self.pipe(), try Self.pipe())
    try streams.accept(activity.id, [.descriptor(socket.0), .descriptor(back.write)])
    try streams.accept(activity.id, [.descriptor(there.read), .descriptor(alsoBack.write)])
    for pair in pairs { #expect(StreamLosses.shared.end(of: pair.input) == .none) }
    streams.doorLost()
    let ends = pairs.map { StreamLosses.shared.end(of: $0.input) }
    try #require(ends.count == 2)
    let reason: SegueError? = if case .lost(let error) = ends[0] { error } else { nil }
    #expect(reason?.code == .connectionUnavailable)
    #expect(reason?.message.contains("daemon") == true)
    #expect(ends[1] == .none)
    for pair in pairs { _ = (close(pair.input), close(pair.output)) }
  }

  @Test func T5_ofAnInvalidatedActivityThereAreNoNewOnes() throws {
    let activity = offline.activity(of: try #require(Identifier(hex: String(repeating: "9", count: 32))))
    var ended: [SegueError.Code?] = []
    let request = { [streams] () throws(SegueError) in
      try streams.request(for: activity) { result in
        let error: SegueError? = if case .failure(let error) = result { error } else { nil }
        ended.append(error?.code)
      }
    }
    // Without a daemon its error comes by the completion.
    #expect(code(request) == nil)
    offline.dispatch()
    #expect(ended == [.connectionUnavailable])
    offline.application.invalidate(activity)
    #expect(code(request) == .invalidated)
    offline.dispatch()
    #expect(ended.count == 1)
  }
}
