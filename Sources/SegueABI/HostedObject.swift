import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/hosting.h: objects

@c @implementation public func segue_plugin_object_methods_init(
  _ methods: UnsafeMutablePointer<segue_plugin_object_methods>, _ struct_size: UInt32
) { initialize(methods, struct_size) }

@c @implementation public func segue_plugin_object_new(
  _ plugin: UnsafeMutablePointer<segue_plugin>, _ id: UnsafePointer<CChar>, _ key_prefix: UnsafePointer<CChar>?,
  _ methods: UnsafePointer<segue_plugin_object_methods>?, _ userdata: UnsafeMutableRawPointer?,
  _ destroy: segue_destroy_function?, _ out_object: UnsafeMutablePointer<UnsafeMutablePointer<segue_plugin_object>?>,
  _ out_error: OutError
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let plugin = object(plugin), !isMissing(out_object) else { return refusedHandle(out_error) }
  return call(plugin.application, .applicationThread, out_error) { () throws(SegueError) in
    var new = PluginObjectMethods()
    new.userdata = userdata
    if let methods {
      let members = try structure(methods, empty: segue_plugin_object_methods())
      if let restored = members.did_restore {
        new.didRestore = { restored(borrowed($0), borrowed($1), userdata.pointer) }
      }
      if let failed = members.did_fail {
        new.didFail = { object, activity, error in
          withExtendedLifetime(ErrorHandle(error, external: 0)) { error in
            failed(borrowed(object), borrowed(activity), UnsafePointer(borrowed(error)), userdata.pointer)
          }
        }
      }
    }
    out_object.pointee = owned(
      try PluginObject(
        plugin, id: try requiredText(id), keyPrefix: try optionalText(key_prefix) ?? "", methods: new))
    return 0
  }
}

@c @implementation public func segue_plugin_object_ref(
  _ object: UnsafeMutablePointer<segue_plugin_object>
) -> UnsafeMutablePointer<segue_plugin_object> { reference(object) }

@c @implementation public func segue_plugin_object_unref(
  _ object: UnsafeMutablePointer<segue_plugin_object>?
) -> UnsafeMutablePointer<segue_plugin_object>? { unreference(object) }

@c @implementation public func segue_plugin_object_get_responder(
  _ object: UnsafeMutablePointer<segue_plugin_object>
) -> UnsafeMutablePointer<segue_responder>? { SegueABI.object(object).map { borrowed($0) } }

