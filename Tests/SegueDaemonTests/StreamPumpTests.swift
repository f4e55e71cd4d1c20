import CLinux
import Glibc
import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon

/// One stream's descriptors, and the bytes between them and the channel.
@Suite struct StreamPumpTests {
  /// A pump with an application at one side and a test at the other.
  private final class Rig {
    let loop: EventLoop
    var input: FileDescriptor?
    var output: FileDescriptor?
    private(set) var pump: StreamPump?
    var sent: [[UInt8]] = []
    var consumed: [Int] = []
    var finishes = 0
    var stops = 0
    var uses = 0
    var ends = 0

    init() throws(SegueError) {
      loop = try EventLoop()
      let ends = try StreamEnds()
      (input, output) = (ends.pair.input, ends.pair.output)
      pump = try StreamPump(
        ends, loop,
        StreamPump.Wire(
          send: { [unowned self] in sent.append($0) }, finish: { [unowned self] in finishes += 1 },
          stop: { [unowned self] in stops += 1 }, consumed: { [unowned self] in consumed.append($0) }),
        used: { [unowned self] in uses += 1 }, closed: { [unowned self] in self.ends += 1 })
    }

    var sentBytes: Int { sent.reduce(0) { $0 + $1.count } }

    /// Handles all events that are ready.
    func turn() { for _ in 0..<20 where loop.dispatch() > 0 {} }

    /// Runs until something has followed from a closed descriptor: a process that another test starts may keep it for a
    /// moment.
    func run(until isSo: () -> Bool) {
      let end = Instant.now + 60_000
      while !isSo(), Instant.now < end { loop.wait(milliseconds: 100) }
      #expect(isSo())
    }

    /// The bytes that the application can read now; nil: there are none. An error is thrown.
    func read(_ count: Int) throws(SegueError) -> [UInt8]? { try read(count, Int32(MSG_DONTWAIT)) }

    /// The same, for the end that follows from a closed descriptor.
    func readEnd() throws(SegueError) -> [UInt8]? { try read(1, 0) }

    private func read(_ count: Int, _ flags: Int32) throws(SegueError) -> [UInt8]? {
      guard let input else { return nil }
      var bytes = [UInt8](repeating: 0, count: count)
      let got = recv(input.raw, &bytes, count, flags)
      if got < 0, segue_errno() == EAGAIN { return nil }
      guard got >= 0 else { throw SegueError(.system, "\(segue_errno())") }
      return Array(bytes[..<got])
    }

    /// The error of a write to what nobody reads any more.
    func writeError() -> Int32? {
      guard let output else { return nil }
      var state = pollfd(fd: output.raw, events: 0, revents: 0)
      var byte: UInt8 = 0
      signal(SIGPIPE, SIG_IGN)
      guard poll(&state, 1, 60_000) == 1, Glibc.write(output.raw, &byte, 1) < 0 else { return nil }
      return segue_errno()
    }

    func end() { pump = nil }
  }

  /// There is no event for this one.
  private func isOverSoon(_ stream: LocalStream) -> Bool {
    let end = Instant.now + 60_000
    while !stream.isOver, Instant.now < end { sched_yield() }
    return stream.isOver
  }

  private static let reset = SegueError(.system, "\(ECONNRESET)")

  @Test func T3_inputIsReadAndOutputIsWritten() throws {
    let ends = try StreamEnds()
    var byte: UInt8 = 1
    #expect(segue_send(ends.pair.input.raw, &byte, 1) < 0 && segue_errno() == EPIPE)
    #expect(Glibc.read(ends.pair.output.raw, &byte, 1) < 0 && segue_errno() == EBADF)
    for file in [ends.pair.input, ends.pair.output] {
      #expect(segue_fcntl(file.raw, F_GETFD, 0) & FD_CLOEXEC != 0)
      #expect(segue_fcntl(file.raw, F_GETFL, 0) & O_NONBLOCK == 0)
    }
    let (one, other) = try StreamEnds.local()
    #expect(one.output.put([7, 8]) && other.input.bytes(maximum: 2) == [7, 8])
    #expect(other.output.put([9]) && one.input.bytes(maximum: 1) == [9])
    #expect(Glibc.read(one.output.raw, &byte, 1) < 0 && segue_errno() == EBADF)
    #expect(Glibc.write(one.input.raw, &byte, 1) < 0 && segue_errno() == EBADF)
  }

