import CLinux
import SegueCore

/// A C string: NUL at the end, at one address for as long as the object lives.
public final class CText: @unchecked Sendable {
  public let pointer: UnsafePointer<CChar>

  public init(_ string: String) { pointer = UnsafePointer(CText.copy(string)) }

  deinit { free(UnsafeMutablePointer(mutating: pointer)) }

  /// A copy that the caller gives back with free().
  public static func copy(_ string: String) -> UnsafeMutablePointer<CChar> {
    var string = string
    return string.withUTF8 { utf8 in
      let copy = UnsafeMutablePointer<CChar>.allocateC(utf8.count &+ 1)
      UnsafeMutableRawBufferPointer(start: copy, count: utf8.count).copyMemory(from: UnsafeRawBufferPointer(utf8))
      copy[utf8.count] = 0
      return copy
    }
  }

  /// Text from C. Throws `invalidArgument` for NULL and for malformed UTF-8, `limitExceeded` for more than a value may
  /// have.
  public static func read(_ pointer: UnsafePointer<CChar>?) throws(SegueError) -> String {
    // Through an integer: a header may say that the pointer is not NULL, and the caller ignore that.
    guard let pointer = UnsafePointer<UInt8>(bitPattern: UInt(bitPattern: pointer)) else {
      throw SegueError(.invalidArgument, "A text is NULL.")
    }
    let length = strnlen(UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self), Limits.valueLength &+ 1)
    guard length <= Limits.valueLength else {
      throw SegueError(.limitExceeded, "A text is longer than \(Limits.valueLength) bytes.")
    }
    let bytes = UnsafeBufferPointer(start: pointer, count: length)
    guard TextCheck.validUTF8(bytes) else { throw SegueError(.invalidArgument, "A text is not UTF-8.") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Text from a plugin; nil where `read` throws.
  public static func string(_ pointer: UnsafePointer<CChar>?) -> String? { try? read(pointer) }

  /// The system's message for a negative errno.
  static func message(ofErrno result: Int32) -> String {
    // The number -2^31 has no positive counterpart.
    string(strerror(0 &- result)) ?? "error \(result)"
  }

  /// Memory of C's allocator.
  static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt8> { .allocateC(count) }

  /// A copy of bytes that the caller gives back with free().
  public static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
    let copy = UnsafeMutablePointer<UInt8>.allocateC(max(bytes.count, 1))
    bytes.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { copy.initialize(from: base, count: buffer.count) }
    }
    return copy
  }

  /// A copy of pointers that the caller gives back with free().
  public static func array<Pointee>(
    _ pointers: [UnsafeMutablePointer<Pointee>]
  )
    -> UnsafeMutablePointer<UnsafeMutablePointer<Pointee>>
  {
    let copy = UnsafeMutablePointer<UnsafeMutablePointer<Pointee>>.allocateC(max(pointers.count, 1))
    for index in pointers.indices { (copy + index).initialize(to: pointers[index]) }
    return copy
  }

  /// Copies in one block, that the caller gives back with one free(): pointers, and the texts behind them.
  public static func copy(_ strings: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>> {
    let head = strings.count &* MemoryLayout<UnsafeMutablePointer<CChar>>.stride
    let length = strings.reduce(head) { $0 &+ $1.utf8.count &+ 1 }
    let block = UnsafeMutableRawPointer(UnsafeMutablePointer<UInt8>.allocateC(max(length, 1)))
    let pointers = block.assumingMemoryBound(to: UnsafeMutablePointer<CChar>.self)
    var text = (block + head).assumingMemoryBound(to: CChar.self)
    var index = 0
    for string in strings {
      (pointers + index).initialize(to: text)
      index &+= 1
      for byte in string.utf8 {
        text.initialize(to: CChar(bitPattern: byte))
        text += 1
      }
      text.initialize(to: 0)
      text += 1
    }
    return pointers
  }
}

extension UnsafeMutablePointer {
  /// Memory of C's allocator, since C gives it back. Without memory the process cannot go on, as in all of Swift.
  fileprivate static func allocateC(_ count: Int) -> UnsafeMutablePointer<Pointee> {
    guard let memory = malloc(count &* MemoryLayout<Pointee>.stride) else { fatalError("Out of memory.") }
    return memory.bindMemory(to: Pointee.self, capacity: count)
  }
}
