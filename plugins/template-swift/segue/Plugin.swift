import CPlugin

/// The plugin: its name for a person, its version, and the kinds of objects that it has. Its id is in the Makefile.
struct Plugin: Sendable {
  let name: StaticString
  let version: StaticString
  let objects: [Kind]
}

/// An object that an application saves and restores with its activities.
protocol PluginObject: AnyObject {
  /// The kind of object, within the plugin: letters, digits, - and _.
  static var id: StaticString { get }
  /// The same for a person.
  static var name: StaticString { get }
  /// The entries of userInfo that the object saves and restores, in the order in which they are set.
  static var properties: [Property<Self>] { get }

  /// - Parameter host: the application that hosts the object, as long as the object lives.
  init(host: Host)

  /// Adds to an activity that is saved what no property can say, after the properties.
  func save(to activity: Activity) throws(Failure)
  /// The same for restoring, after the properties.
  func restore(from activity: Activity) throws(Failure)
}

extension PluginObject {
  func save(to activity: Activity) throws(Failure) {}
  func restore(from activity: Activity) throws(Failure) {}
}

/// A value that is refused, or a call of the host that failed.
struct Failure: Error {
  /// A negative errno.
  let result: CInt

  static var malformed: Failure { Failure(result: -EINVAL) }
  static var outOfRange: Failure { Failure(result: -ERANGE) }
  static var tooLarge: Failure { Failure(result: -E2BIG) }
  static var noMemory: Failure { Failure(result: -ENOMEM) }

  /// Throws for a negative result of a function in C.
  static func check(_ result: CInt) throws(Failure) {
    guard result >= 0 else { throw Failure(result: result) }
  }
}

/// The application, as one object sees it.
struct Host {
  /// All functions of segue/host.h.
  let functions: UnsafePointer<segue_plugin_host>

  /// The object has changed by itself: its activity needs saving. On the application's thread.
  func needsSave() { _ = functions.pointee.needs_save(functions) }
  /// A line for the developer.
  func log(_ line: String) { _ = functions.pointee.log(functions, line) }
}

/// An activity while it is saved or restored.
struct Activity {
  let handle: OpaquePointer
  let host: Host

  private var functions: segue_plugin_activities { host.functions.pointee.activities.pointee }
  private var values: segue_plugin_values { host.functions.pointee.values.pointee }

  /// At most 512 bytes.
  func setTitle(_ title: String) throws(Failure) { try Failure.check(functions.set_title(handle, title)) }
  func setWebpageURL(_ url: String) throws(Failure) { try Failure.check(functions.set_webpage_url(handle, url)) }

  /// Adds an entry to userInfo.
  func add(_ key: String, _ entry: Entry) throws(Failure) {
    let dictionary = try made { values.new_dictionary(&$0) }
    defer { _ = values.unref(dictionary) }
    let value = try value(entry)
    defer { _ = values.unref(value) }
    try Failure.check(values.set_for_name(dictionary, key, value))
    try Failure.check(functions.add_user_info_entries(handle, dictionary))
  }

  /// An entry of userInfo; nil where there is none, and for one of another kind.
  func entry(_ key: String) throws(Failure) -> Entry? {
    let dictionary = try made { functions.copy_user_info(handle, &$0) }
    defer { _ = values.unref(dictionary) }
    var found: OpaquePointer?
    guard values.get_for_name(dictionary, key, &found) >= 0, let found else { return nil }
    return entry(of: found)
  }

  private func value(_ entry: Entry) throws(Failure) -> OpaquePointer {
    switch entry {
    case .bool(let bool): try made { values.new_bool(bool, &$0) }
    case .integer(let integer): try made { values.new_integer(Int64(integer), &$0) }
    case .number(let number): try made { values.new_double(number, &$0) }
    case .text(let text): try made { values.new_string(text, &$0) }
    case .data(let bytes): try made { values.new_data(bytes, bytes.count, &$0) }
    }
  }

  private func entry(of value: OpaquePointer) -> Entry? {
    switch Int(values.get_kind(value)) {
    case SEGUE_VALUE_BOOL:
      var bool = false
      return values.get_bool(value, &bool) < 0 ? nil : .bool(bool)
    case SEGUE_VALUE_INTEGER:
      var integer: Int64 = 0
      return values.get_integer(value, &integer) < 0 ? nil : .integer(Int(integer))
    case SEGUE_VALUE_DOUBLE:
      var number = 0.0
      return values.get_double(value, &number) < 0 ? nil : .number(number)
    case SEGUE_VALUE_STRING:
      var text: UnsafePointer<CChar>?
      return values.get_string(value, &text) < 0 ? nil : text.map { .text(String(cString: $0)) }
    case SEGUE_VALUE_DATA:
      var bytes: UnsafeRawPointer?
      var count = 0
      guard values.get_data(value, &bytes, &count) >= 0 else { return nil }
      return .data(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return nil
    }
  }

  private func made(_ call: (inout OpaquePointer?) -> CInt) throws(Failure) -> OpaquePointer {
    var made: OpaquePointer?
    try Failure.check(call(&made))
    guard let made else { throw .noMemory }
    return made
  }
}

/// A value of userInfo that `Activity.add` takes. For other kinds, segue/host.h has functions.
enum Entry {
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case data([UInt8])
}
