import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/value.h

public typealias OutValue = UnsafeMutablePointer<UnsafeMutablePointer<segue_value>?>

// Values from C, for the kinds that do not take every number or text; nil for one that the kind does not take.
extension Value {
  /// Throws `limitExceeded` for more than a value may have.
  static func data(from bytes: UnsafeRawPointer?, _ length: Int) throws(SegueError) -> Value? {
    guard length >= 0, length == 0 || bytes != nil else { return nil }
    guard length <= Limits.valueLength else {
      throw SegueError(.limitExceeded, "Data have at most \(Limits.valueLength / 1024) KiB.")
    }
    return .data(Array(UnsafeRawBufferPointer(start: bytes, count: length)))
  }

  static func date(from seconds: Double) -> Value? { seconds.isFinite ? .date(seconds) : nil }

  /// Throws for malformed text, and for text that is too long.
  static func url(from pointer: UnsafePointer<CChar>?) throws(SegueError) -> Value? {
    let text = try requiredText(pointer)
    return isURL(text) ? .url(text) : nil
  }

  static func uuid(from bytes: UnsafePointer<UInt8>?) -> Value? {
    // Through an integer: the header says that the pointer is not NULL, but the caller may ignore that.
    guard let start = UnsafePointer<UInt8>(bitPattern: UInt(bitPattern: bytes)) else { return nil }
    return Identifier(bytes: UnsafeBufferPointer(start: start, count: 16)).map { .uuid($0) }
  }
}

private func make(_ out: OutValue, _ value: Value?) -> Int32 {
  guard !isMissing(out), let value else { return -EINVAL }
  out.pointee = owned(ValueHandle(value))
  return 0
}

@c @implementation public func segue_value_new_null(_ out_value: OutValue) -> Int32 { make(out_value, .null) }

@c @implementation public func segue_value_new_bool(_ boolean: Bool, _ out_value: OutValue) -> Int32 {
  make(out_value, .bool(boolean))
}

@c @implementation public func segue_value_new_integer(_ integer: Int64, _ out_value: OutValue) -> Int32 {
  make(out_value, .integer(integer))
}

@c @implementation public func segue_value_new_double(_ number: Double, _ out_value: OutValue) -> Int32 {
  make(out_value, .double(number))
}

@c @implementation public func segue_value_new_string(_ string: UnsafePointer<CChar>, _ out_value: OutValue) -> Int32 {
  result { () throws(SegueError) in make(out_value, .string(try requiredText(string))) }
}

@c @implementation public func segue_value_new_data(
  _ bytes: UnsafeRawPointer?, _ length: Int, _ out_value: OutValue
) -> Int32 {
  result { () throws(SegueError) in make(out_value, try .data(from: bytes, length)) }
}

@c @implementation public func segue_value_new_date(_ seconds: Double, _ out_value: OutValue) -> Int32 {
  make(out_value, .date(from: seconds))
}

@c @implementation public func segue_value_new_url(_ url: UnsafePointer<CChar>, _ out_value: OutValue) -> Int32 {
  result { () throws(SegueError) in make(out_value, try .url(from: url)) }
}

@c @implementation public func segue_value_new_uuid(_ bytes: UnsafePointer<UInt8>, _ out_value: OutValue) -> Int32 {
  make(out_value, .uuid(from: bytes))
}

@c @implementation public func segue_value_new_array(_ out_value: OutValue) -> Int32 { make(out_value, .array([])) }

@c @implementation public func segue_value_new_set(_ out_value: OutValue) -> Int32 { make(out_value, .set([])) }

@c @implementation public func segue_value_new_dictionary(_ out_value: OutValue) -> Int32 {
  make(out_value, .dictionary([:]))
}

@c @implementation public func segue_value_ref(
  _ value: UnsafeMutablePointer<segue_value>
)
  -> UnsafeMutablePointer<segue_value>
{ reference(value) }

@c @implementation public func segue_value_unref(
  _ value: UnsafeMutablePointer<segue_value>?
)
  -> UnsafeMutablePointer<segue_value>?
{ unreference(value) }

@c @implementation public func segue_value_get_kind(_ value: UnsafePointer<segue_value>) -> segue_value_kind {
  object(value)?.value.kind.rawValue ?? Refusal.badHandle
}

@c @implementation public func segue_value_is_equal(
  _ value: UnsafePointer<segue_value>, _ other: UnsafePointer<segue_value>
) -> Bool {
  guard let value = object(value), let other = object(other) else { return false }
  return value.value == other.value
}