  /// Writers and readers take turns less often than with what a pipe has at first.
  @Test func T4_soMuchWaitsInTheKernel() throws {
    // F_GETPIPE_SZ of linux/fcntl.h.
    let getPipeSize: Int32 = 1032
    let (ends, local) = (try StreamEnds(), try StreamEnds.local())
    for output in [ends.pair.output, local.one.output, local.other.output] {
      #expect(segue_fcntl(output.raw, getPipeSize, 0) == Int32(Limits.streamPipeBytes))
    }
  }

  /// The application is woken for two frames at once.
  @Test func T4_aReadTakesTwoFrames() throws {
    let rig = try Rig()
    #expect(rig.output?.put([UInt8](repeating: 7, count: 4 * Limits.dataLength)) == true)
    rig.pump?.begin()
    rig.turn()
    #expect(rig.sent.map { $0.count } == [2 * Limits.dataLength, 2 * Limits.dataLength])
  }

  @Test func T4_nothingIsSentBeforeBothHaveTheirs() throws {
    let rig = try Rig()
    #expect(rig.output?.put([1, 2, 3]) == true)
    rig.turn()
    #expect(rig.sent.isEmpty && rig.uses == 0)
    rig.pump?.begin()
    rig.turn()
    #expect(rig.sent == [[1, 2, 3]] && rig.uses == 1)
  }

  /// Half-close, in both orders: what one side has closed, the other direction does not notice.
  @Test func T4_eachDirectionHasItsOwnEnd() throws {
    let rig = try Rig()
    rig.pump?.begin()
    #expect(rig.output?.put([1]) == true)
    rig.output = nil
    rig.run { rig.finishes > 0 }
    #expect(rig.sent == [[1]] && rig.finishes == 1 && rig.ends == 0)
    rig.pump?.receive([4, 5])
    #expect(try rig.read(9) == [4, 5])
    #expect(try rig.read(9) == nil)
    rig.pump?.finished()
    #expect(try rig.readEnd() == [])
    #expect(rig.ends == 1 && rig.consumed == [2])

    let other = try Rig()
    other.pump?.begin()
    other.pump?.receive([4])
    other.pump?.finished()
    // In order: the end of file stands behind the last byte.
    #expect(try other.read(9) == [4])
    #expect(try other.readEnd() == [])
    #expect(other.output?.put([2]) == true)
    other.output = nil
    other.run { other.finishes > 0 }
    #expect(other.sent == [[2]] && other.finishes == 1 && other.ends == 1)
  }

  /// A lost device is no end of file: what has arrived can be read, and then there is an error.
  @Test func T4_aStreamThatIsCutOffIsAnError() throws {
    let rig = try Rig()
    rig.pump?.begin()
    rig.pump?.receive([4, 5, 6])
    rig.pump?.end()
    #expect(try rig.read(9) == [4, 5, 6])
    #expect(throws: Self.reset) { try rig.readEnd() }
    #expect(rig.writeError() == EPIPE)
  }

  /// As when the daemon dies.
  @Test func T4_aDaemonThatIsGoneIsAnError() throws {
    var ends: StreamEnds? = try StreamEnds()
    let pair = try #require(ends?.pair)
    ends = nil
    var byte: UInt8 = 0
    #expect(Glibc.read(pair.input.raw, &byte, 1) < 0 && segue_errno() == ECONNRESET)
  }

  /// The application's input is full: nothing more is consumed until it reads, and nothing is lost.
  @Test func T4_aSlowReaderHoldsBackItsWriter() throws {
    let rig = try Rig()
    let chunk = [UInt8](repeating: 7, count: Limits.frameLength)
    for _ in 0..<64 { rig.pump?.receive(chunk) }
    rig.turn()
    let taken = rig.consumed.count
    #expect(taken < 32)
    var got = 0
    while got < 64 * chunk.count {
      got += try rig.read(chunk.count)?.count ?? 0
      rig.turn()
    }
    #expect(rig.consumed == [Int](repeating: chunk.count, count: 64))
  }

