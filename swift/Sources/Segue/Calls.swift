import CSegueLibrary
import Foundation

/// Throws what a result of the library says; outcomes, which are positive, are returned.
/// - Parameter path: the keys that lead to the value in question.
@discardableResult
func check(_ result: Int32, at path: [String] = []) throws -> Int32 {
  guard result < 0 else { return result }
  throw SegueError(result: result, at: path)
}

/// The same for a call that gives an error of its own.
func check(_ body: (UnsafeMutablePointer<OpaquePointer?>) throws -> Int32) throws {
  var error: OpaquePointer?
  let result = try body(&error)
  defer { segue_error_unref(error) }
  guard result < 0 else { return }
  throw error.map { SegueError.of($0) } ?? SegueError(result: result)
}

/// The content of an out-parameter after a call, `absent` where that failed.
func read<T>(_ absent: T, _ body: (UnsafeMutablePointer<T>) -> Int32) -> T {
  var value = absent
  return body(&value) < 0 ? absent : value
}

/// Sixteen bytes, as an id or a UUID has them.
func readBytes(_ body: (UnsafeMutablePointer<UInt8>) -> Int32) -> uuid_t {
  var bytes = [UInt8](repeating: 0, count: 16)
  _ = bytes.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(body) }
  return bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
}

func withBytes<R>(of uuid: UUID, _ body: (UnsafePointer<UInt8>) -> R) -> R {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { buffer in
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    _ = buffer.initialize(from: bytes)
    // A buffer of sixteen bytes has an address.
    return body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
  }
}

/// Text for C. A NUL inside would cut it there, and is an error.
func withText<R>(_ text: String, at path: [String] = [], _ body: (UnsafePointer<CChar>) throws -> R) throws -> R {
  guard !text.utf8.contains(0) else { throw SegueError(.invalidArgument, "The text has a NUL inside.", at: path) }
  return try text.withCString(body)
}

/// The same for text that may be absent.
func withOptionalText<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) throws -> R) throws -> R {
  guard let text else { return try body(nil) }
  return try withText(text) { try body($0) }
}

/// Several texts, as an array of C's.
func withTexts<R>(
  _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>>?, Int) throws -> R
) throws -> R {
  var copies: [UnsafePointer<CChar>] = []
  defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
  for text in texts {
    try withText(text) { pointer in
      guard let copy = strdup(pointer) else { throw SegueError(.system, "There is no memory.") }
      copies.append(UnsafePointer(copy))
    }
  }
  return try copies.withUnsafeBufferPointer { try body(texts.isEmpty ? nil : $0.baseAddress, $0.count) }
}

/// Text that belongs to the caller of the library; nil where there is none.
func takeText(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard body(&text) >= 0, let text else { return nil }
  defer { segue_free(text) }
  return String(cString: text)
}

/// Several texts in one block that belongs to the caller.
func takeTexts(
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>?>, UnsafeMutablePointer<Int>) -> Int32
) -> [String]? {
  var texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>?
  var count = 0
  guard body(&texts, &count) >= 0, let texts else { return nil }
  defer { segue_free(texts) }
  return UnsafeBufferPointer(start: texts, count: count).map { String(cString: $0) }
}

/// Text that is borrowed from an object.
func borrowed(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
