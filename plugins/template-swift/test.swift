// Hosts the plugin as an application does: saves one object's state into an activity, and restores another from it. It
// needs no daemon. test PREFIX: where the plugin is installed.
import CSegueLibrary
import Glibc

struct Failure: Error { let message: String }

/// An error of the library as one of Swift.
func check(_ what: String, _ call: (inout OpaquePointer?) -> CInt) throws {
  var error: OpaquePointer?
  defer { _ = segue_error_unref(error) }
  guard call(&error) < 0 else { return }
  throw Failure(message: "\(what): \(error.map { String(cString: segue_error_get_message($0)) } ?? "failed")")
}

func expect(_ holds: Bool, _ what: String) throws {
  guard holds else { throw Failure(message: what) }
}

/// What the library's function makes.
func made(_ what: String, _ call: (inout OpaquePointer?, inout OpaquePointer?) -> CInt) throws -> OpaquePointer {
  var made: OpaquePointer?
  try check(what) { call(&made, &$0) }
  guard let made else { throw Failure(message: "\(what): nothing was made") }
  return made
}

/// An object of the plugin's, hosted.
final class Counter {
  let object: OpaquePointer

  init(_ plugin: OpaquePointer) throws {
    object = try made("object") { segue_plugin_object_new(plugin, "counter", nil, nil, nil, nil, &$0, &$1) }
  }

  deinit { _ = segue_plugin_object_unref(object) }

  func count() throws -> Int64 {
    var count: Int64 = -1
    try check("count") { segue_plugin_object_get_integer(object, "counter.count", &count, &$0) }
    return count
  }

  func label() throws -> String? {
    var text: UnsafeMutablePointer<CChar>?
    try check("label") { segue_plugin_object_copy_string(object, "counter.label", &text, &$0) }
    defer { segue_free(text) }
    return text.map { String(cString: $0) }
  }

  func set(count: Int64, label: String) throws {
    try check("count") { segue_plugin_object_set_integer(object, "counter.count", count, &$0) }
    try check("label") { segue_plugin_object_set_string(object, "counter.label", label, &$0) }
  }

  func save(to activity: OpaquePointer) -> Bool {
    segue_plugin_object_get_responder(object).map { segue_responder_update($0, activity) == 0 } ?? false
  }
  func restore(from activity: OpaquePointer) -> Bool {
    segue_plugin_object_get_responder(object).map { segue_responder_restore($0, activity) == 0 } ?? false
  }
}

func title(_ activity: OpaquePointer) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard segue_activity_copy_title(activity, &text) >= 0 else { return nil }
  defer { segue_free(text) }
  return text.map { String(cString: $0) }
}

func test(prefix: String) throws {
  // The test has no bus: it must not offer anything to other devices.
  var options = segue_application_options()
  segue_application_options_init(&options, UInt32(MemoryLayout<segue_application_options>.size))
  let application = try "unix:path=/nonexistent".withCString { address in
    options.bus_address = address
    return try made("application") { segue_application_new("org.example.Test", &options, &$0, &$1) }
  }
  defer { _ = segue_application_unref(application) }
  let activity = try made("activity") { segue_activity_new(application, "org.example.test", &$0, &$1) }
  defer { _ = segue_activity_unref(activity) }
  let path = "\(prefix)/lib/segue/plugins/@PLUGIN_ID@.so"
  let plugin = try made("loading") { segue_plugin_load(application, path, prefix, &$0, &$1) }
  defer { _ = segue_plugin_unref(plugin) }

  // One object saves, another restores.
  let (here, there) = (try Counter(plugin), try Counter(plugin))
  try here.set(count: 42, label: "sheep")
  try expect(here.save(to: activity), "saving")
  try expect(title(activity) == "sheep", "the title is another one")
  try expect(there.restore(from: activity), "restoring")
  try expect(try there.count() == 42, "the count is another one")
  try expect(try there.label() == "sheep", "the label is another one")

  // An activity that the object refuses changes nothing.
  segue_activity_add_integer(activity, "counter.count", -1)
  try expect(!there.restore(from: activity), "a count below 0 was restored")
  try expect(try there.count() == 42, "the count was changed")
}

do {
  try test(prefix: CommandLine.arguments.dropFirst().first ?? "")
  print("PASS @PLUGIN_ID@ saves and restores")
} catch {
  print("FAIL @PLUGIN_ID@: \((error as? Failure)?.message ?? "\(error)")")
  exit(1)
}
