extension PluginMetadata {
  /// Everything in which the tables of the shared library differ from the metadata, in sentences without a full stop;
  /// empty if nothing does.
  public func differences(id: String, abi: Int64, objects: [PluginObjectDescription]) -> [String] {
    var found: [String] = []
    if id != self.id.string {
      found.append(
        "The library is \(DisplayText.clean(id, maximum: Limits.shownName)), and its metadata is of \(self.id.string)")
    }
    if abi != self.abi { found.append("The library is of ABI \(abi), and its metadata says \(self.abi)") }
    for (index, object) in objects.enumerated() {
      if objects[..<index].contains(where: { $0.id == object.id }) {
        found.append("The library has two objects \(object.id)")
      } else if let told = self.objects.first(where: { $0.id == object.id }) {
        found += told.differences(object)
      } else {
        found.append("\(object.id) is an object of the library, and not of the metadata")
      }
    }
    for object in self.objects where !objects.contains(where: { $0.id == object.id }) {
      found.append("\(object.id) is an object of the metadata, and not of the library")
    }
    return found
  }
}

extension PluginObjectDescription {
  /// In what the library's table differs from this description, which is the metadata's.
  fileprivate func differences(_ table: PluginObjectDescription) -> [String] {
    var found: [String] = []
    if table.name != name {
      found.append("\(id) is called \"\(table.name)\" in the library, and \"\(name)\" in the metadata")
    }
    for property in table.properties {
      if let told = properties.first(where: { $0.key == property.key }) {
        for difference in told.differences(property) { found.append("\(id)/\(property.key) \(difference)") }
      } else {
        found.append("\(id)/\(property.key) is a property of the library, and not of the metadata")
      }
    }
    var isComplete = table.properties.count == properties.count
    for property in properties where !table.properties.contains(where: { $0.key == property.key }) {
      found.append("\(id)/\(property.key) is a property of the metadata, and not of the library")
      isComplete = false
    }
    let keys = properties.map { $0.key }
    let tableKeys = table.properties.map { $0.key }
    if isComplete, keys != tableKeys {
      found.append(
        "The properties of \(id) are in the order \(Self.list(tableKeys)) in the library, and \(Self.list(keys)) in "
          + "the metadata")
    }
    let restored = self.restored.map { keys[$0] }
    let tableRestored = table.restored.map { tableKeys[$0] }
    if restored != tableRestored {
      found.append(
        "The restore function of \(id) takes \(Self.list(tableRestored)) in the library, and \(Self.list(restored)) in "
          + "the metadata")
    }
    return found
  }

  private static func list(_ keys: [String]) -> String {
    keys.isEmpty ? "nothing" : keys.joined(separator: ", ")
  }
}

extension PluginProperty {
  /// In what the library's table differs from this property, which is the metadata's; to stand after its key.
  fileprivate func differences(_ table: PluginProperty) -> [String] {
    var found: [String] = []
    if table.type != type {
      found.append("is of the type \(table.type.signature) in the library, and \(type.signature) in the metadata")
    }
    if table.isRequired != isRequired {
      found.append("is required in the \(table.isRequired ? "library" : "metadata") only")
    }
    if table.isPortable != isPortable {
      let (portable, other) = table.isPortable ? ("library", "metadata") : ("metadata", "library")
      found.append("is portable in the \(portable), and of this device in the \(other)")
    }
    // Values of one type compare as such, so 1 and 1.0 are the same. Texts are compared if the types differ, which is
    // reported above.
    if table.type == type ? table.defaultValue != defaultValue : table.defaultText != defaultText {
      found.append("has \(table.shownDefault) in the library, and \(shownDefault) in the metadata")
    }
    return found
  }

  private var shownDefault: String {
    defaultText.map { "the default \"\(DisplayText.clean($0, maximum: Limits.shownName))\"" } ?? "no default"
  }
}
