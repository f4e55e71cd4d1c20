import CFFI
import CLinux
import CSegue
import SegueCore

/// A function of a plugin that takes values: a property's setter, or the restore function, which takes several.
final class PluginSetter {
  let function: PluginFunction
  private let types: [PluginType]

  convenience init(_ code: @escaping PluginFunction.Code, _ types: [PluginType]) throws(SegueError) {
    var parameters = [segue_ffi_pointer()]
    for type in types { parameters += type.parameters }
    self.init(try PluginFunction(code, parameters: parameters, result: segue_ffi_int32()), types)
  }

  private init(_ function: PluginFunction, _ types: [PluginType]) {
    self.function = function
    self.types = types
  }

  /// Calls the function with values that fit its types; returns its result.
  func call(_ object: UnsafeMutableRawPointer?, _ value: (Int) -> Value) -> Int32 {
    PluginArguments.with(types: types.count) { arguments in
      arguments.append(object)
      var place = 0
      for type in types {
        arguments.append(value(place), as: type)
        place &+= 1
      }
      return Int32(truncatingIfNeeded: arguments.call(function))
    }
  }
}

/// The arguments of one call: a cell for each C parameter, and the memory to which cells point, for the time of the
/// call.
struct PluginArguments: ~Copyable {
  private let cells: UnsafeMutablePointer<UInt64>
  private let places: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The cells in use: those of parameters from the start, the values of optional ones from the end.
  private var count = 0
  private var end: Int
  private var memory: [UnsafeMutableRawPointer] = []
  private var values: [ValueHandle] = []

  /// Makes room on the stack for an object and that many types.
  static func with<T>(types: Int, _ body: (inout PluginArguments) -> T) -> T {
    // An array has two parameters; an optional scalar has one, and the value to which that points.
    let capacity = 1 &+ 2 &* types
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 &* capacity) { room in
      guard let base = room.baseAddress else { fatalError("An allocation has no address.") }
      return UnsafeMutableRawPointer(base + capacity).withMemoryRebound(
        to: UnsafeMutableRawPointer?.self, capacity: capacity
      ) { places in
        var arguments = PluginArguments(cells: base, places: places, end: capacity)
        return body(&arguments)
      }
    }
  }

  private init(
    cells: UnsafeMutablePointer<UInt64>, places: UnsafeMutablePointer<UnsafeMutableRawPointer?>, end: Int
  ) {
    self.cells = cells
    self.places = places
    self.end = end
  }

  deinit { for block in memory { free(block) } }

  /// Calls a function with the appended arguments; returns the result's first register.
  func call(_ function: PluginFunction) -> UInt64 {
    var result: (UInt64, UInt64) = (0, 0)
    withUnsafeMutablePointer(to: &result) { function.call(places, result: $0) }
    return result.0
  }

  mutating func append(_ pointer: UnsafeRawPointer?) {
    next().storeBytes(of: UInt(bitPattern: pointer), as: UInt.self)
  }

  /// `value` fits the type: `objection` has none.
  mutating func append(_ value: Value, as type: PluginType) {
    if type.isArray {
      appendArray(value, type)
    } else if case .null = value, type.element != .value {
      append(nil as UnsafeRawPointer?)
    } else if type.isOptional, !type.element.isPointer {
      end &-= 1
      let target = UnsafeMutableRawPointer(cells + end)
      store(value, type.element, target)
      append(target)
    } else {
      store(value, type.element, next())
    }
  }

  private mutating func next() -> UnsafeMutableRawPointer {
    let cell = UnsafeMutableRawPointer(cells + count)
    (places + count).initialize(to: cell)
    count &+= 1
    return cell
  }

  private mutating func appendArray(_ value: Value, _ type: PluginType) {
    var length = 0
    var block: UnsafeMutableRawPointer?
    if case .data(let bytes) = value {
      length = bytes.count
      block = allocate(length)
      bytes.withUnsafeBytes { from in
        if let block, let base = from.baseAddress { block.copyMemory(from: base, byteCount: from.count) }
      }
    } else if case .array(let elements) = value {
      length = elements.count
      block = allocate(length &* type.element.stride)
      var place = 0
      for element in elements {
        if let block { store(element, type.element, block + place) }
        place &+= type.element.stride
      }
    }
    append(block)
    next().storeBytes(of: UInt(bitPattern: length), as: UInt.self)
  }

  /// Memory for the call; an empty array has an address too, since only a missing one has none.
  private mutating func allocate(_ length: Int) -> UnsafeMutableRawPointer {
    let block = UnsafeMutableRawPointer(CText.allocate(max(length, 1)))
    memory.append(block)
    return block
  }

  private mutating func store(_ value: Value, _ element: PluginType.Element, _ cell: UnsafeMutableRawPointer) {
    switch element {
    case .bool: cell.storeBytes(of: value.bool == true ? 1 : 0, as: UInt8.self)
    case .int8, .uint8: cell.storeBytes(of: UInt8(truncatingIfNeeded: value.integer ?? 0), as: UInt8.self)
    case .int16, .uint16: cell.storeBytes(of: UInt16(truncatingIfNeeded: value.integer ?? 0), as: UInt16.self)
    case .int32, .uint32: cell.storeBytes(of: UInt32(truncatingIfNeeded: value.integer ?? 0), as: UInt32.self)
    case .int64, .uint64: cell.storeBytes(of: value.integer ?? 0, as: Int64.self)
    case .float: cell.storeBytes(of: Float(value.number ?? 0), as: Float.self)
    case .double: cell.storeBytes(of: value.number ?? 0, as: Double.self)
    case .date: cell.storeBytes(of: value.date ?? 0, as: Double.self)
    case .string, .url:
      let text = UnsafeMutableRawPointer(CText.copy(value.string ?? value.url ?? ""))
      memory.append(text)
      cell.storeBytes(of: UInt(bitPattern: text), as: UInt.self)
    case .value:
      let handle = ValueHandle(lending: value)
      values.append(handle)
      cell.storeBytes(of: UInt(bitPattern: Unmanaged<Handle>.passUnretained(handle).toOpaque()), as: UInt.self)
    }
  }
}
