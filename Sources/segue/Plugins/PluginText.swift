import SegueCore

/// A plugin's metadata as text: for a person, and as JSON.
enum PluginText {
  static func page(_ metadata: PluginMetadata, _ place: PluginPlace) -> String {
    var table = Table()
    table.add(["id", metadata.id.string])
    table.add(["name", metadata.name])
    table.add(["version", metadata.version])
    table.add(["ABI", String(metadata.abi)])
    if metadata.activityTypes.isEmpty { table.add(["activities", "all"]) }
    for (index, type) in metadata.activityTypes.enumerated() {
      table.add([index == 0 ? "activities" : "", type.string])
    }
    table.add(["file", place.library], maximum: Limits.shownPath)
    var lines = table.lines
    for object in metadata.objects { lines += [""] + self.lines(of: object) }
    return lines.joined(separator: "\n")
  }

  private static func lines(of object: PluginObjectDescription) -> [String] {
    var lines = ["\(object.id): \(object.name)"]
    guard !object.properties.isEmpty else { return lines }
    var table = Table(["KEY", "TYPE", "SCOPE", "WHERE MISSING"])
    for property in object.properties {
      table.add([
        property.key, words(property.type), property.isPortable ? "every device" : "this device",
        whereMissing(property),
      ])
    }
    lines += table.lines.map { "  " + $0 }
    if !object.restored.isEmpty {
      lines.append("  restored together: " + restoreKeys(object).joined(separator: ", "))
    }
    return lines
  }

  private static func whereMissing(_ property: PluginProperty) -> String {
    if property.isRequired { return "nothing is restored" }
    if let text = property.defaultText { return "\"\(text)\"" }
    return property.type.isOptional ? "set to none" : "left alone"
  }

  private static func restoreKeys(_ object: PluginObjectDescription) -> [String] {
    object.restored.map { object.properties[$0].key }
  }

  /// A type in words, with its signature.
  static func words(_ type: PluginType) -> String {
    let element = words(type.element)
    let words = type.isData ? "bytes" : type.isArray ? "list: \(element)" : element
    return words + (type.isOptional ? ", or none" : "") + " (\(type.signature))"
  }

  private static func words(_ element: PluginType.Element) -> String {
    switch element {
    case .bool: "true or false"
    case .int8, .uint8, .int16, .uint16, .int32, .uint32:
      element.range.map { "integer, \($0.lowerBound) to \($0.upperBound)" } ?? "integer"
    case .int64: "integer"
    case .uint64: "integer, not negative"
    case .float: "number, single precision"
    case .double: "number"
    case .string: "text"
    case .url: "URL"
    case .date: "date"
    case .value: "anything"
    }
  }

  static func json(_ metadata: PluginMetadata, _ place: PluginPlace) -> String {
    JSONText.object([
      ("id", JSONText.string(metadata.id.string)), ("name", JSONText.string(metadata.name)),
      ("version", JSONText.string(metadata.version)), ("abi", String(metadata.abi)),
      ("activity-types", JSONText.array(of: metadata.activityTypes.map { JSONText.string($0.string) })),
      ("file", JSONText.string(place.library)), ("objects", JSONText.array(of: metadata.objects.map(json))),
    ])
  }

  private static func json(_ object: PluginObjectDescription) -> String {
    JSONText.object([
      ("id", JSONText.string(object.id)), ("name", JSONText.string(object.name)),
      ("properties", JSONText.array(of: object.properties.map(json))),
      ("restore-keys", JSONText.array(of: restoreKeys(object).map { JSONText.string($0) })),
    ])
  }

  private static func json(_ property: PluginProperty) -> String {
    var members = [
      ("key", JSONText.string(property.key)), ("type", JSONText.string(property.type.signature)),
      ("required", property.isRequired ? "true" : "false"), ("portable", property.isPortable ? "true" : "false"),
    ]
    if let text = property.defaultText { members.append(("default", JSONText.string(text))) }
    return JSONText.object(members)
  }
}
