import Glibc
import SegueCore

/// An environment variable that is set and not empty.
public func environment(_ name: String) -> String? {
  guard let value = getenv(name), value[0] != 0 else { return nil }
  return TextCheck.string(Array(UnsafeBufferPointer(start: value, count: strlen(value))).map { UInt8(bitPattern: $0) })
}
