import CFFI
import CLinux
import CSegue
import SegueCore

/// A function of a plugin that returns a property's value.
final class PluginGetter {
  private let function: PluginFunction
  private let type: PluginType
  private let freeResult: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  convenience init(
    _ code: @escaping PluginFunction.Code, _ type: PluginType,
    freeResult: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) throws(SegueError) {
    let parameters = type.isArray ? [segue_ffi_pointer(), segue_ffi_pointer()] : [segue_ffi_pointer()]
    self.init(try PluginFunction(code, parameters: parameters, result: type.result), type, freeResult)
  }

  private init(
    _ function: PluginFunction, _ type: PluginType, _ freeResult: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) {
    self.function = function
    self.type = type
    self.freeResult = freeResult
  }

  /// The value, null for one that is absent. Throws `pluginFailed` for a result that is no value of the type.
  func call(_ object: UnsafeMutableRawPointer?) throws(SegueError) -> Value {
    var count = 0
    let register = withUnsafeMutablePointer(to: &count) { count in
      PluginArguments.with(types: 1) { arguments in
        arguments.append(object)
        if type.isArray { arguments.append(UnsafeRawPointer(count)) }
        return arguments.call(function)
      }
    }
    guard type.isArray || type.isOptional || type.element.isPointer else {
      return try Self.scalar(type.element, register)
    }
    let pointer = UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: register))
    defer { if let pointer { freeResult?(pointer) } }
    return try value(at: pointer, count: count)
  }

  private func value(at pointer: UnsafeMutableRawPointer?, count: Int) throws(SegueError) -> Value {
    guard let pointer else {
      if type.mayBeAbsent { return .null }
      if type.isArray, count == 0 { return type.isData ? .data([]) : .array([]) }
      throw Self.failure("its getter returned NULL")
    }
    if type.isArray { return try array(at: pointer, count: count) }
    if type.element.isPointer { return try Self.pointee(type.element, pointer) }
    return try Self.scalar(type.element, at: pointer)
  }

  private func array(at pointer: UnsafeMutableRawPointer, count: Int) throws(SegueError) -> Value {
    let maximum = type.isData ? Limits.valueLength : Limits.pluginElements
    guard count >= 0, count <= maximum else {
      throw Self.failure("its getter returned \(UInt(bitPattern: count)) elements, more than \(maximum)")
    }
    if type.isData { return .data(Array(UnsafeRawBufferPointer(start: pointer, count: count))) }
    var elements: [Value] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      let place = pointer + index &* type.element.stride
      if type.element == .string {
        guard let text = place.loadUnaligned(as: UnsafeMutableRawPointer?.self) else {
          throw Self.failure("its getter returned NULL at \(index)")
        }
        elements.append(try Self.pointee(.string, text))
      } else {
        elements.append(try Self.scalar(type.element, at: place))
      }
    }
    return .array(elements)
  }

  /// A string, URL or value that the plugin points to.
  private static func pointee(
    _ element: PluginType.Element, _ pointer: UnsafeMutableRawPointer
  ) throws(SegueError) -> Value {
    if element == .value {
      let handle = Unmanaged<Handle>.fromOpaque(pointer).takeUnretainedValue()
      guard handle.kind == .value else { throw failure("its getter returned no value") }
      return unsafeDowncast(handle, to: ValueHandle.self).value
    }
    guard let text = CText.string(pointer.assumingMemoryBound(to: CChar.self)) else {
      throw failure("its getter returned text that is not UTF-8, or has more than \(Limits.valueLength) bytes")
    }
    guard element == .url else { return .string(text) }
    guard Value.isURL(text) else { throw failure("its getter returned text that is not a URL") }
    return .url(text)
  }

  /// A scalar in memory, in its own width.
  private static func scalar(
    _ element: PluginType.Element, at place: UnsafeRawPointer
  ) throws(SegueError) -> Value {
    switch element {
    case .bool: return .bool(place.load(as: UInt8.self) != 0)
    case .int8: return .integer(Int64(place.load(as: Int8.self)))
    case .uint8: return .integer(Int64(place.load(as: UInt8.self)))
    case .int16: return .integer(Int64(place.loadUnaligned(as: Int16.self)))
    case .uint16: return .integer(Int64(place.loadUnaligned(as: UInt16.self)))
    case .int32: return .integer(Int64(place.loadUnaligned(as: Int32.self)))
    case .uint32: return .integer(Int64(place.loadUnaligned(as: UInt32.self)))
    case .int64: return .integer(place.loadUnaligned(as: Int64.self))
    case .uint64: return try unsigned(place.loadUnaligned(as: UInt64.self))
    case .float: return .double(Double(place.loadUnaligned(as: Float.self)))
    case .double: return .double(place.loadUnaligned(as: Double.self))
    case .date: return try date(place.loadUnaligned(as: Double.self))
    case .string, .url, .value: throw failure("its getter returned no scalar")
    }
  }

  /// A scalar that was returned, in a register: libffi widens integers.
  private static func scalar(_ element: PluginType.Element, _ register: UInt64) throws(SegueError) -> Value {
    switch element {
    // Only the low byte of a bool is defined.
    case .bool: return .bool(UInt8(truncatingIfNeeded: register) != 0)
    case .int8: return .integer(Int64(Int8(truncatingIfNeeded: register)))
    case .uint8: return .integer(Int64(UInt8(truncatingIfNeeded: register)))
    case .int16: return .integer(Int64(Int16(truncatingIfNeeded: register)))
    case .uint16: return .integer(Int64(UInt16(truncatingIfNeeded: register)))
    case .int32: return .integer(Int64(Int32(truncatingIfNeeded: register)))
    case .uint32: return .integer(Int64(UInt32(truncatingIfNeeded: register)))
    case .int64: return .integer(Int64(bitPattern: register))
    case .uint64: return try unsigned(register)
    case .float: return .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: register))))
    case .double: return .double(Double(bitPattern: register))
    case .date: return try date(Double(bitPattern: register))
    case .string, .url, .value: throw failure("its getter returned no scalar")
    }
  }

  private static func date(_ seconds: Double) throws(SegueError) -> Value {
    guard seconds.isFinite else { throw failure("its getter returned a date that is not finite") }
    return .date(seconds)
  }

  private static func unsigned(_ integer: UInt64) throws(SegueError) -> Value {
    guard let integer = Int64(exactly: integer) else {
      throw failure("its getter returned \(integer), and an integer in userInfo has 63 bits and a sign")
    }
    return .integer(integer)
  }

  private static func failure(_ what: String) -> SegueError { SegueError(.pluginFailed, what) }
}
