import CLinux
import SegueBus
import SegueCore

/// The two descriptors of one application.
struct StreamDescriptors {
  let input: FileDescriptor
  let output: FileDescriptor

  /// Names the stream for its application; nil where the input is not to be looked at.
  var inode: UInt64? { input.status.map { UInt64(truncatingIfNeeded: $0.st_ino) } }
}

/// The ends of one stream to another device: the application's pair, and what this daemon writes to and reads from.
///
/// The input is a socket, since a pipe cannot tell its reader that it ended too early. The kernel does that for a
/// socket whose other end is closed with an unread byte in it, whether this daemon closes it or dies. The reader then
/// gets the bytes that have arrived, and ECONNRESET after them. The application's end writes that byte before its
/// sending direction is shut down.
struct StreamEnds {
  let pair: StreamDescriptors
  let sink: FileDescriptor
  let source: FileDescriptor

  /// Throws `.system` where no descriptors are left.
  init() throws(SegueError) {
    let pipe = try Self.two(segue_pipe)
    let sockets = try Self.two(segue_socket_pair)
    pair = StreamDescriptors(input: sockets[0], output: pipe[1])
    sink = sockets[1]
    source = pipe[0]
    Self.widen(pipe: source)
    var size = Int32(Limits.streamPipeBytes)
    _ = setsockopt(sink.raw, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    guard pair.input.put([0]), shutdown(pair.input.raw, Int32(SHUT_WR)) == 0, Self.setNonBlocking(source),
      Self.setNonBlocking(sink)
    else { throw Self.refused }
  }

  /// A pipe for each direction, without the daemon between.
  static func local() throws(SegueError) -> (one: StreamDescriptors, other: StreamDescriptors) {
    let (there, back) = (try two(segue_pipe), try two(segue_pipe))
    for pipe in [there[0], back[0]] { widen(pipe: pipe) }
    return (StreamDescriptors(input: there[0], output: back[1]), StreamDescriptors(input: back[0], output: there[1]))
  }

  /// F_SETPIPE_SZ of linux/fcntl.h.
  private static let setPipeSize: Int32 = 1031

  /// Widens the pipe, so that its writer and reader wake each other less often. The kernel limits each user's pipe
  /// pages; beyond that limit the pipe keeps its first size.
  private static func widen(pipe: FileDescriptor) {
    _ = segue_fcntl(pipe.raw, setPipeSize, Int32(Limits.streamPipeBytes))
  }

  private static func two(
    _ make: (UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(SegueError) -> [FileDescriptor] {
    var ends: [Int32] = [-1, -1]
    guard make(&ends) == 0 else { throw refused }
    return ends.map { FileDescriptor(owning: $0) }
  }

  /// Sets this end alone: the other end has a file description of its own.
  private static func setNonBlocking(_ file: FileDescriptor) -> Bool {
    let flags = segue_fcntl(file.raw, F_GETFL, 0)
    return flags >= 0 && segue_fcntl(file.raw, F_SETFL, flags | O_NONBLOCK) == 0
  }

  private static var refused: SegueError {
    SegueError(.system, "No descriptors are left for a stream: error \(segue_errno()).")
  }
}
