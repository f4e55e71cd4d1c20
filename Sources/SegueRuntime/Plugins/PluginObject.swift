import CFFI
import CLinux
import CSegue
import SegueBus
import SegueCore

/// The callbacks to the application about an object of a plugin.
public struct PluginObjectMethods {
  public var didRestore: ((PluginObject, Activity) -> Void)?
  public var didFail: ((PluginObject, Activity, SegueError) -> Void)?
  /// As in `ResponderMethods`.
  public var userdata: AnyObject?

  public init() {}
}

/// An object of a plugin: a responder whose state the plugin holds. The application's thread, like the plugin.
public final class PluginObject: Responder, @unchecked Sendable {
  public let plugin: Plugin
  let type: PluginClass
  private let scalars: PluginScalars
  /// The scalar that was set last.
  private var lastEntry: UnsafeMutablePointer<PluginScalars.Entry>?
  private let objectMethods: PluginObjectMethods
  let host: PluginHost
  /// The properties' keys in userInfo, in their order, with the application's prefix.
  private let keys: [Value]
  /// The subset of `keys` whose entries never leave this device.
  private let deviceKeys: Set<Value>
  /// The object that the plugin made; NULL is allowed, and not the same as being ended.
  private var object: UnsafeMutableRawPointer?
  private var isEnded = false
  private var isDestroyed = false
  /// Itself, from its end until its last call has returned.
  private var lastCall: PluginObject?
  /// The number of calls into the plugin that have not returned.
  private var depth = 0
  /// Whether the values set now come from an activity, so that they are no change of it.
  private(set) var isRestoring = false

  public convenience init(
    _ plugin: Plugin, id: String, keyPrefix: String, methods: PluginObjectMethods
  ) throws(SegueError) {
    let application = plugin.application
    try application.plugins.checkRoom()
    let type = try plugin.objectClass(id)
    var keys: [Value] = []
    for property in type.properties {
      let key = keyPrefix + property.description.key
      guard key.utf8.count <= Limits.keyLength else {
        throw SegueError(
          .invalidArgument,
          "The key \(DisplayText.clean(key, maximum: Limits.shownName)) is longer than \(Limits.keyLength) bytes")
      }
      keys.append(.string(key))
    }
    let host = PluginHost(application, plugin.tables, name: "\(plugin.metadata.id.string), \(id)")
    // The object is counted before it is made: in `create` the application may close, and the plugin would end.
    plugin.objectCount &+= 1
    var object: UnsafeMutableRawPointer?
    let result = type.functions.create(host.table, &object)
    plugin.trial.note(result, of: "its create", by: host.name)
    guard result >= 0, !application.isClosed else {
      if result >= 0 { type.functions.destroy(object) }
      host.close()
      plugin.objectCount &-= 1
      throw SegueError(
        .pluginFailed,
        "\(host.name): it could not be made: "
          + (result < 0 ? CText.message(ofErrno: result) : "the application was closed meanwhile"))
    }
    self.init(plugin, type, keys, host, object, methods)
  }

  /// `object` was made by the plugin, and has been counted.
  private init(
    _ plugin: Plugin, _ type: PluginClass, _ keys: [Value], _ host: PluginHost, _ object: UnsafeMutableRawPointer?,
    _ methods: PluginObjectMethods
  ) {
    self.plugin = plugin
    self.type = type
    scalars = type.scalars
    self.keys = keys
    deviceKeys = Set(zip(keys, type.properties).filter { !$0.1.description.isPortable }.map { $0.0 })
    self.host = host
    self.object = object
    objectMethods = methods
    super.init(application: plugin.application, methods: ResponderMethods(), kind: .pluginObject)
    host.object = self
    application.plugins.made(self)
  }

  deinit { end() }

  public override func abandoned() {
    super.abandoned()
    end()
  }

  /// Ends the object: no call reaches the plugin any more, which destroys it at once or when its last call has
  /// returned.
  func end() {
    guard !isEnded else { return }
    isEnded = true
    // Calls into the plugin hold no reference, and use this object when they return.
    if depth > 0 { lastCall = self }
    application.plugins.ended(self)
    destroyIfIdle()
  }

  private func destroyIfIdle() {
    guard isEnded, depth == 0, !isDestroyed else { return }
    isDestroyed = true
    type.functions.destroy(object)
    host.close()
    plugin.objectCount &-= 1
    lastCall = nil
  }

  /// Runs a call into the plugin: whatever the plugin's host functions do, the object lives until it has returned.
  func calling<T>(_ body: (UnsafeMutableRawPointer?) throws(SegueError) -> T) throws(SegueError) -> T {
    guard !isEnded else { throw SegueError(.invalidated, "\(host.name): the object is gone") }
    depth &+= 1
    defer {
      depth &-= 1
      if isEnded { destroyIfIdle() }
    }
    return try body(object)
  }

  // MARK: Properties

