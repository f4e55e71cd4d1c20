import CLinux
import CTerminal
import SegueBus
import SegueCore

/// Frames over a pair of descriptors: a unix socket, or a continuation stream's input and output. Belongs to the loop's
/// thread. It never blocks: frames that are sent wait here until the other end takes them.
final class FrameChannel {
  /// Throws where the other end does not keep to the protocol: the channel then ends.
  var received: ((ShellFrame) throws(ProtocolFailure) -> Void)?
  /// Why it ended by itself.
  enum End: Equatable {
    /// The other end is gone.
    case closed
    /// The other end does not keep to the protocol.
    case violated(ProtocolFailure)
  }
  /// Once; not after `close`.
  var ended: ((End) -> Void)?
  /// Called when fewer bytes wait than before.
  var progressed: (() -> Void)?

  private let input: FileDescriptor
  private let output: FileDescriptor
  private var reading: LoopWatch?
  private var writing: LoopWatch?
  private var reader = FrameReader()
  private var queue: [UInt8] = []
  private var start = 0
  private var isClosed = false
  private var isFinishing = false
  /// Frames that came while it was paused stay in the reader.
  private var isPaused = false
  /// Descriptors that came with the bytes, oldest first.
  private var descriptors: [FileDescriptor] = []
  private let isSocket: Bool

  /// Throws `system` where they cannot be watched. For a socket both are the same.
  init(_ loop: EventLoop, input: FileDescriptor, output: FileDescriptor) throws(SegueError) {
    self.input = input
    self.output = output
    isSocket = input.status.map { Int32(bitPattern: $0.st_mode) & S_IFMT == S_IFSOCK } ?? false
    for descriptor in [input, output] {
      let flags = segue_fcntl(descriptor.raw, F_GETFL, 0)
      guard flags >= 0, segue_fcntl(descriptor.raw, F_SETFL, flags | O_NONBLOCK) == 0 else {
        throw SegueError(.system, "The connection cannot be used.")
      }
    }
    reading = try loop.watch(input.raw, .readable) { [unowned self] _ in read() }
    writing = try loop.watch(output.raw, []) { [unowned self] _ in write() }
  }

  convenience init(_ loop: EventLoop, socket: FileDescriptor) throws(SegueError) {
    try self.init(loop, input: socket, output: try FileDescriptor(duplicating: socket.raw))
  }

  deinit {
    reading?.cancel()
    writing?.cancel()
  }

  /// How many bytes wait for the other end.
  var waiting: Int { queue.count - start }

  // MARK: Reading

  /// Whether it is read from.
  func setPaused(_ isPaused: Bool) {
    guard !isClosed, isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    reading?.setEvents(isPaused ? [] : .readable)
    if !isPaused { takeFrames() }
  }

  /// The oldest descriptor that came and was not taken.
  func takeDescriptor() -> FileDescriptor? { descriptors.isEmpty ? nil : descriptors.removeFirst() }

  private func read() {
    var handed: [Int32] = [-1, -1]
    var count: Int32 = 0
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let length = bytes.withUnsafeMutableBytes { buffer in
      isSocket
        ? segue_terminal_receive(input.raw, buffer.baseAddress, buffer.count, &handed, &count)
        : CLinux.read(input.raw, buffer.baseAddress, buffer.count)
    }
    for descriptor in handed.prefix(Int(count)) { descriptors.append(FileDescriptor(owning: descriptor)) }
    // The other end sends at most one message's descriptors before this end takes them.
    if descriptors.count > 2 { descriptors.removeFirst(descriptors.count - 2) }
    guard length > 0 else {
      let error = segue_errno()
      if length < 0, [EAGAIN, EINTR].contains(error) { return }
      return end(.closed)
    }
    reader.append(Array(bytes.prefix(length)))
    takeFrames()
  }

  private func takeFrames() {
    do throws(ProtocolFailure) {
      while !isClosed, !isPaused, let frame = try reader.next() { try received?(frame) }
    } catch {
      end(.violated(error))
    }
  }

  // MARK: Writing

  func send(_ frame: ShellFrame) {
    guard !isClosed, !isFinishing else { return }
    queue += frame.bytes
    write()
  }

  /// Output of any length.
  func sendOutput(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      send(SessionMessage.output(Array(rest.prefix(Limits.shellFrameLength))).frame)
      rest = rest.dropFirst(Limits.shellFrameLength)
    }
  }

  /// With descriptors, which are duplicated. False where it cannot be sent at once.
  func send(_ frame: ShellFrame, with descriptors: [FileDescriptor]) -> Bool {
    guard !isClosed, waiting == 0 else { return false }
    let bytes = frame.bytes
    let numbers = descriptors.map { $0.raw }
    return segue_terminal_send(output.raw, bytes, bytes.count, numbers, Int32(numbers.count)) == bytes.count
  }

  private func write() {
    guard !isClosed else { return }
    let before = waiting
    while waiting > 0 {
      let count = queue.withUnsafeBytes { CLinux.write(output.raw, $0.baseAddress?.advanced(by: start), waiting) }
      if count < 0 {
        let error = segue_errno()
        if error == EINTR { continue }
        if error == EAGAIN { break }
        // Frames that the other end sent before it closed are still to be read, and reading reports the end.
        queue = []
        start = 0
        writing?.setEvents([])
        return
      }
      start += count
    }
    if start == queue.count {
      queue.removeAll(keepingCapacity: queue.count < 262_144)
      start = 0
    } else if start > 262_144 {
      queue.removeFirst(start)
      start = 0
    }
    writing?.setEvents(waiting > 0 ? .writable : [])
    if waiting == 0, isFinishing { return close() }
    if waiting < before { progressed?() }
  }

  // MARK: The end

  /// Closes it when everything is written; nothing more is read.
  func finish() {
    isFinishing = true
    received = nil
    if waiting == 0 { close() }
  }

  /// Gives its descriptors away, and with them the connection, which goes on. Nil where bytes have come that were not
  /// taken, or wait to be sent: they would be missing.
  func release() -> (input: FileDescriptor, output: FileDescriptor)? {
    guard !isClosed, waiting == 0, reader.isEmpty else { return nil }
    isClosed = true
    reading?.cancel()
    writing?.cancel()
    return (FileDescriptor(owning: input.take()), FileDescriptor(owning: output.take()))
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    reading?.cancel()
    writing?.cancel()
    _ = CLinux.close(input.take())
    _ = CLinux.close(output.take())
    descriptors = []
  }

  var isOpen: Bool { !isClosed }

  private func end(_ end: End) {
    guard !isClosed else { return }
    close()
    ended?(end)
  }
}
