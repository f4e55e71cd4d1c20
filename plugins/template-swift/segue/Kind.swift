import CPlugin

/// A kind of object. The library's tables are made of it, once.
class Kind: @unchecked Sendable {
  let id: StaticString
  let name: StaticString
  /// As many as there are functions in C for.
  let properties: [segue_plugin_property]
  let hasTooManyProperties: Bool

  /// The kind whose objects are of this class.
  static func of<Object: PluginObject>(_ type: Object.Type) -> Kind { KindOf<Object>() }

  fileprivate init(
    _ id: StaticString, _ name: StaticString, _ properties: [segue_plugin_property], hasTooManyProperties: Bool
  ) {
    self.id = id
    self.name = name
    self.properties = properties
    self.hasTooManyProperties = hasTooManyProperties
  }

  fileprivate func make(_ host: Host) -> Held { Held(host) }
}

private final class KindOf<Object: PluginObject>: Kind, @unchecked Sendable {
  private let accesses: [Property<Object>.Access]

  init() {
    let properties = Object.properties
    accesses = properties.map { $0.access }
    var entries: [segue_plugin_property] = []
    for (index, property) in properties.enumerated() where index < PLUGIN_MAXIMUM_PROPERTIES {
      let passing = property.access.passing
      entries.append(
        segue_plugin_property(
          key: text(property.key), signature: text(property.signature), flags: property.flags,
          default_value: property.defaultValue.flatMap { strdup($0) }.map { UnsafePointer($0) },
          getter: plugin_getter(passing, UInt32(index)), setter: plugin_setter(passing, UInt32(index)),
          free_result: property.access.givesMemory ? plugin_free : nil))
    }
    super.init(Object.id, Object.name, entries, hasTooManyProperties: entries.count < properties.count)
  }

  override func make(_ host: Host) -> Held { HeldObject(Object(host: host), host, accesses) }
}

/// An object of the plugin's, as the library holds it.
private class Held {
  let host: Host

  init(_ host: Host) { self.host = host }

  func save(to activity: Activity) throws(Failure) {}
  func restore(from activity: Activity) throws(Failure) {}

  func bool(_ property: Int) -> Bool { false }
  func integer(_ property: Int) -> Int64 { 0 }
  func number(_ property: Int) -> Double { 0 }
  func pointer(_ property: Int) -> UnsafeMutableRawPointer? { nil }
  func bytes(_ property: Int) -> [UInt8]? { nil }
  func set(_ property: Int, bool: Bool) throws(Failure) {}
  func set(_ property: Int, integer: Int64) throws(Failure) {}
  func set(_ property: Int, number: Double) throws(Failure) {}
  func set(_ property: Int, pointer: UnsafeRawPointer?) throws(Failure) {}
  func set(_ property: Int, bytes: [UInt8]?) throws(Failure) {}
}

/// The library calls each function with the number of a property that is passed so; the other cases never come.
private final class HeldObject<Object: PluginObject>: Held {
  private let object: Object
  private let accesses: [Property<Object>.Access]

  init(_ object: Object, _ host: Host, _ accesses: [Property<Object>.Access]) {
    self.object = object
    self.accesses = accesses
    super.init(host)
  }

  override func save(to activity: Activity) throws(Failure) { try object.save(to: activity) }
  override func restore(from activity: Activity) throws(Failure) { try object.restore(from: activity) }

  override func bool(_ property: Int) -> Bool {
    guard case .bool(let get, _) = accesses[property] else { return false }
    return get(object)
  }
  override func integer(_ property: Int) -> Int64 {
    guard case .integer(let get, _) = accesses[property] else { return 0 }
    return get(object)
  }
  override func number(_ property: Int) -> Double {
    guard case .number(let get, _) = accesses[property] else { return 0 }
    return get(object)
  }
  override func pointer(_ property: Int) -> UnsafeMutableRawPointer? {
    guard case .pointer(let get, _) = accesses[property] else { return nil }
    return get(object)
  }
  override func bytes(_ property: Int) -> [UInt8]? {
    guard case .bytes(let get, _) = accesses[property] else { return nil }
    return get(object)
  }
  override func set(_ property: Int, bool: Bool) throws(Failure) {
    guard case .bool(_, let set) = accesses[property] else { throw .malformed }
    try set(object, bool)
  }
  override func set(_ property: Int, integer: Int64) throws(Failure) {
    guard case .integer(_, let set) = accesses[property] else { throw .malformed }
    try set(object, integer)
  }
  override func set(_ property: Int, number: Double) throws(Failure) {
    guard case .number(_, let set) = accesses[property] else { throw .malformed }
    try set(object, number)
  }
  override func set(_ property: Int, pointer: UnsafeRawPointer?) throws(Failure) {
    guard case .pointer(_, let set) = accesses[property] else { throw .malformed }
    try set(object, pointer)
  }
  override func set(_ property: Int, bytes: [UInt8]?) throws(Failure) {
    guard case .bytes(_, let set) = accesses[property] else { throw .malformed }
    try set(object, bytes)
  }
}

