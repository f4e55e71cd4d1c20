import CLinux
import SegueBus
import SegueCore

/// One application's ends of a stream: it reads from one, and writes to the other. Closed where nobody takes them.
public struct StreamPair {
  public let input: FileDescriptor
  public let output: FileDescriptor
  /// The input's, by which the daemon names the stream.
  let inode: UInt64
  /// Whether its bytes pass through the daemon, so that it ends with it.
  let isThroughDaemon: Bool

  /// What came through the door, input first. Throws `protocolViolation` for anything but what was agreed: the
  /// application is to get nothing that does not behave as a stream does.
  init(_ values: [BusValue]) throws(SegueError) {
    guard values.count == 2, let input = values[0].asDescriptor, let output = values[1].asDescriptor,
      let source = StreamEnd(input), let sink = StreamEnd(output), source.canOnlyBeRead, sink.canOnlyBeWritten,
      source.inode != sink.inode
    else { throw SegueError(.protocolViolation, "What the daemon sent is no stream.") }
    self.input = input
    self.output = output
    inode = source.inode
    isThroughDaemon = source.isSocket
  }

  /// Hands both over, to be closed by the caller, who may then ask what became of the stream.
  public func take() -> (input: Int32, output: Int32) {
    StreamLosses.shared.opened(inode)
    return (input.take(), output.take())
  }
}

/// What the kernel says of one descriptor.
private struct StreamEnd {
  let inode: UInt64
  private let kind: mode_t
  private let flags: Int32
  private let raw: Int32

  /// Nil for one that is not to be looked at.
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