  /// Sets the property with this key of the plugin's, for the application.
  public func set(_ key: UnsafePointer<CChar>, to value: Value) throws(SegueError) {
    let property = try self.property(key)
    guard let setter = property.setter else {
      return try set([.string(property.description.key): value])
    }
    if let objection = property.type.objection(to: value) { throw failure(.invalidArgument, property, objection) }
    try set(property, setter, value)
    if !isRestoring, property.getter != nil { try? attached?.setNeedsSave(true) }
  }

  /// The same for text, which may be a string's or a URL's.
  public func set(_ key: UnsafePointer<CChar>, toText text: String) throws(SegueError) {
    let isURL = try property(key).type.element == .url
    try set(key, to: isURL && Value.isURL(text) ? .url(text) : .string(text))
  }

  /// Gets a property; null for one that is absent.
  public func get(_ key: UnsafePointer<CChar>) throws(SegueError) -> Value { try get(property(key)) }

  private func property(_ key: UnsafePointer<CChar>) throws(SegueError) -> HostedProperty {
    if let property = type.property(key) { return property }
    throw noProperty(CText.string(key))
  }

  func noProperty(_ key: String?) -> SegueError {
    let text = key.map { DisplayText.clean($0, maximum: Limits.keyLength) } ?? "of this name"
    return SegueError(.notFound, "\(host.name): there is no property \(text)")
  }

  func get(_ property: HostedProperty) throws(SegueError) -> Value {
    guard let getter = property.getter else { throw failure(.accessDenied, property, "it cannot be read") }
    do throws(SegueError) {
      return try calling { object throws(SegueError) in try getter.call(object) }
    } catch {
      throw failure(error.code, property, error.message)
    }
  }

  private func set(_ property: HostedProperty, _ setter: PluginSetter, _ value: Value) throws(SegueError) {
    let result = try calling { object throws(SegueError) in setter.call(object) { _ in value } }
    plugin.trial.note(result, of: "its setter", by: "\(host.name), \(property.description.key)")
    guard result >= 0 else { throw setterFailure(property, result) }
  }

  private func setterFailure(_ property: HostedProperty, _ result: Int32) -> SegueError {
    failure(.pluginFailed, property, "its setter has failed: \(CText.message(ofErrno: result))")
  }

  func failure(_ code: SegueError.Code, _ property: HostedProperty, _ what: String) -> SegueError {
    SegueError(code, "\(host.name), \(property.description.key): \(what)")
  }

  /// The plugin's own functions for an extension, and the object that they take.
  public func getExtension(
    _ id: UnsafePointer<CChar>
  ) throws(SegueError) -> (UnsafeRawPointer, UnsafeMutableRawPointer?) {
    guard let getExtension = type.functions.getExtension,
      let found = try calling({ object throws(SegueError) in getExtension(object, id) })
    else { throw SegueError(.notFound, "\(host.name): there is no such extension") }
    return (found, object)
  }

  // MARK: Setting at once

  /// The result of `set(_:atOnce:)` where it does not apply: no such property, of another type, or beyond its range.
  public static let notAtOnce = Int64.min
  /// Its result where the setter has failed and the object was dropped in it: the caller must not use it any more.
  public static let failedAndGone = Int64.min + 1

  /// Sets an integer property, inlined into the ABI's function; returns the setter's result, or `notAtOnce`.
  @inline(__always)
  public func set(_ key: UnsafePointer<CChar>, atOnce integer: Int64) -> Int64 {
    guard !isEnded, let entry = entry(key), integer >= entry.pointee.least, integer <= entry.pointee.most else {
      return Self.notAtOnce
    }
    return call(entry, UInt64(bitPattern: integer))
  }

  /// The same for a floating-point property.
  @inline(__always)
  public func set(_ key: UnsafePointer<CChar>, atOnce number: Double) -> Int64 {
    guard !isEnded, let entry = entry(key), entry.pointee.isDouble else { return Self.notAtOnce }
    return call(entry, number.bitPattern)
  }

  /// Sets the property where `set(_:atOnce:)` did not apply, and throws the error where it has failed.
  public func set(_ key: UnsafePointer<CChar>, to value: Value, after outcome: Int64) throws(SegueError) {
    guard outcome == Self.notAtOnce else {
      throw setterFailure(try property(key), Int32(truncatingIfNeeded: outcome))
    }
    try set(key, to: value)
  }

  @inline(__always)
  private func entry(_ key: UnsafePointer<CChar>) -> UnsafeMutablePointer<PluginScalars.Entry>? {
    // Calls mostly set the same property again.
    if let lastEntry, strcmp(lastEntry.pointee.key, key) == 0 { return lastEntry }
    let found = scalars.entry(key)
    if found != nil { lastEntry = found }
    return found
  }

  @inline(__always)
  private func call(_ entry: UnsafeMutablePointer<PluginScalars.Entry>, _ register: UInt64) -> Int64 {
    // A narrower integer is read from the beginning of the register.
    var register = register
    depth &+= 1
    let result = segue_ffi_call_scalar(entry.pointee.interface, entry.pointee.code, object, &register)
    depth &-= 1
    if isEnded {
      // This call may free the object.
      destroyIfIdle()
      return result >= 0 ? 0 : Self.failedAndGone
    }
    if result >= 0, entry.pointee.isSaved, !isRestoring, !isMarked {
      try? attached?.setNeedsSave(true)
    }
    return Int64(result)
  }

