import CLinux
import SegueBus
import SegueCore

/// One application's ends of a stream: it reads from one, and writes to the other. They are closed if they are not
/// taken.
public struct StreamPair {
  public let input: FileDescriptor
  public let output: FileDescriptor
  /// The input's inode, by which the daemon names the stream.
  let inode: UInt64
  /// Whether its bytes pass through the daemon, so that the stream ends with the daemon.
  let isThroughDaemon: Bool

  /// Takes the two descriptors that came through the door, input first. Throws `protocolViolation` for any others: the
  /// application must get only descriptors that behave as a stream does.
  init(_ values: [BusValue]) throws(SegueError) {
    guard values.count == 2, let input = values[0].asDescriptor, let output = values[1].asDescriptor,
      let source = StreamEnd(input), let sink = StreamEnd(output), source.canOnlyBeRead, sink.canOnlyBeWritten,
      source.inode != sink.inode
    else { throw SegueError(.protocolViolation, "What the daemon sent is not a stream.") }
    self.input = input
    self.output = output
    inode = source.inode
    isThroughDaemon = source.isSocket
  }

  /// Hands both over: the caller closes them, and may ask `StreamEnds` why the stream ended.
  public func take() -> (input: Int32, output: Int32) {
    StreamLosses.shared.opened(inode)
    return (input.take(), output.take())
  }
}

/// The kernel's information on one descriptor.
private struct StreamEnd {
  let inode: UInt64
  private let kind: mode_t
  private let flags: Int32
  private let raw: Int32

  /// Nil for a descriptor whose status cannot be read.
  init?(_ file: FileDescriptor) {
    guard let status = file.status else { return nil }
    raw = file.raw
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    kind = status.st_mode & mode_t(S_IFMT)
    flags = segue_fcntl(raw, F_GETFL, 0)
    guard flags >= 0, flags & O_NONBLOCK == 0 else { return nil }
  }

  var canOnlyBeRead: Bool {
    kind == mode_t(S_IFIFO) && flags & O_ACCMODE == O_RDONLY || isSocket && isStreamSocket
  }

  var isSocket: Bool { kind == mode_t(S_IFSOCK) }

  var canOnlyBeWritten: Bool { kind == mode_t(S_IFIFO) && flags & O_ACCMODE == O_WRONLY }

  private var isStreamSocket: Bool {
    option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == segue_stream_socket
  }

  private func option(_ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(raw, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
