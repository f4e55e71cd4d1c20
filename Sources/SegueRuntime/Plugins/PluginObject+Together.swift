import CSegue
import SegueCore

// Setting several properties at once, and those that only the restore function takes.

extension PluginObject {
  /// Sets properties, by the plugin's keys, for the application: all are checked first; then the setters are called, in
  /// the order of the plugin's table, and then the restore function, if it takes one of them: with the others' values
  /// from their getters.
  public func set(_ entries: [Value: Value]) throws(SegueError) {
    var plan = [Value?](repeating: nil, count: type.properties.count)
    for (key, value) in entries {
      guard let place = type.properties.firstIndex(where: { $0.description.key == key.string }) else {
        throw noProperty(key.string)
      }
      try check(value, at: place)
      plan[place] = value
    }
    let isTogether = type.description.restored.contains { plan[$0] != nil }
    if isTogether {
      for place in type.description.restored where plan[place] == nil { plan[place] = try present(place) }
    }
    try set(plan, callsRestore: isTogether)
    guard !isRestoring else { return }
    let isSaved = type.properties.enumerated().contains { plan[$0.offset] != nil && $0.element.getter != nil }
    if isSaved { try? attached?.setNeedsSave(true) }
  }

  private func check(_ value: Value, at place: Int) throws(SegueError) {
    let property = type.properties[place]
    let isRestored = type.description.restored.contains(place)
    guard property.setter != nil || isRestored else {
      throw failure(
        .accessDenied, property, "nothing sets it: it has no setter, and the restore function does not take it")
    }
    if isRestored, property.description.isRequired, case .null = value {
      throw failure(.invalidArgument, property, "it is required, and null")
    }
    if let objection = property.type.objection(to: value) { throw failure(.invalidArgument, property, objection) }
  }

  /// The restore function's argument for a property that is not being set.
  private func present(_ place: Int) throws(SegueError) -> Value {
    let property = type.properties[place]
    let value = property.getter == nil ? property.description.valueWhereMissing ?? .null : try get(property)
    if property.description.isRequired, case .null = value {
      throw failure(
        .invalidArgument, property, "it is restored together with what is set, and there is none yet: set both at once")
    }
    if let objection = property.type.objection(to: value) { throw failure(.pluginFailed, property, objection) }
    return value
  }

  /// Whether the application can set the property with this key.
  public func isSettable(_ key: UnsafePointer<CChar>) -> Bool {
    guard let property = type.property(key) else { return false }
    return property.setter != nil
      || type.description.restored.contains { type.properties[$0] === property }
  }

  /// Whether the application can read the property, and so whether it is saved.
  public func isReadable(_ key: UnsafePointer<CChar>) -> Bool { type.property(key)?.getter != nil }
}