// MARK: Scalars

/// Reads one kind of value into an out-parameter.
private func read<T>(
  _ value: UnsafePointer<segue_value>, _ out: UnsafeMutablePointer<T>, _ content: (ValueHandle) -> T?
) -> Int32 {
  guard let value = object(value), !isMissing(out) else { return -EINVAL }
  guard let content = content(value) else { return -ENXIO }
  out.pointee = content
  return 0
}

@c @implementation public func segue_value_get_bool(
  _ value: UnsafePointer<segue_value>, _ out_boolean: UnsafeMutablePointer<Bool>
) -> Int32 { read(value, out_boolean) { $0.value.bool } }

@c @implementation public func segue_value_get_integer(
  _ value: UnsafePointer<segue_value>, _ out_integer: UnsafeMutablePointer<Int64>
) -> Int32 { read(value, out_integer) { $0.value.integer } }

@c @implementation public func segue_value_get_double(
  _ value: UnsafePointer<segue_value>, _ out_number: UnsafeMutablePointer<Double>
) -> Int32 { read(value, out_number) { $0.value.number } }

@c @implementation public func segue_value_get_string(
  _ value: UnsafePointer<segue_value>, _ out_string: UnsafeMutablePointer<UnsafePointer<CChar>?>
) -> Int32 {
  read(value, out_string) { handle in
    let text: UnsafePointer<CChar>?? = handle.textPointer.map { $0 }
    return text
  }
}

@c @implementation public func segue_value_get_data(
  _ value: UnsafePointer<segue_value>, _ out_bytes: UnsafeMutablePointer<UnsafeRawPointer?>,
  _ out_length: UnsafeMutablePointer<Int>
) -> Int32 {
  guard let value = object(value), !isMissing(out_bytes), !isMissing(out_length) else { return -EINVAL }
  guard let data = value.value.data, let bytes = value.dataPointer else { return -ENXIO }
  out_bytes.pointee = UnsafeRawPointer(bytes)
  out_length.pointee = data.count
  return 0
}

@c @implementation public func segue_value_get_date(
  _ value: UnsafePointer<segue_value>, _ out_seconds: UnsafeMutablePointer<Double>
) -> Int32 { read(value, out_seconds) { $0.value.date } }

@c @implementation public func segue_value_get_uuid(
  _ value: UnsafePointer<segue_value>, _ out_bytes: UnsafeMutablePointer<UInt8>
) -> Int32 {
  guard let value = object(value), !isMissing(out_bytes) else { return -EINVAL }
  guard let uuid = value.value.uuid else { return -ENXIO }
  out_bytes.update(from: uuid.bytes, count: 16)
  return 0
}

// MARK: Containers

@c @implementation public func segue_value_get_count(
  _ container: UnsafePointer<segue_value>, _ out_count: UnsafeMutablePointer<Int>
) -> Int32 {
  read(container, out_count) { handle in
    handle.value.array?.count ?? handle.value.set?.count ?? handle.value.dictionary?.count
  }
}

@c @implementation public func segue_value_append(
  _ container: UnsafeMutablePointer<segue_value>, _ element: UnsafePointer<segue_value>
) -> Int32 {
  guard let container = object(container), let element = object(element)?.value else { return -EINVAL }
  guard container.value.kind == .array || container.value.kind == .set else { return -ENXIO }
  guard !container.isLent else { return -EROFS }
  guard !element.isDeeper(than: Limits.valueDepth) else { return -E2BIG }
  container.change { value in
    switch value {
    case .array(var elements):
      value = .null  // So that the array has one owner and is not copied.
      elements.append(element)
      value = .array(elements)
    case .set(var elements):
      value = .null
      elements.insert(element)
      value = .set(elements)
    default: break
    }
  }
  return 0
}

/// Lends an element, or says that there is none.
private func lend(_ out: OutValue, _ element: ValueHandle?) -> Int32 {
  guard let element else { return -ENOENT }
  out.pointee = borrowed(element)
  return 0
}

@c @implementation public func segue_value_get_at(
  _ container: UnsafePointer<segue_value>, _ index: Int, _ out_element: OutValue
) -> Int32 {
  guard let container = object(container), !isMissing(out_element) else { return -EINVAL }
  guard container.value.kind == .array || container.value.kind == .set else { return -ENXIO }
  return lend(out_element, container.element(at: index))
}