  /// Whether no activity needs to be marked as changed. The activity is read without being retained.
  @inline(__always)
  private var isMarked: Bool {
    withUnsafePointer(to: &attached) { place in
      guard let activity = UnsafeRawPointer(place).load(as: UnsafeRawPointer?.self) else { return true }
      return Unmanaged<Activity>.fromOpaque(activity)._withUnsafeGuaranteedRef { $0.isMarkedAlready }
    }
  }

  // MARK: Saving

  override func update(_ activity: Activity) -> SegueError? {
    let failures = save(into: activity)
    for error in failures { fail(activity, error) }
    return failures.first
  }

  /// Saves the properties; returns the errors of those that could not be saved.
  private func save(into activity: Activity) -> [SegueError] {
    runs(true)
    defer { runs(false) }
    var failures: [SegueError] = []
    var entries: [Value: Value] = [:]
    var isWhole = true
    for (place, property) in type.properties.enumerated() where property.getter != nil && !isEnded {
      do throws(SegueError) {
        let value = try get(property)
        if case .null = value {
          if property.description.isRequired { isWhole = false }
          continue
        }
        entries[keys[place]] = value
      } catch {
        if property.description.isRequired { isWhole = false }
        failures.append(error)
      }
    }
    // Another device could not use the rest.
    guard isWhole, !isEnded else { return failures }
    do throws(SegueError) {
      if !entries.isEmpty { try activity.addUserInfo(entries) }
      activity.keepHere(deviceKeys)
      try run(type.functions.update, activity, "its update_user_activity_state")
    } catch {
      failures.append(error)
    }
    return failures
  }

  /// Tells the daemon that the plugin's part in saving or restoring begins, or is over, in case its code ends the
  /// process.
  private func runs(_ runs: Bool) { application.registration.door?.runs(runs ? plugin.metadata.id : nil) }

  // MARK: Restoring

  public override func restore(from activity: Activity) -> SegueError? {
    let userInfo = activity.userInfo
    isRestoring = true
    defer { isRestoring = false }
    do throws(SegueError) {
      try take(userInfo, of: activity)
    } catch {
      fail(activity, error)
      return error
    }
    if isTold { objectMethods.didRestore?(self, activity) }
    return nil
  }

  private func take(_ userInfo: [Value: Value], of activity: Activity) throws(SegueError) {
    runs(true)
    defer { runs(false) }
    try set(planned(userInfo))
    try run(type.functions.restore, activity, "its restore_user_activity_state")
  }

  /// Checks every value before any is set.
  private func planned(_ userInfo: [Value: Value]) throws(SegueError) -> [Value?] {
    do throws(SegueError) {
      return try type.description.plan { userInfo[keys[$0]] }
    } catch {
      throw SegueError(error.code, "\(host.name), \(error.message)", advice: error.advice)
    }
  }

  /// Calls the setters of the values that are there; then, if `callsRestore`, the restore function.
  func set(_ plan: [Value?], callsRestore: Bool = true) throws(SegueError) {
    for (place, value) in plan.enumerated() {
      let property = type.properties[place]
      if let value, let setter = property.setter { try set(property, setter, value) }
    }
    guard callsRestore, let restore = type.restore else { return }
    let restored = type.description.restored
    let result = try calling { object throws(SegueError) in
      restore.call(object) { plan[restored[$0]] ?? .null }
    }
    plugin.trial.note(result, of: "its restore function", by: host.name)
    guard result >= 0 else {
      throw SegueError(
        .pluginFailed, "\(host.name): its restore function has failed: \(CText.message(ofErrno: result))")
    }
  }

  private func run(
    _ function: (@convention(c) (UnsafeMutableRawPointer?, PluginClass.OpaqueActivity?) -> Int32)?,
    _ activity: Activity, _ name: String
  ) throws(SegueError) {
    guard let function else { return }
    let handle = Unmanaged<Handle>.passUnretained(activity).toOpaque().assumingMemoryBound(to: segue_activity.self)
    let result = try calling { object throws(SegueError) in function(object, handle) }
    plugin.trial.note(result, of: name, by: host.name)
    guard result >= 0 else {
      throw SegueError(.pluginFailed, "\(host.name): \(name) has failed: \(CText.message(ofErrno: result))")
    }
  }

  /// Reports a plugin's failure, which is an error of this object only.
  private func fail(_ activity: Activity, _ error: SegueError) {
    application.log(error.message)
    if isTold { objectMethods.didFail?(self, activity, error) }
  }

  /// Whether the application still gets this object's callbacks: the plugin's calls, and its own callbacks, may have
  /// ended that.
  private var isTold: Bool { isHeld && !application.isClosed }

  /// Called when the plugin says that its state has changed.
  func changedByItself() {
    if !isRestoring { try? attached?.setNeedsSave(true) }
  }
}
