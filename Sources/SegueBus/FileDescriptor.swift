import CLinux
import SegueCore
import Synchronization

/// A descriptor that is closed with its last reference. Any thread.
public final class FileDescriptor: Sendable, Equatable {
  private let number: Atomic<Int32>

  /// Owns `descriptor` from now on.
  public init(owning descriptor: Int32) { number = Atomic(descriptor) }

  /// Owns a new descriptor of the same open file. Throws `.system` if the system gives none.
  public convenience init(duplicating descriptor: Int32) throws(SegueError) {
    let copy = segue_fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw SegueError(.system, "The descriptor cannot be duplicated: error \(segue_errno()).") }
    self.init(owning: copy)
  }

  deinit {
    let descriptor = take()
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// The number, still owned by this object; -1 after `take()`.
  public var raw: Int32 { number.load(ordering: .acquiring) }

  /// Hands the descriptor over: the caller closes it. -1 if that was done before.
  public func take() -> Int32 { number.exchange(-1, ordering: .acquiringAndReleasing) }

  /// Whether both are the same object; two descriptors of one file are not equal.
  public static func == (left: FileDescriptor, right: FileDescriptor) -> Bool { left === right }
}