private func set(_ dictionary: ValueHandle, _ key: Value, _ element: Value?) -> Int32 {
  guard dictionary.value.kind == .dictionary else { return -ENXIO }
  guard !dictionary.isLent else { return -EROFS }
  guard key.isKey else { return -EINVAL }
  guard element?.isDeeper(than: Limits.valueDepth) != true else { return -E2BIG }
  dictionary.change { value in
    guard case .dictionary(var entries) = value else { return }
    value = .null  // So that the dictionary has one owner and is not copied.
    entries[key] = element
    value = .dictionary(entries)
  }
  return 0
}

@c @implementation public func segue_value_set(
  _ dictionary: UnsafeMutablePointer<segue_value>, _ key: UnsafePointer<segue_value>,
  _ element: UnsafePointer<segue_value>?
) -> Int32 {
  guard let dictionary = object(dictionary), let key = object(key)?.value else { return -EINVAL }
  if element != nil, object(element) == nil { return -EINVAL }
  return set(dictionary, key, object(element)?.value)
}

@c @implementation public func segue_value_set_for_name(
  _ dictionary: UnsafeMutablePointer<segue_value>, _ name: UnsafePointer<CChar>,
  _ element: UnsafePointer<segue_value>?
) -> Int32 {
  guard let dictionary = object(dictionary) else { return -EINVAL }
  if element != nil, object(element) == nil { return -EINVAL }
  return result { () throws(SegueError) in
    set(dictionary, .string(try requiredText(name)), object(element)?.value)
  }
}

private func get(_ dictionary: UnsafePointer<segue_value>, _ key: Value?, _ out: OutValue) -> Int32 {
  guard let dictionary = object(dictionary), let key, !isMissing(out) else { return -EINVAL }
  guard dictionary.value.kind == .dictionary else { return -ENXIO }
  return lend(out, dictionary.element(for: key))
}

@c @implementation public func segue_value_get(
  _ dictionary: UnsafePointer<segue_value>, _ key: UnsafePointer<segue_value>, _ out_element: OutValue
) -> Int32 { get(dictionary, object(key)?.value, out_element) }

@c @implementation public func segue_value_get_for_name(
  _ dictionary: UnsafePointer<segue_value>, _ name: UnsafePointer<CChar>, _ out_element: OutValue
) -> Int32 {
  result { () throws(SegueError) in get(dictionary, .string(try requiredText(name)), out_element) }
}

@c @implementation public func segue_value_get_entry(
  _ dictionary: UnsafePointer<segue_value>, _ index: Int, _ out_key: OutValue, _ out_element: OutValue
) -> Int32 {
  guard let dictionary = object(dictionary), !isMissing(out_key), !isMissing(out_element) else { return -EINVAL }
  guard dictionary.value.kind == .dictionary else { return -ENXIO }
  guard let entry = dictionary.entry(at: index) else { return -ENOENT }
  out_key.pointee = borrowed(entry.key)
  out_element.pointee = borrowed(entry.element)
  return 0
}

// MARK: The encoding

@c @implementation public func segue_value_encode(
  _ value: UnsafePointer<segue_value>, _ out_bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
  _ out_length: UnsafeMutablePointer<Int>, _ out_error: OutError
) -> Int32 {
  guard let value = object(value), !isMissing(out_bytes), !isMissing(out_length) else {
    return refusedHandle(out_error)
  }
  return result(out_error) { () throws(SegueError) in
    let bytes = try CBOR.encode(value.value)
    out_bytes.pointee = UnsafeMutableRawPointer(CText.copy(bytes))
    out_length.pointee = bytes.count
    return 0
  }
}

@c @implementation public func segue_value_decode(
  _ bytes: UnsafeRawPointer, _ length: Int, _ out_value: OutValue, _ out_error: OutError
) -> Int32 {
  guard let start = UnsafeRawPointer(bitPattern: UInt(bitPattern: bytes)), length >= 0, !isMissing(out_value) else {
    return refusedHandle(out_error)
  }
  guard length <= Limits.decodedLength else {
    return refused(.protocolViolation, out_error, "An encoded value has at most \(Limits.decodedLength) bytes.")
  }
  return result(out_error) { () throws(SegueError) in
    let value: Value
    do throws(SegueError) {
      value = try CBOR.decode(Array(UnsafeRawBufferPointer(start: start, count: length)))
    } catch {
      throw SegueError(.protocolViolation, error.message, advice: error.advice)
    }
    out_value.pointee = owned(ValueHandle(value))
    return 0
  }
}
