import CDBus
import SegueCore

/// The type codes of D-Bus; in C they are cast macros, which Swift does not import.
enum BusType {
  static let invalid: Int32 = 0
  static let byte = code("y")
  static let bool = code("b")
  static let int16 = code("n")
  static let uint16 = code("q")
  static let int32 = code("i")
  static let uint32 = code("u")
  static let int64 = code("x")
  static let uint64 = code("t")
  static let double = code("d")
  static let string = code("s")
  static let objectPath = code("o")
  static let signature = code("g")
  static let descriptor = code("h")
  static let array = code("a")
  static let variant = code("v")
  static let structure = code("r")
  static let entry = code("e")

  @inline(__always) private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(bitPattern: letter.value) }
}

/// Writes one checked value. False where memory or descriptors ran out; the message is then to be thrown away.
func write(_ value: BusValue, to iterator: inout DBusMessageIter) -> Bool {
  switch value {
  case .byte(let value): return writeBasic(BusType.byte, value, &iterator)
  case .bool(let value): return writeBasic(BusType.bool, dbus_bool_t(value ? 1 : 0), &iterator)
  case .int16(let value): return writeBasic(BusType.int16, value, &iterator)
  case .uint16(let value): return writeBasic(BusType.uint16, value, &iterator)
  case .int32(let value): return writeBasic(BusType.int32, value, &iterator)
  case .uint32(let value): return writeBasic(BusType.uint32, value, &iterator)
  case .int64(let value): return writeBasic(BusType.int64, value, &iterator)
  case .uint64(let value): return writeBasic(BusType.uint64, value, &iterator)
  case .double(let value): return writeBasic(BusType.double, value, &iterator)
  case .descriptor(let file): return writeBasic(BusType.descriptor, file.raw, &iterator)
  case .string(let string): return writeString(BusType.string, string, &iterator)
  case .objectPath(let path): return writeString(BusType.objectPath, path.string, &iterator)
  case .signature(let signature): return writeString(BusType.signature, signature, &iterator)
  case .bytes(let bytes):
    return writeContainer(BusType.array, "y", &iterator) { writeBytes(bytes, &$0) }
  case .array(let element, let elements):
    let isEntry = element.utf8.first == UInt8(ascii: "{")
    return writeContainer(BusType.array, element, &iterator) { iterator in
      for value in elements {
        if isEntry, case .structure(let members) = value {
          guard writeContainer(BusType.entry, nil, &iterator, { writeAll(members, &$0) }) else { return false }
        } else {
          guard write(value, to: &iterator) else { return false }
        }
      }
      return true
    }
  case .dictionary(let dictionary):
    return writeContainer(BusType.array, "{sv}", &iterator) { iterator in
      for entry in dictionary.entries {
        let members: [BusValue] = [.string(entry.key), .variant(entry.value)]
        guard writeContainer(BusType.entry, nil, &iterator, { writeAll(members, &$0) }) else { return false }
      }
      return true
    }
  case .structure(let members):
    return writeContainer(BusType.structure, nil, &iterator) { writeAll(members, &$0) }
  case .variant(let content):
    return writeContainer(BusType.variant, content.signature, &iterator) { write(content, to: &$0) }
  }
}

private func writeAll(_ values: [BusValue], _ iterator: inout DBusMessageIter) -> Bool {
  for value in values where !write(value, to: &iterator) { return false }
  return true
}

private func writeBasic<T: BitwiseCopyable>(_ type: Int32, _ value: T, _ iterator: inout DBusMessageIter) -> Bool {
  var value = value
  return dbus_message_iter_append_basic(&iterator, type, &value) != 0
}

private func writeString(_ type: Int32, _ string: String, _ iterator: inout DBusMessageIter) -> Bool {
  string.withCString { pointer in
    var pointer = pointer
    return dbus_message_iter_append_basic(&iterator, type, &pointer) != 0
  }
}

private func writeBytes(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) -> Bool {
  bytes.withUnsafeBufferPointer { buffer in
    guard var start = buffer.baseAddress, buffer.count > 0 else { return true }
    return dbus_message_iter_append_fixed_array(
      &iterator, BusType.byte, &start, Int32(truncatingIfNeeded: buffer.count)) != 0
  }
}

private func writeContainer(
  _ type: Int32, _ signature: String?, _ iterator: inout DBusMessageIter,
  _ body: (inout DBusMessageIter) -> Bool
) -> Bool {
  var inner = DBusMessageIter()
  let opened: dbus_bool_t
  if let signature {
    opened = dbus_message_iter_open_container(&iterator, type, signature, &inner)
  } else {
    opened = dbus_message_iter_open_container(&iterator, type, nil, &inner)
  }
  guard opened != 0 else { return false }
  guard body(&inner) else {
    dbus_message_iter_abandon_container(&iterator, &inner)
    return false
  }
  return dbus_message_iter_close_container(&iterator, &inner) != 0
}
