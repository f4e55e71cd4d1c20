import Glibc
import SegueBus

// The descriptors that system calls return.

extension FileDescriptor {
  /// Owns the descriptor that a call returned; nil if the call failed, with errno unchanged.
  public convenience init?(_ result: Int32) {
    guard result >= 0 else { return nil }
    self.init(owning: result)
  }

  /// Opens the entry `name` of this directory, with flags of open(2). Child programs do not inherit the descriptor. Nil
  /// if the call fails, with errno set.
  public func open(_ name: String, _ flags: Int32, mode: mode_t = 0) -> FileDescriptor? {
    FileDescriptor(openat(raw, name, flags | O_CLOEXEC, mode))
  }
}