private func text(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func held(_ object: UnsafeMutableRawPointer) -> Held {
  Unmanaged<Held>.fromOpaque(object).takeUnretainedValue()
}

/// 0, or what the failure says.
private func result(_ body: () throws(Failure) -> Void) -> CInt {
  do throws(Failure) { try body() } catch { return error.result }
  return 0
}

// MARK: What C calls

@c @implementation public func plugin_get_name() -> UnsafePointer<CChar> { text(plugin.name) }
@c @implementation public func plugin_get_version() -> UnsafePointer<CChar> { text(plugin.version) }

@c @implementation public func plugin_make_factory() -> UnsafePointer<segue_plugin_object_factory>? {
  let kinds = plugin.objects
  guard kinds.count <= PLUGIN_MAXIMUM_KINDS else {
    return fail("The plugin has more kinds of objects than PLUGIN_MAXIMUM_KINDS in segue/calls.h.\n")
  }
  for kind in kinds where kind.hasTooManyProperties {
    return fail("A kind of object has more properties than PLUGIN_MAXIMUM_PROPERTIES in segue/calls.h.\n")
  }
  // For as long as the process lives, as the library asks.
  let descriptors = UnsafeMutablePointer<UnsafePointer<segue_plugin_object_descriptor>>.allocate(capacity: kinds.count)
  for (index, kind) in kinds.enumerated() {
    let properties = UnsafeMutablePointer<segue_plugin_property>.allocate(capacity: kind.properties.count)
    properties.initialize(from: kind.properties, count: kind.properties.count)
    let descriptor = UnsafeMutablePointer<segue_plugin_object_descriptor>.allocate(capacity: 1)
    memset(descriptor, 0, MemoryLayout<segue_plugin_object_descriptor>.size)
    plugin_describe_kind(descriptor, UInt32(index))
    descriptor.pointee.id = text(kind.id)
    descriptor.pointee.name = text(kind.name)
    descriptor.pointee.properties = UnsafePointer(properties)
    descriptor.pointee.property_count = UInt32(kind.properties.count)
    (descriptors + index).initialize(to: UnsafePointer(descriptor))
  }
  let factory = UnsafeMutablePointer<segue_plugin_object_factory>.allocate(capacity: 1)
  factory.initialize(
    to: segue_plugin_object_factory(
      struct_size: UInt32(MemoryLayout<segue_plugin_object_factory>.size), count: UInt32(kinds.count),
      descriptors: UnsafePointer(descriptors)))
  return UnsafePointer(factory)
}

@c @implementation public func plugin_create(
  _ kind: UInt32, _ host: UnsafePointer<segue_plugin_host>,
  _ out_object: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> CInt {
  let made = plugin.objects[Int(kind)].make(Host(functions: host))
  out_object.pointee = Unmanaged.passRetained(made).toOpaque()
  return 0
}

@c @implementation public func plugin_destroy(_ object: UnsafeMutableRawPointer) {
  Unmanaged<Held>.fromOpaque(object).release()
}

@c @implementation public func plugin_update(_ object: UnsafeMutableRawPointer, _ activity: OpaquePointer) -> CInt {
  let held = held(object)
  return result { () throws(Failure) in try held.save(to: Activity(handle: activity, host: held.host)) }
}

@c @implementation public func plugin_restore(_ object: UnsafeMutableRawPointer, _ activity: OpaquePointer) -> CInt {
  let held = held(object)
  return result { () throws(Failure) in try held.restore(from: Activity(handle: activity, host: held.host)) }
}

@c @implementation public func plugin_get_bool(_ object: UnsafeMutableRawPointer, _ property: UInt32) -> Bool {
  held(object).bool(Int(property))
}
@c @implementation public func plugin_get_integer(_ object: UnsafeMutableRawPointer, _ property: UInt32) -> Int64 {
  held(object).integer(Int(property))
}
@c @implementation public func plugin_get_number(_ object: UnsafeMutableRawPointer, _ property: UInt32) -> Double {
  held(object).number(Int(property))
}
@c @implementation public func plugin_get_pointer(
  _ object: UnsafeMutableRawPointer, _ property: UInt32
) -> UnsafeMutableRawPointer? { held(object).pointer(Int(property)) }
@c @implementation public func plugin_get_bytes(
  _ object: UnsafeMutableRawPointer, _ property: UInt32, _ out_count: UnsafeMutablePointer<Int>
) -> UnsafeMutableRawPointer? {
  out_count.pointee = 0
  // No bytes are not none.
  guard let bytes = held(object).bytes(Int(property)), let memory = malloc(max(bytes.count, 1)) else { return nil }
  for (index, byte) in bytes.enumerated() { memory.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
  out_count.pointee = bytes.count
  return memory
}

@c @implementation public func plugin_set_bool(
  _ object: UnsafeMutableRawPointer, _ property: UInt32, _ value: Bool
) -> CInt { result { () throws(Failure) in try held(object).set(Int(property), bool: value) } }
@c @implementation public func plugin_set_integer(
  _ object: UnsafeMutableRawPointer, _ property: UInt32, _ value: Int64
) -> CInt { result { () throws(Failure) in try held(object).set(Int(property), integer: value) } }
@c @implementation public func plugin_set_number(
  _ object: UnsafeMutableRawPointer, _ property: UInt32, _ value: Double
) -> CInt { result { () throws(Failure) in try held(object).set(Int(property), number: value) } }
@c @implementation public func plugin_set_pointer(
  _ object: UnsafeMutableRawPointer, _ property: UInt32, _ value: UnsafeRawPointer?
) -> CInt { result { () throws(Failure) in try held(object).set(Int(property), pointer: value) } }
@c @implementation public func plugin_set_bytes(
  _ object: UnsafeMutableRawPointer, _ property: UInt32, _ bytes: UnsafeRawPointer?, _ count: Int
) -> CInt {
  // Null stands for none where the property may be absent; no bytes may come so, too.
  let value = bytes == nil && count == 0 ? nil : Array(UnsafeRawBufferPointer(start: bytes, count: count))
  return result { () throws(Failure) in try held(object).set(Int(property), bytes: value) }
}

private func fail(_ message: StaticString) -> UnsafePointer<segue_plugin_object_factory>? {
  plugin_say(text(message))
  return nil
}
