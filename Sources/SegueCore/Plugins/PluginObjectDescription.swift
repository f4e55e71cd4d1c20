/// A kind of restorable object, as a plugin declares it: in its table, and in its metadata.
public struct PluginObjectDescription: Equatable, Sendable {
  public let id: String
  public let name: String
  public let properties: [PluginProperty]
  /// The properties that one function restores together, by their place in `properties`, in its order.
  public let restored: [Int]

  /// Throws `invalidArgument` where the parts do not fit together, `limitExceeded` for too many; to stand after the id.
  public init(
    id: String, name: String, properties: [PluginProperty], restoreKeys: [String], restoreSignature: String
  ) throws(SegueError) {
    guard Self.isID(id) else {
      throw SegueError(
        .invalidArgument, "\(DisplayText.clean(id, maximum: Limits.shownName)) is not an id of an object",
        advice: Self.idAdvice)
    }
    guard DisplayText.isClean(name) else {
      throw SegueError(
        .invalidArgument, "it has no name that can be shown",
        advice: "It has 1 to \(Limits.titleMaximum) bytes, and no controls.")
    }
    guard properties.count <= Limits.pluginProperties else {
      throw SegueError(.limitExceeded, "it has more than \(Limits.pluginProperties) properties")
    }
    for (index, property) in properties.enumerated() {
      guard !properties[..<index].contains(where: { $0.key == property.key }) else {
        throw SegueError(.invalidArgument, "it has two properties \(property.key)")
      }
    }
    let types = try PluginSignature(restoreSignature).types
    guard types.count == restoreKeys.count else {
      throw SegueError(
        .invalidArgument,
        "the signature of its restore function is not of as many types as the keys that it takes, "
          + "\(types.count) and \(restoreKeys.count)")
    }
    var restored: [Int] = []
    for (key, type) in zip(restoreKeys, types) {
      guard let place = properties.firstIndex(where: { $0.key == key }), !restored.contains(place) else {
        throw SegueError(
          .invalidArgument,
          "its restore function takes \(DisplayText.clean(key, maximum: Limits.shownName)), which is not a property, or twice"
        )
      }
      let property = properties[place]
      guard property.type == type else {
        throw SegueError(
          .invalidArgument,
          "its restore function takes \(key) as \(type.signature), and its property is "
            + property.type.signature)
      }
      guard property.isRequired || property.defaultValue != nil || type.isOptional else {
        throw SegueError(
          .invalidArgument, "its restore function takes \(key), which may be missing",
          advice: "Make the property required or optional, or give it a default.")
      }
      restored.append(place)
    }
    self.id = id
    self.name = name
    self.properties = properties
    self.restored = restored
  }

  static let idAdvice = "An id has 1 to \(Limits.pluginObjectIDLength) letters, digits, - and _."

  static func isID(_ id: String) -> Bool {
    (1...Limits.pluginObjectIDLength).contains(id.utf8.count)
      && id.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: "-") }
  }
}

extension PluginObjectDescription {
  /// The value to set for each property, nil for a property that stays as it is; `entry` gives userInfo's entry for a
  /// property's index. Throws `invalidArgument`, with the key, before any property was set.
  public func plan(_ entry: (Int) -> Value?) throws(SegueError) -> [Value?] {
    var plan: [Value?] = []
    plan.reserveCapacity(properties.count)
    for (place, property) in properties.enumerated() {
      guard let value = entry(place) else {
        guard !property.isRequired else {
          throw SegueError(.invalidArgument, "\(property.key): it is required, and missing")
        }
        plan.append(property.valueWhereMissing)
        continue
      }
      if case .null = value, property.isRequired {
        throw SegueError(.invalidArgument, "\(property.key): it is required, and null")
      }
      if let objection = property.type.objection(to: value) {
        throw SegueError(.invalidArgument, "\(property.key): \(objection)")
      }
      plan.append(value)
    }
    return plan
  }
}
