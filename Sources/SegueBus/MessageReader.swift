import CDBus
import SegueCore

/// Reads the arguments of a message within limits. libdbus has checked the message's form; this bounds its depth, its
/// number of values and its descriptors.
struct MessageReader {
  private var values = 0
  private var descriptors = 0

  /// All values from the iterator's place to the end of its container.
  mutating func all(_ iterator: inout DBusMessageIter, depth: Int = 0) throws(SegueError) -> [BusValue] {
    var values: [BusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != BusType.invalid {
      values.append(try value(&iterator, depth: depth))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private mutating func value(_ iterator: inout DBusMessageIter, depth: Int) throws(SegueError) -> BusValue {
    values &+= 1
    guard depth <= Limits.messageDepth, values <= Limits.messageValues else {
      throw SegueError(.limitExceeded, "A bus message is nested too deep, or has too many values.")
    }
    switch dbus_message_iter_get_arg_type(&iterator) {
    case BusType.byte: return .byte(basic(&iterator, 0))
    case BusType.bool: return .bool(basic(&iterator, dbus_bool_t(0)) != 0)
    case BusType.int16: return .int16(basic(&iterator, 0))
    case BusType.uint16: return .uint16(basic(&iterator, 0))
    case BusType.int32: return .int32(basic(&iterator, 0))
    case BusType.uint32: return .uint32(basic(&iterator, 0))
    case BusType.int64: return .int64(basic(&iterator, 0))
    case BusType.uint64: return .uint64(basic(&iterator, 0))
    case BusType.double: return .double(basic(&iterator, 0))
    case BusType.string: return .string(string(&iterator))
    case BusType.signature: return .signature(string(&iterator))
    case BusType.objectPath:
      guard let path = ObjectPath(string(&iterator)) else { throw malformed("An object path is too long.") }
      return .objectPath(path)
    case BusType.descriptor:
      return .descriptor(try descriptor(&iterator))
    case BusType.variant:
      guard let content = try inner(&iterator, depth).first else { throw malformed("A variant is empty.") }
      return .variant(content)
    case BusType.structure:
      return .structure(try inner(&iterator, depth))
    case BusType.array:
      return try array(&iterator, depth)
    default:
      throw malformed("A bus message has a value of an unknown type.")
    }
  }

  private mutating func array(_ iterator: inout DBusMessageIter, _ depth: Int) throws(SegueError) -> BusValue {
    let element = dbus_message_iter_get_element_type(&iterator)
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    if element == BusType.byte {
      // In an empty array this type is the end of the array.
      guard dbus_message_iter_get_arg_type(&inner) == BusType.byte else { return .bytes([]) }
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      dbus_message_iter_get_fixed_array(&inner, &start, &count)
      return .bytes([UInt8](UnsafeBufferPointer(start: start, count: start == nil ? 0 : max(0, Int(count)))))
    }
    let signature = elementSignature(&iterator)
    guard element == BusType.entry else {
      return .array(elementSignature: signature, try all(&inner, depth: depth &+ 1))
    }
    var entries: [BusValue] = []
    var named: [(String, BusValue)] = []
    while dbus_message_iter_get_arg_type(&inner) == BusType.entry {
      // As its writer does, this counts neither the key of an entry of a{sv} nor the variant around its value.
      if signature == "{sv}" { values &-= 2 }
      let members = try self.inner(&inner, depth &+ 1)
      if signature == "{sv}", members.count == 2, case .string(let key) = members[0],
        case .variant(let value) = members[1]
      {
        named.append((key, value))
      } else {
        entries.append(.structure(members))
      }
      dbus_message_iter_next(&inner)
    }
    if signature == "{sv}" { return .dictionary(BusDictionary(named)) }
    return .array(elementSignature: signature, entries)
  }

  private mutating func inner(_ iterator: inout DBusMessageIter, _ depth: Int) throws(SegueError) -> [BusValue] {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    return try all(&inner, depth: depth &+ 1)
  }

  private func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ zero: T) -> T {
    var value = zero
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private func string(_ iterator: inout DBusMessageIter) -> String {
    // Borrowed from the message; libdbus has checked that it is UTF-8.
    let pointer: UnsafePointer<CChar>? = basic(&iterator, nil)
    return pointer.map { String(cString: $0) } ?? ""
  }

  private mutating func descriptor(_ iterator: inout DBusMessageIter) throws(SegueError) -> FileDescriptor {
    descriptors &+= 1
    guard descriptors <= Limits.descriptorsPerMessage else {
      throw SegueError(.limitExceeded, "A bus message has more than \(Limits.descriptorsPerMessage) descriptors.")
    }
    // The descriptor is a duplicate, which we close.
    let file = FileDescriptor(owning: basic(&iterator, Int32(-1)))
    guard file.raw >= 0 else { throw SegueError(.system, "A received descriptor cannot be duplicated.") }
    return file
  }

  private func elementSignature(_ iterator: inout DBusMessageIter) -> String {
    guard let pointer = dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { dbus_free(pointer) }
    return String(String(cString: pointer).dropFirst())
  }

  private func malformed(_ message: String) -> SegueError { SegueError(.invalidArgument, message) }
}