@c @implementation public func segue_plugin_object_get_extension(
  _ object: UnsafeMutablePointer<segue_plugin_object>, _ id: UnsafePointer<CChar>,
  _ out_extension: UnsafeMutablePointer<UnsafeRawPointer?>,
  _ out_object: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Int32 {
  guard !isMissing(out_extension), !isMissing(out_object) else { return Refusal.badHandle }
  return calling(object) { object throws(SegueError) in
    _ = try requiredText(id)
    let found = try object.getExtension(id)
    out_extension.pointee = found.0
    out_object.pointee = found.1
  }
}

// MARK: Properties

@c @implementation public func segue_plugin_object_set_property(
  _ object: UnsafeMutablePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>,
  _ value: UnsafePointer<segue_value>, _ out_error: OutError
) -> Int32 {
  guard let value = SegueABI.object(value) else { return refusedHandle(out_error) }
  return calling(object, key, out_error) { object, key throws(SegueError) in try object.set(key, to: value.value) }
}

@c @implementation public func segue_plugin_object_set_properties(
  _ object: UnsafeMutablePointer<segue_plugin_object>, _ dictionary: UnsafePointer<segue_value>,
  _ out_error: OutError
) -> Int32 {
  guard let dictionary = SegueABI.object(dictionary) else { return refusedHandle(out_error) }
  return calling(object, out_error) { object throws(SegueError) in
    guard let entries = dictionary.value.dictionary else {
      throw SegueError(.invalidArgument, "Properties are a dictionary, with their keys as strings.")
    }
    try object.set(entries)
  }
}

@c @implementation public func segue_plugin_object_copy_property(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>, _ out_value: OutValue,
  _ out_error: OutError
) -> Int32 { get(object, key, out_value, out_error) { owned(ValueHandle($0)) } }

@c @implementation public func segue_plugin_object_set_integer(
  _ object: UnsafeMutablePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>, _ integer: Int64,
  _ out_error: OutError
) -> Int32 {
  let outcome = atOnce(object, key) { object, key in object.set(key, atOnce: integer) }
  return finish(outcome, object, key, .integer(integer), out_error)
}

@c @implementation public func segue_plugin_object_get_integer(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>,
  _ out_integer: UnsafeMutablePointer<Int64>, _ out_error: OutError
) -> Int32 { get(object, key, out_integer, out_error) { $0.integer } }

@c @implementation public func segue_plugin_object_set_double(
  _ object: UnsafeMutablePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>, _ number: Double,
  _ out_error: OutError
) -> Int32 {
  let outcome = atOnce(object, key) { object, key in object.set(key, atOnce: number) }
  return finish(outcome, object, key, .double(number), out_error)
}

@c @implementation public func segue_plugin_object_get_double(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>,
  _ out_number: UnsafeMutablePointer<Double>, _ out_error: OutError
) -> Int32 { get(object, key, out_number, out_error) { $0.number } }

@c @implementation public func segue_plugin_object_set_string(
  _ object: UnsafeMutablePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>,
  _ string: UnsafePointer<CChar>, _ out_error: OutError
) -> Int32 {
  calling(object, key, out_error) { object, key throws(SegueError) in
    try object.set(key, toText: try requiredText(string))
  }
}

@c @implementation public func segue_plugin_object_copy_string(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>,
  _ out_string: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ out_error: OutError
) -> Int32 {
  get(object, key, out_string, out_error) { value -> UnsafeMutablePointer<CChar>?? in
    if case .null = value { return .some(nil) }
    return (value.string ?? value.url).map { .some(CText.copy($0)) }
  }
}

private func calling(
  _ object: UnsafePointer<segue_plugin_object>, _ outError: OutError = nil,
  _ body: (PluginObject) throws(SegueError) -> Void
) -> Int32 {
  guard let object = SegueABI.object(object) else { return refusedHandle(outError) }
  return call(object.application, .applicationThread, outError) { () throws(SegueError) in
    try body(object)
    return 0
  }
}

private func calling(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>, _ outError: OutError,
  _ body: (PluginObject, UnsafePointer<CChar>) throws(SegueError) -> Void
) -> Int32 {
  // The header says that the key is not NULL, but the caller may ignore that.
  guard let key = UnsafePointer<CChar>(bitPattern: UInt(bitPattern: key)) else { return refusedHandle(outError) }
  return calling(object, outError) { object throws(SegueError) in try body(object, key) }
}

/// The fast path, on which libffi takes most of the time: it holds no reference, which the object can do without, and
/// reports no error. It gives `notAtOnce` where something is wrong; the other path then finds out what.
@inline(__always)
private func atOnce(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>,
  _ body: (PluginObject, UnsafePointer<CChar>) -> Int64
) -> Int64 {
  guard let handle = UnsafeRawPointer(bitPattern: UInt(bitPattern: object)),
    let key = UnsafePointer<CChar>(bitPattern: UInt(bitPattern: key))
  else { return PluginObject.notAtOnce }
  return Unmanaged<Handle>.fromOpaque(handle)._withUnsafeGuaranteedRef { found in
    guard found.kind == .pluginObject else { return PluginObject.notAtOnce }
    let object = unsafeDowncast(found, to: PluginObject.self)
    guard object.application.isReadyForCalls else { return PluginObject.notAtOnce }
    return body(object, key)
  }
}

/// Continues on the other path where the fast one did not apply, and reports an error where it has failed.
@inline(__always)
private func finish(
  _ outcome: Int64, _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>, _ value: Value,
  _ outError: OutError
) -> Int32 {
  guard outcome < 0 else { return 0 }
  guard outcome != PluginObject.failedAndGone else {
    return result(outError) { () throws(SegueError) in
      throw SegueError(.pluginFailed, "The plugin's setter has failed, and the object was dropped in it.")
    }
  }
  return calling(object, key, outError) { object, key throws(SegueError) in
    try object.set(key, to: value, after: outcome)
  }
}

/// Reads a property of one kind into an out-parameter.
private func get<T>(
  _ object: UnsafePointer<segue_plugin_object>, _ key: UnsafePointer<CChar>, _ out: UnsafeMutablePointer<T>,
  _ outError: OutError, _ content: (Value) -> T?
) -> Int32 {
  guard !isMissing(out) else { return refusedHandle(outError) }
  return calling(object, key, outError) { object, key throws(SegueError) in
    let value = try object.get(key)
    guard let content = content(value) else {
      throw SegueError(
        .invalidArgument, "The property is \(value.kind.name).",
        advice: "Read it with the function for that, or with segue_plugin_object_copy_property.")
    }
    out.pointee = content
  }
}
