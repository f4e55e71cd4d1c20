import CLinux
import SegueBus
import SegueCore

/// A stream between two applications of this device. Its bytes do not pass here: only that it is over is looked for.
struct LocalStream {
  /// The pair of the application that asks, until it is told.
  var pair: StreamDescriptors?
  /// The input of the application that has the activity.
  let inode: UInt64?
  /// Stand for both pipes, and keep no end of them open.
  private let there: FileDescriptor
  private let back: FileDescriptor

  /// Also gives the pair of the application that has the activity. Throws `.system`.
  static func make() throws(SegueError) -> (stream: LocalStream, other: StreamDescriptors) {
    let (one, other) = try StreamEnds.local()
    let there = segue_open_path(one.input.raw)
    let back = segue_open_path(other.input.raw)
    let paths = (FileDescriptor(owning: there), FileDescriptor(owning: back))
    guard there >= 0, back >= 0 else {
      throw SegueError(.system, "No descriptors are left for a stream: error \(segue_errno()).")
    }
    return (LocalStream(pair: one, inode: other.inode, there: paths.0, back: paths.1), other)
  }

  /// Whether one application has closed both of its descriptors, or nothing more is written or read.
  var isOver: Bool {
    let reads = (segue_pipe_has_reader(there.raw) != 0, segue_pipe_has_reader(back.raw) != 0)
    let writes = (segue_pipe_has_writer(there.raw) != 0, segue_pipe_has_writer(back.raw) != 0)
    return !reads.0 && !reads.1 || !writes.0 && !writes.1 || !reads.0 && !writes.1 || !reads.1 && !writes.0
  }
}
