import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/activity.h: userInfo, whole and entry by entry.

@c @implementation public func segue_activity_set_user_info(
  _ activity: UnsafeMutablePointer<segue_activity>, _ dictionary: UnsafePointer<segue_value>?
) -> Int32 {
  if dictionary != nil, object(dictionary) == nil { return Refusal.badHandle }
  let value = object(dictionary)?.value ?? .dictionary([:])
  guard let entries = value.dictionary else { return -ENXIO }
  return with(activity, .anyThread) { activity throws(SegueError) in
    try activity.setUserInfo(entries)
    return 0
  }
}

@c @implementation public func segue_activity_add_user_info_entries(
  _ activity: UnsafeMutablePointer<segue_activity>, _ dictionary: UnsafePointer<segue_value>
) -> Int32 {
  guard let value = object(dictionary)?.value else { return Refusal.badHandle }
  guard let entries = value.dictionary else { return -ENXIO }
  return with(activity, .anyThread) { activity throws(SegueError) in
    try activity.addUserInfo(entries)
    return 0
  }
}

@c @implementation public func segue_activity_copy_user_info(
  _ activity: UnsafePointer<segue_activity>, _ out_dictionary: OutValue
) -> Int32 {
  guard !isMissing(out_dictionary) else { return -EINVAL }
  return with(activity, .anyThread) {
    out_dictionary.pointee = owned(ValueHandle(.dictionary($0.userInfo)))
    return 0
  }
}

/// Adds one entry under a string key.
private func add(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ value: Value?
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    guard let value else { throw SegueError(.invalidArgument, "An entry's value is malformed.") }
    try activity.addUserInfo([.string(try requiredText(key)): value])
    return 0
  }
}

@c @implementation public func segue_activity_add_bool(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ boolean: Bool
) -> Int32 { add(activity, key, .bool(boolean)) }

@c @implementation public func segue_activity_add_integer(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ integer: Int64
) -> Int32 { add(activity, key, .integer(integer)) }

@c @implementation public func segue_activity_add_double(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ number: Double
) -> Int32 { add(activity, key, .double(number)) }

@c @implementation public func segue_activity_add_string(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ string: UnsafePointer<CChar>
) -> Int32 { result { () throws(SegueError) in add(activity, key, .string(try requiredText(string))) } }

@c @implementation public func segue_activity_add_data(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ bytes: UnsafeRawPointer?,
  _ length: Int
) -> Int32 { result { () throws(SegueError) in add(activity, key, try .data(from: bytes, length)) } }

@c @implementation public func segue_activity_add_date(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ seconds: Double
) -> Int32 { add(activity, key, .date(from: seconds)) }

@c @implementation public func segue_activity_add_url(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ url: UnsafePointer<CChar>
) -> Int32 { result { () throws(SegueError) in add(activity, key, try .url(from: url)) } }

@c @implementation public func segue_activity_add_uuid(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ bytes: UnsafePointer<UInt8>
) -> Int32 { add(activity, key, .uuid(from: bytes)) }

@c @implementation public func segue_activity_remove(
  _ activity: UnsafeMutablePointer<segue_activity>, _ key: UnsafePointer<CChar>
) -> Int32 {
  with(activity, .anyThread) { activity throws(SegueError) in
    try activity.removeUserInfo(.string(try requiredText(key))) ? 0 : -ENOENT
  }
}

/// Reads one entry under a string key.
private func get<T>(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out: UnsafeMutablePointer<T>,
  _ content: (Value) -> T?
) -> Int32 {
  guard !isMissing(out) else { return -EINVAL }
  return with(activity, .anyThread) { activity throws(SegueError) in
    guard let value = activity.userInfo[.string(try requiredText(key))] else { return -ENOENT }
    guard let content = content(value) else { return -ENXIO }
    out.pointee = content
    return 0
  }
}

@c @implementation public func segue_activity_get_bool(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_boolean: UnsafeMutablePointer<Bool>
) -> Int32 { get(activity, key, out_boolean) { $0.bool } }

@c @implementation public func segue_activity_get_integer(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_integer: UnsafeMutablePointer<Int64>
) -> Int32 { get(activity, key, out_integer) { $0.integer } }

@c @implementation public func segue_activity_get_double(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_number: UnsafeMutablePointer<Double>
) -> Int32 { get(activity, key, out_number) { $0.number } }

@c @implementation public func segue_activity_copy_string(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>,
  _ out_string: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  get(activity, key, out_string) { value in
    let string: UnsafeMutablePointer<CChar>?? = (value.string ?? value.url).map { CText.copy($0) }
    return string
  }
}

@c @implementation public func segue_activity_copy_url(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>,
  _ out_url: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  get(activity, key, out_url) { value in
    let url: UnsafeMutablePointer<CChar>?? = value.url.map { CText.copy($0) }
    return url
  }
}

@c @implementation public func segue_activity_copy_data(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>,
  _ out_bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ out_length: UnsafeMutablePointer<Int>
) -> Int32 {
  guard !isMissing(out_length) else { return -EINVAL }
  return get(activity, key, out_bytes) { value in
    let bytes: UnsafeMutableRawPointer?? = value.data.map { data in
      out_length.pointee = data.count
      return UnsafeMutableRawPointer(CText.copy(data))
    }
    return bytes
  }
}

@c @implementation public func segue_activity_get_date(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_seconds: UnsafeMutablePointer<Double>
) -> Int32 { get(activity, key, out_seconds) { $0.date } }

@c @implementation public func segue_activity_get_uuid(
  _ activity: UnsafePointer<segue_activity>, _ key: UnsafePointer<CChar>, _ out_bytes: UnsafeMutablePointer<UInt8>
) -> Int32 {
  var uuid = Identifier(high: 0, low: 0)
  guard !isMissing(out_bytes) else { return -EINVAL }
  let result = get(activity, key, &uuid) { $0.uuid }
  if result == 0 { out_bytes.update(from: uuid.bytes, count: 16) }
  return result
}