  /// The channel takes no more: the application's pipe is not read, and the loop has nothing to do.
  @Test func T4_aSlowChannelHoldsBackTheWriter() throws {
    let rig = try Rig()
    rig.pump?.begin()
    let output = try #require(rig.output)
    #expect(segue_fcntl(output.raw, F_SETFL, O_NONBLOCK) == 0)
    let chunk = [UInt8](repeating: 7, count: 16 * 1024)
    var written = 0
    while true {
      let count = Glibc.write(output.raw, chunk, chunk.count)
      if count < 0 { break }
      written += count
      rig.turn()
    }
    let held = Limits.streamBytes - rig.sentBytes
    #expect((0..<Limits.frameLength).contains(held) && written > rig.sentBytes)
    #expect(rig.loop.dispatch() == 0)
    rig.pump?.writable(Limits.streamBytes)
    rig.turn()
    #expect(rig.sentBytes == written)
  }

  @Test func T4_whoReadsNoMoreSaysSo() throws {
    let rig = try Rig()
    rig.pump?.begin()
    rig.pump?.receive([1])
    rig.input = nil
    rig.run { rig.stops > 0 }
    #expect(rig.stops == 1 && rig.ends == 0)
    // Bytes that still come are thrown away, and paid for.
    rig.pump?.receive([1, 2, 3])
    #expect(rig.consumed == [1, 3])
    rig.output = nil
    rig.run { rig.finishes > 0 }
    #expect(rig.finishes == 1 && rig.ends == 1)
  }

  /// Bytes that waited for the reader are paid for too.
  @Test func T4_whoReadsNoMoreOwesNothing() throws {
    let rig = try Rig()
    let chunk = [UInt8](repeating: 7, count: Limits.frameLength)
    for _ in 0..<16 { rig.pump?.receive(chunk) }
    rig.input = nil
    rig.run { rig.stops > 0 }
    #expect(rig.consumed.reduce(0, +) == 16 * chunk.count && rig.consumed.count == 16 && rig.stops == 1)
  }

  /// The channel counts among the peer's until all that came on it is consumed.
  @Test func attack33_aStreamThatIsCutOffOwesNothing() throws {
    let rig = try Rig()
    rig.pump?.begin()
    let frames = 40
    for _ in 0..<frames { rig.pump?.receive([UInt8](repeating: 1, count: Limits.frameLength)) }
    let written = rig.consumed.count
    #expect(written < frames)
    rig.pump?.end()
    #expect(rig.consumed == [Int](repeating: Limits.frameLength, count: frames))
    rig.pump?.end()
    #expect(rig.consumed.count == frames)
  }

  @Test func T4_writesToWhoReadsNoMoreFail() throws {
    let rig = try Rig()
    rig.pump?.begin()
    rig.pump?.stopped()
    #expect(rig.finishes == 1)
    #expect(rig.writeError() == EPIPE)
  }

  /// A few bytes do not hold the memory of many.
  @Test func attack33_crumbsTakeTheirOwnRoom() throws {
    let rig = try Rig()
    rig.pump?.begin()
    for _ in 0..<100 {
      #expect(rig.output?.put([1]) == true)
      rig.turn()
    }
    #expect(rig.sent.count == 100 && rig.sent.allSatisfy { $0.capacity < 64 })
  }

  /// Which ends of a local stream are held, nobody but the kernel knows.
  @Test(arguments: [[0], [1], [2], [3], [0, 3], [1, 2]])
  func T5_aLocalStreamIsOverWhenOneSideHasClosedBoth(_ closed: [Int]) throws {
    var (stream, other) = try LocalStream.make()
    // The input of who asks, then of the other one; the outputs likewise.
    var files: [FileDescriptor?] = [stream.pair?.input, other.input, stream.pair?.output, other.output]
    other = try StreamEnds.local().one
    stream.pair = nil
    #expect(!stream.isOver)
    for index in closed { files[index] = nil }
    #expect(!stream.isOver)
    // One's input and output.
    for index in [0, 2] { files[index] = nil }
    #expect(isOverSoon(stream))
  }

  /// No more bytes can come, though both may still read.
  @Test func T5_aLocalStreamThatNobodyWritesToIsOver() throws {
    var (stream, other) = try LocalStream.make()
    let inputs = [stream.pair?.input, other.input]
    other = try StreamEnds.local().one
    stream.pair = nil
    #expect(isOverSoon(stream))
    withExtendedLifetime(inputs) {}
  }

  @Test func T5_aLocalStreamThatNobodyHasIsOver() throws {
    var (stream, other) = try LocalStream.make()
    #expect(other.output.put([1, 2, 3]))
    stream.pair = nil
    other = try StreamEnds.local().one
    #expect(isOverSoon(stream))
  }
}
