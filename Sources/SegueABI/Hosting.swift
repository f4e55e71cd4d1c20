import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/hosting.h: plugins

@c @implementation public func segue_plugin_load(
  _ application: UnsafeMutablePointer<segue_application>, _ path: UnsafePointer<CChar>,
  _ prefix: UnsafePointer<CChar>?, _ out_plugin: UnsafeMutablePointer<UnsafeMutablePointer<segue_plugin>?>,
  _ out_error: OutError
) -> Int32 {
  guard let application = object(application)?.application, !isMissing(out_plugin) else {
    return refusedHandle(out_error)
  }
  return call(application, .applicationThread, out_error) { () throws(SegueError) in
    let plugin = try Plugin.load(
      try requiredText(path), into: application, folders: try PluginFolders(prefix: try optionalText(prefix)),
      tables: .shared)
    out_plugin.pointee = shared(plugin)
    return 0
  }
}

@c @implementation public func segue_plugin_copy_path(
  _ id: UnsafePointer<CChar>, _ prefix: UnsafePointer<CChar>?,
  _ out_path: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  guard !isMissing(out_path) else { return Refusal.badHandle }
  return result { () throws(SegueError) in
    guard let id = PluginID(try requiredText(id)) else { return -EINVAL }
    guard let path = try PluginFolders(prefix: try optionalText(prefix)).path(of: id) else { return -ENOENT }
    out_path.pointee = CText.copy(path)
    return 0
  }
}

@c @implementation public func segue_plugin_ref(
  _ plugin: UnsafeMutablePointer<segue_plugin>
) -> UnsafeMutablePointer<segue_plugin> { reference(plugin) }

@c @implementation public func segue_plugin_unref(
  _ plugin: UnsafeMutablePointer<segue_plugin>?
) -> UnsafeMutablePointer<segue_plugin>? { unreference(plugin) }

@c @implementation public func segue_plugin_get_id(
  _ plugin: UnsafePointer<segue_plugin>
) -> UnsafePointer<CChar> { object(plugin)?.idText.pointer ?? staticText("") }

@c @implementation public func segue_plugin_get_name(
  _ plugin: UnsafePointer<segue_plugin>
) -> UnsafePointer<CChar> { object(plugin)?.nameText.pointer ?? staticText("") }

@c @implementation public func segue_plugin_get_version(
  _ plugin: UnsafePointer<segue_plugin>
) -> UnsafePointer<CChar> { object(plugin)?.versionText.pointer ?? staticText("") }

extension PluginTables {
  /// The functions of this ABI, by table.
  nonisolated(unsafe) public static let shared: PluginTables = {
    let values = UnsafeMutablePointer<segue_plugin_values>.allocate(capacity: 1)
    values.initialize(
      to: segue_plugin_values(
        struct_size: UInt32(MemoryLayout<segue_plugin_values>.size), reserved: 0, new_null: segue_value_new_null,
        new_bool: segue_value_new_bool, new_integer: segue_value_new_integer, new_double: segue_value_new_double,
        new_string: segue_value_new_string, new_data: segue_value_new_data, new_date: segue_value_new_date,
        new_url: segue_value_new_url, new_uuid: segue_value_new_uuid, new_array: segue_value_new_array,
        new_set: segue_value_new_set, new_dictionary: segue_value_new_dictionary, ref: segue_value_ref,
        unref: segue_value_unref, get_kind: segue_value_get_kind, is_equal: segue_value_is_equal,
        get_bool: segue_value_get_bool, get_integer: segue_value_get_integer, get_double: segue_value_get_double,
        get_string: segue_value_get_string, get_data: segue_value_get_data, get_date: segue_value_get_date,
        get_uuid: segue_value_get_uuid, get_count: segue_value_get_count, append: segue_value_append,
        get_at: segue_value_get_at, set: segue_value_set, get: segue_value_get, get_entry: segue_value_get_entry,
        set_for_name: segue_value_set_for_name, get_for_name: segue_value_get_for_name))
    let activities = UnsafeMutablePointer<segue_plugin_activities>.allocate(capacity: 1)
    activities.initialize(
      to: segue_plugin_activities(
        struct_size: UInt32(MemoryLayout<segue_plugin_activities>.size), reserved: 0,
        get_type: segue_activity_get_type, set_title: segue_activity_set_title,
        copy_title: segue_activity_copy_title, set_webpage_url: segue_activity_set_webpage_url,
        copy_webpage_url: segue_activity_copy_webpage_url,
        add_user_info_entries: segue_activity_add_user_info_entries,
        copy_user_info: segue_activity_copy_user_info, get_save_reason: segue_activity_get_save_reason,
        free: segue_free))
    return PluginTables(values: values, activities: activities)
  }()
}
